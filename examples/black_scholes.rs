//! What options are worth (Black and Scholes, 1973): much arithmetic, with `exp` and `ln` of the standard library.
//! `cargo run --release --example black_scholes [-- OPTIONS]`, where `OBSIDIAN_BACKEND=cpu|opencl|cuda` chooses where it runs.

use std::error::Error;

use obsidian::prelude::*;

kernel! {
    /// How likely a normal variable is below `x`, to 1e-7. Source: Abramowitz and Stegun, Handbook, 26.2.17.
    fn normal_below(x: f32) -> f32 {
        let k = 1.0 / (1.0 + 0.2316419 * abs(x));
        let poly = ((((1.3302744 * k - 1.8212559) * k + 1.7814779) * k - 0.35656378) * k + 0.31938153) * k;
        let above = 0.39894228 * exp(-0.5 * x * x) * poly;
        if x > 0.0 { 1.0 - above } else { above }
    }

    /// An option to buy, and one to sell: the price now, the price agreed, the years until then.
    fn worth(rate: f32, volatility: f32, option: (f32, f32, f32)) -> (f32, f32) {
        let (price, strike, years) = option;
        let spread = volatility * sqrt(years);
        let d1 = (ln(price / strike) + (rate + 0.5 * volatility * volatility) * years) / spread;
        let (n1, n2) = (normal_below(d1), normal_below(d1 - spread));
        let later = strike * exp(-rate * years);
        (price * n1 - later * n2, later * (1.0 - n2) - price * (1.0 - n1))
    }

    #[kernel(threads = 256)]
    pub fn black_scholes(rate: f32, volatility: f32, options: DPull<(f32, f32, f32)>) -> DPush<Grid, (f32, f32)> {
        options.map(|option| worth(rate, volatility, option)).push()
    }
}

const RATE: f32 = 0.02;
const VOLATILITY: f32 = 0.3;

fn main() -> Result<(), Box<dyn Error>> {
    let count: usize = std::env::args().nth(1).map_or(Ok(1_000_003), |n| n.parse())?;
    let between =
        |low: f32, high: f32, i: usize| low + (high - low) * (i.wrapping_mul(40_503) % 65_536) as f32 / 65_536.0;
    let option = |i| (between(5.0, 30.0, i), between(1.0, 100.0, 3 * i + 1), between(0.25, 10.0, 7 * i + 2));
    let options: Vec<_> = (0..count).map(option).collect();

    let dev = Device::best()?;
    let input = dev.upload(&options)?;
    let mut output = black_scholes.run(&dev, RATE, VOLATILITY, &input)?;
    let start = dev.stream().mark()?;
    black_scholes.run_into(&dev, RATE, VOLATILITY, &input, &mut output)?;
    let time = dev.stream().mark()?.since(&start)?;

    // Buying and selling at the agreed price are together worth the price now less the agreed one later.
    let mut worst = 0f64;
    let found = output.to_vec()?;
    for (&(price, strike, years), &(buy, sell)) in options.iter().zip(&found) {
        let later = f64::from(strike) * (-f64::from(RATE) * f64::from(years)).exp();
        worst = worst.max((f64::from(buy) - f64::from(sell) - f64::from(price) + later).abs());
    }
    if worst.is_nan() || worst > 1e-4 || found.iter().any(|&(buy, sell)| buy < -1e-4 || sell < -1e-4) {
        return Err(format!("buying and selling differ by {worst}").into());
    }
    println!("{} options on {}: {:.3} ms", options.len(), dev.name(), time.as_secs_f64() * 1e3);
    if let (Some(option), Some((buy, sell))) = (options.first(), found.first()) {
        println!("the first: {option:?}: {buy:.4} to buy, {sell:.4} to sell");
    }
    Ok(())
}
