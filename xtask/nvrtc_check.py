"""Compiles CUDA C files with NVRTC: nvrtc_check.py LIBDIR [--ptx ARCH DIR] FILE..; prints each log, exits 1 on an error or a
warning. With --ptx the PTX of FILE for ARCH goes to DIR."""
import ctypes
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


def main():
    folder, files, arch, ptx = sys.argv[1], sys.argv[2:], "compute_80", None
    if files[0] == "--ptx":
        arch, ptx, files = files[1], files[2], files[3:]
    # NVRTC opens its built-ins by name: where they are already loaded, no search path is needed.
    for name in sorted(os.listdir(folder)):
        if name.startswith("libnvrtc-builtins.so"):
            ctypes.CDLL(os.path.join(folder, name), mode=ctypes.RTLD_GLOBAL)
    lib = ctypes.CDLL(os.path.join(folder, "libnvrtc.so.13"))
    bad = 0
    for path in files:
        with open(path, "rb") as source:
            text = source.read()
        program = ctypes.c_void_p()
        if lib.nvrtcCreateProgram(ctypes.byref(program), text, os.path.basename(path).encode(), 0, None, None) != 0:
            print(os.path.basename(path) + ": NVRTC made no program")
            bad += 1
            continue
        options = (ctypes.c_char_p * 1)(b"--gpu-architecture=" + arch.encode())
        code = lib.nvrtcCompileProgram(program, 1, options)
        log = log_of(lib, program)
        if code != 0 or log:
            bad += 1
            print(f"{os.path.basename(path)}: code {code}\n{log}")
        elif ptx:
            save(lib, program, os.path.join(ptx, os.path.basename(path)[: -len(".cu")] + ".ptx"))
        lib.nvrtcDestroyProgram(ctypes.byref(program))
    return 1 if bad else 0


sys.exit(main())
