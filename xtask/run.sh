#!/usr/bin/env bash
# Runs what `cargo xtask bundle` has put together, on a machine with an NVIDIA GPU and CUDA's toolkit, without Rust: builds the
# baseline with nvcc, runs the GPU suite, then a part of it under each of compute-sanitizer's tools, then the benches. Ends with
# a summary of the steps and the benches' table; fails if a step failed.
#   ./run.sh                 everything
#   ./run.sh suite benches   these parts: suite, sanitizers, benches
# NVCC and COMPUTE_SANITIZER name the tools where they are not on the PATH; RESULTS the folder of logs (./results);
# ARCH what nvcc compiles for (native); LIMIT the seconds that a step may take (900); BENCH_ARGS goes to the bench.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# What takes kernels of its own to load, hundreds of them, is left out.
SANITIZED_TESTS=(the_gpu_gives pinned modules_of chains_of programs_of)
results=${RESULTS:-results}
limit=${LIMIT:-900}
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(suite sanitizers benches)
summary=()
failed=0

missing() {
    echo "run.sh: $1" >&2
    exit 2
}

asked() {
    local part
    for part in "${parts[@]}"; do
        if [ "$part" = "$1" ]; then return 0; fi
    done
    return 1
}

# The tool's path: what the variable says, what the PATH has, or the toolkit's usual folder.
tool() {
    local given=$1 name=$2
    if [ -n "$given" ]; then
        [ -x "$given" ] && echo "$given"
    elif command -v "$name" >/dev/null; then
        command -v "$name"
    elif [ -x "/usr/local/cuda/bin/$name" ]; then
        echo "/usr/local/cuda/bin/$name"
    fi
}

# step NAME COMMAND..: runs it, keeps its output in a log, notes how it ended.
step() {
    local name=$1 start=$SECONDS status=0
    shift
    echo
    echo "== $name"
    timeout "$limit" "$@" 2>&1 | tee "$results/$name.log" || status=${PIPESTATUS[0]}
    case $status in
        0) summary+=("PASS  $name  $((SECONDS - start)) s") ;;
        124) summary+=("FAIL  $name  stopped after $limit s"); failed=1 ;;
        *) summary+=("FAIL  $name  $((SECONDS - start)) s, exit code $status, see $results/$name.log"); failed=1 ;;
    esac
    return 0
}

for part in "${parts[@]}"; do
    case $part in
        suite | sanitizers | benches) ;;
        *) missing "there is no part '$part'; suite, sanitizers, benches" ;;
    esac
done
[ "$(uname -sm)" = "Linux x86_64" ] || missing "the binaries are for Linux on x86-64, this is $(uname -sm)"
needed=$(cat glibc.txt)
found=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d' ' -f2 || true)
[ -n "$found" ] || missing "this system has no glibc; the binaries need $needed or newer"
[ "$(printf '%s\n%s\n' "$needed" "$found" | sort -V | head -n 1)" = "$needed" ] ||
    missing "the binaries need glibc $needed or newer, this system has $found; make the bundle on an older system"
command -v nvidia-smi >/dev/null || missing "there is no nvidia-smi, so no NVIDIA driver; run this on a machine with a GPU"
nvidia-smi -L || missing "nvidia-smi finds no GPU"
nvcc=$(tool "${NVCC:-}" nvcc || true)
sanitizer=$(tool "${COMPUTE_SANITIZER:-}" compute-sanitizer || true)
if asked benches; then
    [ -n "$nvcc" ] || missing "there is no nvcc, which builds the baseline; install CUDA's toolkit or set NVCC"
fi
if asked sanitizers; then
    [ -n "$sanitizer" ] || missing "there is no compute-sanitizer; install CUDA's toolkit or set COMPUTE_SANITIZER"
fi

mkdir -p "$results"
rm -f "$results"/*.log "$results/table.md"
OBSIDIAN_COMMIT=$(cat commit.txt)
# A GPU that the tests do not see is a failure, not a skip.
OBSIDIAN_TEST_CUDA=1
export OBSIDIAN_COMMIT OBSIDIAN_TEST_CUDA

if asked suite; then
    step suite ./gpu-test --nocapture
fi
if asked sanitizers; then
    OBSIDIAN_TEST_KERNELS=$(cat sanitized.txt)
    export OBSIDIAN_TEST_KERNELS
    OBSIDIAN_TEST_SMALL=1
    export OBSIDIAN_TEST_SMALL
    for check in memcheck racecheck synccheck initcheck; do
        # Nothing found is 0, something 9; a program that makes no CUDA call is an error of its own. Calls of the driver fail on purpose.
        step "$check" "$sanitizer" --tool "$check" --error-exitcode 9 --report-api-errors no ./gpu-test --nocapture "${SANITIZED_TESTS[@]}"
    done
    unset OBSIDIAN_TEST_SMALL
    unset OBSIDIAN_TEST_KERNELS
fi
if asked benches; then
    step baseline "$nvcc" -std=c++17 -O3 -arch="${ARCH:-native}" -shared -Xcompiler -fPIC \
        -o "$results/libbaseline.so" baseline/baseline.cu
    # shellcheck disable=SC2086
    step benches ./gpu-bench --baseline "$results/libbaseline.so" --out "$results/table.md" ${BENCH_ARGS:-}
fi

echo
echo "== summary, commit $OBSIDIAN_COMMIT"
printf '%s\n' "${summary[@]}" | tee "$results/summary.txt"
if [ -f "$results/table.md" ]; then
    echo
    cat "$results/table.md"
fi
exit "$failed"
