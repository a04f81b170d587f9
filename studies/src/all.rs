//! The table of the studies: which kernels each has, and what its paper reports.

use crate::beside::{Here, Reported};
use crate::{Point, Study};

/// Programs of others.
const NOT_RUN: Here = Here::Nothing("not run here");

/// Every study.
pub const STUDIES: [Study; 9] = [
    Study {
        name: "jfp-reduce",
        title: "Reductions (JFP 2016 §6.2)",
        file: "studies/kernels/jfp_reduce.rs",
        text: include_str!("../kernels/jfp_reduce.rs"),
        kernels: &[],
        by: &["RED"],
        point: Point::Variant,
        below: 1 << 16,
        paper: "Seven reductions, six numbers of threads, eight numbers of elements a block. The paper says 312 variants; the space as it \
                is stated, less what does not fit into 48 KiB of shared memory, has 318. On a GTX 680, 2^24 elements 1,000 times: \
                `red7` from 1.45 s down to 0.45 s, and 6.2 times between the worst `red4` and the best `red7`; Accelerate 0.48 s, \
                Thrust 0.58 s.",
        reported: &[
            Reported {
                what: "the best of `red7`: 2^24 elements in 0.45 ms on a GTX 680",
                paper: "149 GB/s",
                here: Here::Bytes("sums", "RED = 7", 4.0),
            },
            Reported { what: "the same of Accelerate and Thrust", paper: "0.48 and 0.58 ms", here: NOT_RUN },
            Reported {
                what: "the worst of `red7` over its best",
                paper: "3.2",
                here: Here::Spread("sums", ["RED = 7", "RED = 7"]),
            },
            Reported {
                what: "the worst of `red4` over the best of `red7`",
                paper: "6.2",
                here: Here::Spread("sums", ["RED = 4", "RED = 7"]),
            },
        ],
    },
    Study {
        name: "jfp-scan",
        title: "Scans (JFP 2016 §6.3)",
        file: "studies/kernels/jfp_scan.rs",
        text: include_str!("../kernels/jfp_scan.rs"),
        kernels: &[],
        by: &["SCAN"],
        point: Point::Variant,
        below: 1 << 16,
        paper: "The paper explores 150 variants. Here they are five scans by six numbers of threads and five numbers of elements a block: 1 to 3 \
                are Sklansky's as pull arrays, as push arrays with two writes of a thread and no condition, and the same after each \
                thread has loaded two elements; 4 and 5 Kogge and Stone's as pull and as push arrays.",
        reported: &[],
    },
    Study {
        name: "jfp-large",
        title: "Large reductions (JFP 2016 §7.1)",
        file: "studies/kernels/jfp_large.rs",
        text: include_str!("../kernels/jfp_large.rs"),
        kernels: &[],
        by: &["RED"],
        point: Point::Variant,
        below: 1 << 16,
        paper: "Two launches: the paper explores 126 variants of the first, which leaves a sum for each block, and 42 of the second, in \
                which one block adds these. Here they are seven reductions by six numbers of threads, the first by three numbers of \
                elements a block. 2^24 elements are 4,096 blocks of 4,096 and a block of 4,096.",
        reported: &[],
    },
    Study {
        name: "jfp-large-scan",
        title: "The large scan (JFP 2016 §7.2)",
        file: "studies/kernels/jfp_large_scan.rs",
        text: include_str!("../kernels/jfp_large_scan.rs"),
        kernels: &[],
        by: &["RED", "SCAN"],
        point: Point::LargeScan,
        below: 1 << 16,
        paper: "Three launches: blocks reduce their chunks, one block scans the sums, blocks scan the chunks again, each from the sum of \
                those before it. The paper explores 1,980 variants of them together. Here a point is one of seven reductions, of five \
                scans of the sums, of three scans of the chunks, of three numbers of elements a chunk and of six numbers of threads, \
                the same in all launches: 1,890. The launches stand in the table by themselves.",
        reported: &[Reported {
            what: "8 to 32 million elements (Figure 14)",
            paper: "as fast as Thrust",
            here: Here::Nothing("only a GPU could tell"),
        }],
    },
    Study {
        name: "mandelbrot",
        title: "Mandelbrot (JFP 2016, Table 1)",
        file: "programs/src/jfp2016.rs",
        text: include_str!("../../programs/src/jfp2016.rs"),
        kernels: &["mandelbrot"],
        by: &[],
        point: Point::Variant,
        below: 1 << 16,
        paper: "512 iterations a pixel, by the number of threads. On a GTX 680, 1024 by 1024 pixels: 1.05 ms with 128 threads, the best, \
                and 2.58 ms with 1024, the worst.",
        reported: &[
            Reported {
                what: "the best, 128 threads, of 1024 by 1024 pixels: 1.05 ms",
                paper: "999 million pixels a second",
                here: Here::Elements("mandelbrot", ""),
            },
            Reported {
                what: "the worst, 1024 threads, over the best; on the CPU all are one program",
                paper: "2.46",
                here: Here::Spread("mandelbrot", ["", ""]),
            },
        ],
    },
    Study {
        name: "damp-sort",
        title: "Sorting networks (DAMP 2012, Tables 1 and 2)",
        file: "programs/src/damp2012_sorts.rs",
        text: include_str!("../../programs/src/damp2012_sorts.rs"),
        kernels: &[],
        by: &[],
        point: Point::Variant,
        below: 1 << 16,
        paper: "`tsort` and `vsort` as pull and push arrays. On a GTX 480, `vsort` of 2^24 keys in 96 ms, against 274 ms of the CUDA SDK's \
                bitonic sort (which moves values, too) and 2,783 ms of `qsort` on the CPU.",
        reported: &[
            Reported {
                what: "`vsort` of 2^24 keys in 96 ms; here the kernel that sorts blocks alone",
                paper: "175 million a second",
                here: Here::Elements("vsort_push", ""),
            },
            Reported { what: "the CUDA SDK's bitonic sort, `qsort`", paper: "274 ms, 2,783 ms", here: NOT_RUN },
        ],
    },
    Study {
        name: "iccs-scan",
        title: "Sklansky's scan (ICCS 2010 §4.2)",
        file: "programs/src/jfp2016_scans.rs",
        text: include_str!("../../programs/src/jfp2016_scans.rs"),
        kernels: &["sklansky", "sklansky_grid", "sklansky_eight", "sklansky_push", "sklansky_loaded"],
        by: &[],
        point: Point::Variant,
        below: 1 << 16,
        paper: "Sklansky's scan in log2(n) phases, stored after each: of 1,024 elements that is 10 phases and, laid out by turns, 8,192 \
                bytes of shared memory. Beside it the forms of JFP 2016 that refine it.",
        reported: &[
            Reported {
                what: "2^20 elements on a 9800 GX2 in 1.06 ms, then 0.79 ms in place",
                paper: "989, then 1327 million a second",
                here: Here::Elements("sklansky_grid", ""),
            },
            Reported { what: "the SDK's scan, one by hand", paper: "0.64 ms, 0.74 ms", here: NOT_RUN },
        ],
    },
    Study {
        name: "fcl",
        title: "Permutations and reduction (FCL 2016, Figure 2)",
        file: "programs/src/fcl2016.rs",
        text: include_str!("../../programs/src/fcl2016.rs"),
        kernels: &[],
        by: &[],
        point: Point::Variant,
        below: 1 << 16,
        paper: "On a GTX 780 Ti, `reverse` of 2^24 elements runs at the measured peak, 254.9 GB/s; transposition and reduction stay below \
                NVIDIA's SDK, for reasons that the paper names: bank conflicts, divisions, no sequential work before the tree.",
        reported: &[
            Reported {
                what: "`reverse` of 2^24 elements on a GTX 780 Ti",
                paper: "254.9 GB/s, the measured peak",
                here: Here::Bytes("reversed", "", 8.0),
            },
            Reported {
                what: "transposition and reduction beside NVIDIA's SDK",
                paper: "slower",
                here: Here::Nothing("only a GPU could tell"),
            },
        ],
    },
    Study {
        name: "accelerate",
        title: "The programs of Accelerate's report (2011, Figure 4)",
        file: "programs/src/accelerate_report.rs",
        text: include_str!("../../programs/src/accelerate_report.rs"),
        kernels: &[],
        by: &[],
        point: Point::Variant,
        below: 16,
        paper: "A map, a fold, Black and Scholes' formula, and a sparse matrix times a vector in several ways: programs that the report \
                measures. Its times are not repeated here.",
        reported: &[],
    },
];
