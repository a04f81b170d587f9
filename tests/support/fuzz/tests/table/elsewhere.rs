//! Functions without a row, and where they are tested: what has no length, and what the others are made of.

/// Names, and who tests them.
pub const ELSEWHERE: &[(&str, &str)] = &[
    (
        "acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh copysign exp exp2 exp_m1 floor fract gpu_cos gpu_exp2 gpu_log2 gpu_sin \
         gpu_tanh hypot is_finite is_infinite is_nan ln ln_1p log10 log2 mul_add powf powi recip round rsqrt sin sinh sqrt tan tanh trunc \
         by_float by_float2",
        "of floats, one by one: `obsidian-tests --test accuracy` measures them",
    ),
    (
        "abs clamp count_ones leading_zeros trailing_zeros reverse_bits rotate_left rotate_right swap_bytes signum max min mul_hi to_bits \
         from_bits wrapping_add wrapping_mul wrapping_neg wrapping_shl wrapping_shr wrapping_sub to_words of_words flip_bit \
         flip_bits_from flip_lsbs_to insert_zero low_bit one_bits zero_bits lane_mask_lt log2_exact at_most div_exact block_size \
         breadth by_device known on_gpu decided commutes regroups surely_at_most is_some_length non_empty first_of only_pushed",
        "scalars and what is decided while compiling: random kernels, and the programs",
    ),
    (
        "abs_diff count_zeros div_ceil div_euclid from ilog2 is_multiple_of is_power_of_two isqrt leading_ones next_multiple_of \
         next_power_of_two of_unsigned pow rem_euclid saturating_add saturating_sub trailing_ones wrapping_pow",
        "of integers, as in Rust: `obsidian-tests --test meaning integers`, for every pair of bytes",
    ),
    (
        "as_block as_grid as_grid_rows as_rows as_thread as_thread_map as_warp as_warp_map concat_tiles distr_par exec exec_block exec_warp \
         for_all2 from_dyn lift_par lift_seq ragged_tiles seq_for single_thread stencil_2d stencil_2d_fill stencil_2d_mirror stencil_2d_wrap \
         transpose_ragged transpose_tiled untile_grid concat_2d_grid interleave_seq interleave_with push_app write_to",
        "levels, and matrices, which have shapes and no length: `obsidian-tests --test meaning`, on the CPU and the interpreter",
    ),
    (
        "atomic_and atomic_cas atomic_exchange atomic_max atomic_min atomic_or atomic_sub atomic_xor histogram_by_blocks histogram_into",
        "updates of the host's arrays: `obsidian-tests --test mutable`",
    ),
    (
        "chain_cells compute_rows compute_two ends_of_tiles fetch in_segments prefixes scan_tile segmented_reduce take_in whole_tile whole_tiles words_of_total",
        "parts of what runs at `Device`, and arrays by offsets: `obsidian-tests --test device`, at every length of the table in CONTRIBUTING",
    ),
];
