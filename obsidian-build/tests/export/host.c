/* A program in C that runs a kernel through OpenCL. It knows what the header says (which lengths are accepted, how many blocks there
   are, how long the output is) and what the manifest says, which the test passes on:

       host LOADER TEXT SYMBOL THREADS LENGTH

   It says whether a kernel of whole thousands would accept the length, computes the dot product of each 1024 neighbours of two arrays,
   compares, and prints what it did. */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dot.h"
#include "thousands.h"

/* As much of OpenCL as is called, by the standard's values. */
typedef struct object *cl;
enum { CL_DEVICE_TYPE_ALL = -1, CL_MEM_READ_WRITE = 1, CL_MEM_COPY_HOST_PTR = 32, CL_PROGRAM_BUILD_LOG = 0x1183 };

static void *loader;

static void check(const char *what, int status)
{
    if (status != 0) {
        fprintf(stderr, "%s: %d\n", what, status);
        exit(1);
    }
}

/* A function of the loader: a pointer to one is not a pointer to data, so its bytes are copied. */
#define LOAD(result, name, ...)                                  \
    result (*name)(__VA_ARGS__);                                 \
    do {                                                         \
        void *found = dlsym(loader, #name);                      \
        check("there is no " #name, found == NULL);              \
        memcpy(&name, &found, sizeof found);                     \
    } while (0)

static char *contents(const char *path)
{
    FILE *file = fopen(path, "rb");
    check(path, file == NULL);
    char *text = calloc(1, 1 << 20);
    check("memory", text == NULL);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    check("an empty text", length == 0);
    fclose(file);
    return text;
}

int main(int count, char **arguments)
{
    check("host LOADER TEXT SYMBOL THREADS LENGTH", count != 6);
    loader = dlopen(arguments[1], RTLD_NOW);
    check(arguments[1], loader == NULL);
    const char *symbol = arguments[3];
    size_t threads = strtoul(arguments[4], NULL, 10), length = strtoul(arguments[5], NULL, 10);

    thousands_args groups = {.n_xs = (unsigned)length};
    printf("%zu elements are %s thousands\n", length, thousands_accepts(&groups) ? "whole" : "no whole");
    dot_args args = {.n_x = (unsigned)length, .n_y = (unsigned)length};
    if (!dot_accepts(&args)) {
        printf("%zu elements are not accepted\n", length);
        return 0;
    }
    size_t blocks = dot_blocks(&args), results = dot_out_len(&args);

    LOAD(int, clGetPlatformIDs, unsigned, cl *, unsigned *);
    LOAD(int, clGetDeviceIDs, cl, unsigned long, unsigned, cl *, unsigned *);
    LOAD(cl, clCreateContext, const void *, unsigned, const cl *, void *, void *, int *);
    LOAD(cl, clCreateCommandQueue, cl, cl, unsigned long, int *);
    LOAD(cl, clCreateProgramWithSource, cl, unsigned, const char **, const size_t *, int *);
    LOAD(int, clBuildProgram, cl, unsigned, const cl *, const char *, void *, void *);
    LOAD(int, clGetProgramBuildInfo, cl, cl, unsigned, size_t, void *, size_t *);
    LOAD(cl, clCreateKernel, cl, const char *, int *);
    LOAD(cl, clCreateBuffer, cl, unsigned long, size_t, void *, int *);
    LOAD(int, clSetKernelArg, cl, unsigned, size_t, const void *);
    LOAD(int, clEnqueueNDRangeKernel, cl, cl, unsigned, const size_t *, const size_t *, const size_t *, unsigned, void *, void *);
    LOAD(int, clEnqueueReadBuffer, cl, cl, unsigned, size_t, size_t, void *, unsigned, void *, void *);

    int status;
    cl platform, device;
    check("clGetPlatformIDs", clGetPlatformIDs(1, &platform, NULL));
    check("clGetDeviceIDs", clGetDeviceIDs(platform, (unsigned long)CL_DEVICE_TYPE_ALL & 0xffffffffUL, 1, &device, NULL));
    cl context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check("clCreateContext", status);
    cl queue = clCreateCommandQueue(context, device, 0, &status);
    check("clCreateCommandQueue", status);

    const char *text = contents(arguments[2]);
    cl program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    check("clCreateProgramWithSource", status);
    status = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (status != 0) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check("clBuildProgram", status);
    cl kernel = clCreateKernel(program, symbol, &status);
    check(symbol, status);

    float *x = malloc(length * sizeof *x), *y = malloc(length * sizeof *y), *out = calloc(results, sizeof *out);
    check("memory", x == NULL || y == NULL || out == NULL);
    for (size_t i = 0; i < length; i++) {
        x[i] = (float)(i % 7);
        y[i] = (float)(i % 5);
    }
    cl buffers[3];
    float *hosts[3] = {x, y, out};
    size_t bytes[3] = {length * sizeof *x, length * sizeof *y, results * sizeof *out};
    for (int i = 0; i < 3; i++) {
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes[i], hosts[i], &status);
        check("clCreateBuffer", status);
    }
    /* In the order of the manifest's `arguments`: each input with its length, then the output. */
    const void *values[5] = {&buffers[0], &args.n_x, &buffers[1], &args.n_y, &buffers[2]};
    size_t sizes[5] = {sizeof(cl), sizeof args.n_x, sizeof(cl), sizeof args.n_y, sizeof(cl)};
    for (unsigned i = 0; i < dot_arguments; i++) {
        check("clSetKernelArg", clSetKernelArg(kernel, i, sizes[i], values[i]));
    }
    size_t global = blocks * threads;
    check("launch", clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &threads, 0, NULL, NULL));
    check("read", clEnqueueReadBuffer(queue, buffers[2], 1, 0, bytes[2], out, 0, NULL, NULL));

    /* Small whole numbers: every order of adding gives the same. */
    for (size_t block = 0; block < results; block++) {
        float sum = 0;
        for (size_t i = 1024 * block; i < 1024 * (block + 1) && i < length; i++) {
            sum += x[i] * y[i];
        }
        if (out[block] != sum) {
            fprintf(stderr, "result %zu is %g, not %g\n", block, out[block], sum);
            return 1;
        }
    }
    printf("%zu results are right\n", results);
    return 0;
}
