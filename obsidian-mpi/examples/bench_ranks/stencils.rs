//! A step of a stencil beside its kernel.

use obsidian::prelude::*;
use obsidian_algorithms::dist::{self, Beyond, Rows};

use crate::Bench;

kernel! {
    /// One step of Jacobi's iteration, of the rows that have one above and below.
    #[kernel(threads = 256)]
    pub fn relaxed(m: DMat<f32>) -> PushMat<Grid, f32> {
        let (rows, cols) = (m.rows(), m.cols());
        mk_mat(max(rows, 2) - 2, cols, |i, j| {
            0.25 * (m[(i, j)] + m[(i + 2, j)] + m[(i + 1, min(j + 1, cols - 1))] + m[(i + 1, max(j, 1) - 1)])
        }).push()
    }
}

impl Bench {
    pub fn stencils(&self) -> Result<(), obsidian::Error> {
        let cols = 4096.min(self.len.max(1));
        let rows = self.len / cols;
        let m = self.dev.upload_matrix(&self.floats()[..rows * cols], rows, cols)?;
        let whole = Rows::joined(&self.ranks, m)?;
        let step = |m: &Matrix<f32>, out: &mut Matrix<f32>| relaxed.run_into(m.device(), m, out);
        let all = self.best(9, || dist::stencil_rows(&self.ranks, &whole, 1, Beyond::Filled(0.0), step).map(drop))?;
        let kernel = self.best(9, || relaxed.run(&self.dev, whole.part()).map(drop))?;
        self.say(format!(
            "step of a stencil on {rows} x {cols} a rank: {:.2} ms; its kernel {:.2} ms",
            all * 1e3,
            kernel * 1e3
        ));
        Ok(())
    }
}
