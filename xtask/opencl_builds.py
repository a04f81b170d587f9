"""Builds an empty kernel on the only OpenCL device there is: ends with 0, or with what the driver says of it."""

import ctypes
import os
import sys

ALL_DEVICES = 0xFFFFFFFF
BUILD_LOG = 0x1183

cl = ctypes.CDLL(os.environ["OPENCL_DYLIB_PATH"])
cl.clCreateContext.restype = ctypes.c_void_p
cl.clCreateProgramWithSource.restype = ctypes.c_void_p

platform, device, status = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
if cl.clGetPlatformIDs(1, ctypes.byref(platform), None) != 0:
    sys.exit("no OpenCL platform")
if cl.clGetDeviceIDs(platform, ctypes.c_ulong(ALL_DEVICES), 1, ctypes.byref(device), None) != 0:
    sys.exit("no OpenCL device")
context = ctypes.c_void_p(cl.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(status)))
source = ctypes.c_char_p(b"kernel void nothing(void) {}")
program = ctypes.c_void_p(cl.clCreateProgramWithSource(context, 1, ctypes.byref(source), None, ctypes.byref(status)))
if cl.clBuildProgram(program, 1, ctypes.byref(device), b"", None, None) != 0:
    log = ctypes.create_string_buffer(4096)
    cl.clGetProgramBuildInfo(program, device, BUILD_LOG, ctypes.c_size_t(len(log)), log, None)
    sys.exit(log.value.decode(errors="replace").strip() or "the build failed")
