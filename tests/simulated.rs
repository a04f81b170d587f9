//! The CUDA runtime on a simulated driver, which is no GPU: it shows that the host's side calls the driver as it documents, and
//! waits for what it must. Each test runs this program once more, with the driver of `sim-cuda` in the place of libcuda.
