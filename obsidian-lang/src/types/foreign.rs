//! Words of Rust's iterators, of CUDA, OpenCL C and CubeCL that a newcomer tries, and what says the same here.

/// What to write in place of a word that the language does not have.
pub fn said_here(word: &str) -> Option<&'static str> {
    Some(match word {
        "iter" | "iter_mut" | "into_iter" | "par_iter" | "into_par_iter" => {
            "an array has the methods itself: `xs.map(|x| x + 1)`, `xs.zip_with(ys, |x, y| x + y)`"
        }
        "fold" => {
            "`xs.foldl(init, |acc, x| ..)` folds in one thread, `reduce(xs, |a, b| ..)` by all of them; `xs.sum()` does what fits"
        }
        "collect" | "to_vec" => {
            "an array is written by `xs.push()` and stored by `xs.compute()`; `to_vec` is the host's"
        }
        "enumerate" => "take the index where the array is made: `mk_pull(xs.len(), |i| (i, xs[i]))`",
        "for_each" => "`for_all(n, |i| ..)` runs its closure for each index",
        "position" | "find" | "index_of" => {
            "`filter_places(xs, |i| xs[i] == x)` gives the places at `Device`; in a closure that gives one element a loop looks for it: \
             `for i in 0..xs.len() { if xs[i] == x { at = i; break; } }`"
        }
        "windows" => "`xs.stencil(1, |near| ..)` gives each element's neighbourhood, three elements here",
        "clone" | "cloned" | "copied" | "to_owned" => "values are copied where they are used: leave it out",
        "thread_idx" | "threadIdx" | "block_idx" | "blockIdx" | "block_dim" | "blockDim" | "grid_dim" | "gridDim"
        | "get_global_id" | "get_local_id" | "get_group_id" | "ABSOLUTE_POS" | "UNIT_POS" | "CUBE_POS" => {
            "no thread is named: the index is that of `mk_pull(n, |i| ..)`, `for_all(n, |i| ..)` or `as_block_map`"
        }
        "__syncthreads" | "__syncwarp" | "syncthreads" | "sync_threads" | "sync_cube" | "sync_units" | "barrier" => {
            "barriers are placed by the compiler: store with `xs.compute()`, and every thread may read what is stored"
        }
        "__shared__" | "shared" | "SharedMemory" | "__local" => {
            "`xs.compute()` in a block stores an array in its shared memory"
        }
        "__shfl_sync" | "__shfl_xor_sync" | "__shfl_up_sync" | "__shfl_down_sync" | "plane_shuffle"
        | "plane_shuffle_xor" => {
            "keep a warp's array in registers, `let ys = xs.compute_lanes();`, and read another lane's element: `ys[i ^ 1]`"
        }
        "__ballot_sync" | "plane_ballot" => "`ballot(flags)` gives the flags of a warp as bits",
        "atomicAdd" | "fetch_add" | "atomic_fetch_add" => {
            "`atomic_add(bins, i, 1)`, where `bins` is a `Mut` or a `DMut`"
        }
        "par_sort" | "sort_unstable" => {
            "`sort(xs)` sorts in a block or at `Device`, `sort_by_key(xs, |x| x.0)` by a key"
        }
        _ => return None,
    })
}

/// What to write in place of a type that the language does not have.
pub fn type_said_here(name: &str) -> &'static str {
    match name {
        "Vec" | "Buffer" | "Box" | "Rc" | "Arc" => {
            "an array of the host's is a `DPull<T>` here, and the host passes `&Buffer<T>`"
        }
        "Matrix" => "a matrix of the host's is a `DMat<T>` here, and the host passes `&Matrix<T>`",
        "Option" | "Result" => {
            "a kernel has values only: choose one, `if x > 0.0 { sqrt(x) } else { 0.0 }`, or give a pair, `(bool, f32)`"
        }
        "usize" | "isize" => "lengths and indexes are `u32` here: leave the cast out, or write `i as u32`",
        "u128" | "i128" => "the widest integers are `u64` and `i64`",
        "String" | "str" | "char" => "texts are arrays of bytes, `DPull<u8>`",
        "Thread" | "Warp" | "Block" | "Grid" | "Device" => {
            "a level stands before a type: `Push<Block, T>`, `Program<Block, Pull<T>>`"
        }
        "float2" | "int2" | "uint2" | "double2" | "float3" | "int3" | "uint3" | "float4" | "int4" | "uint4"
        | "Vec2" | "Vec3" | "Vec4" => {
            "a vector is a tuple, `(f32, f32, f32, f32)`, or a `struct` inside `kernel!`; an array of it is one array per field"
        }
        _ => {
            "a `struct` of one to eight scalars is a type of kernels where it stands inside `kernel!`; Rust's other types stay on the host"
        }
    }
}

/// The function of a whole array that is said in Rust by the name of a function of two numbers.
pub fn of_an_array(word: &str) -> Option<&'static str> {
    match word {
        "min" => Some("minimum"),
        "max" => Some("maximum"),
        _ => None,
    }
}
