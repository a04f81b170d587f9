// A work-item an option; exp and log are the driver's.
static float normal_below(float x) {
    float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
    float poly = ((((1.3302744f * k - 1.8212559f) * k + 1.7814779f) * k - 0.35656378f) * k + 0.31938153f) * k;
    float above = 0.39894228f * exp(-0.5f * x * x) * poly;
    return x > 0.0f ? 1.0f - above : above;
}

__kernel void black_scholes(float rate, float volatility, __global const float *restrict prices,
                            __global const float *restrict strikes, __global const float *restrict years, uint n,
                            __global float *restrict buy, __global float *restrict sell) {
    uint i = get_global_id(0);
    if (i >= n) return;
    float price = prices[i], strike = strikes[i], time = years[i];
    float spread = volatility * sqrt(time);
    float d1 = (log(price / strike) + (rate + 0.5f * volatility * volatility) * time) / spread;
    float n1 = normal_below(d1), n2 = normal_below(d1 - spread);
    float later = strike * exp(-rate * time);
    buy[i] = price * n1 - later * n2;
    sell[i] = later * (1.0f - n2) - price * (1.0f - n1);
}
