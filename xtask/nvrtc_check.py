"""Compiles CUDA C files with NVRTC: nvrtc_check.py LIBDIR [--ptx ARCH DIR | --line-info ARCH DIR] [--with OPTION].. FILE..; prints
each log, exits 1 on an error or a warning. With --ptx the PTX of FILE for ARCH goes to DIR, with --line-info one that tells the lines
of FILE; --with hands NVRTC an option."""
import ctypes
import multiprocessing
import os
import sys


def log_of(lib, program):
    size = ctypes.c_size_t()
    lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(max(size.value, 1))
    lib.nvrtcGetProgramLog(program, text)
    return text.value.decode(errors="replace").strip()


def save(lib, program, path):
    size = ctypes.c_size_t()
    lib.nvrtcGetPTXSize(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(max(size.value, 1))
    lib.nvrtcGetPTX(program, text)
    with open(path, "wb") as out:
        out.write(text.value)


def load(folder):
    # NVRTC opens its built-ins by name: where they are already loaded, no search path is needed.
    for name in sorted(os.listdir(folder)):
        if name.startswith("libnvrtc-builtins.so"):
            ctypes.CDLL(os.path.join(folder, name), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(os.path.join(folder, "libnvrtc.so.13"))


def check(job):
    """What is wrong with a file, or nothing."""
    folder, options, ptx, path = job
    lib, name = load(folder), os.path.basename(path)
    with open(path, "rb") as source:
        text = source.read()
    program = ctypes.c_void_p()
    if lib.nvrtcCreateProgram(ctypes.byref(program), text, name.encode(), 0, None, None) != 0:
        return name + ": NVRTC made no program"
    options = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    code = lib.nvrtcCompileProgram(program, len(options), options)
    log = log_of(lib, program)
    good = code == 0 and not log
    if good and ptx:
        save(lib, program, os.path.join(ptx, name[: -len(".cu")] + ".ptx"))
    lib.nvrtcDestroyProgram(ctypes.byref(program))
    return None if good else f"{name}: code {code}\n{log}"


def main():
    folder, files, arch, ptx, more = sys.argv[1], sys.argv[2:], "compute_80", None, []
    if files[0] in ("--ptx", "--line-info"):
        more = ["--generate-line-info"] if files[0] == "--line-info" else []
        arch, ptx, files = files[1], files[2], files[3:]
    while files[0] == "--with":
        more, files = more + [files[1]], files[2:]
    options = ["--gpu-architecture=" + arch] + more
    # The longest first, so that no core is left with a long one at the end.
    files = sorted(files, key=os.path.getsize, reverse=True)
    with multiprocessing.Pool() as pool:
        found = pool.map(check, [(folder, options, ptx, path) for path in files], chunksize=1)
    bad = [what for what in found if what]
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
