//! Programs built by hand, printed, and read back by `syn`. That the code runs and is right is tested where there is a
//! compiler: the workspace's own tests.
