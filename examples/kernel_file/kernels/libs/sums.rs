// Helpers that kernels share: a file of libraries holds `kernel_lib! { .. }`.

kernel_lib! {
    /// Sums.
    pub mod sums {
        /// The sum of all elements: every thread adds 4 of them, then the block reduces.
        pub fn sum<T: Num>(xs: Pull<T>) -> Program<Block, Push<Block, T>> {
            red_coalesced(xs, 4, |a, b| a + b)
        }
    }
}
