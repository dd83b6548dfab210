/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cc/host_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SAM_HAVE_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

struct host_device {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    char name[200];
};

struct host_device *host_open(const char **reason)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    cl_device_id device = NULL;
    cl_int error;
    *reason = "no OpenCL device of type CPU (pocl-opencl-icd)";
    if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS)
        return NULL;
    for (cl_uint i = 0; i < count && !device; i++)
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL);
    struct host_device *host = device ? calloc(1, sizeof *host) : NULL;
    if (!host)
        return NULL;
    host->device = device;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof host->name, host->name, NULL);
    host->context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    host->queue = host->context ? clCreateCommandQueue(host->context, device, 0, &error) : NULL;
    if (host->queue)
        return host;
    *reason = "the OpenCL device gives no queue";
    host_close(host);
    return NULL;
}

void host_close(struct host_device *device)
{
    if (device->queue)
        clReleaseCommandQueue(device->queue);
    if (device->context)
        clReleaseContext(device->context);
    free(device);
}

const char *host_name(const struct host_device *device)
{
    return device->name;
}

static cl_int launch(struct host_device *host, cl_kernel kernel, const uint32_t global_size[2],
                     const uint32_t local_size[2], const struct host_argument *arguments,
                     unsigned count, cl_mem *buffers)
{
    const size_t global[2] = {global_size[0], global_size[1]};
    const size_t local[2] = {local_size[0], local_size[1]};
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < count && error == CL_SUCCESS; i++) {
        const struct host_argument *a = &arguments[i];
        if (!a->words) {
            error = clSetKernelArg(kernel, i, sizeof a->scalar, &a->scalar);
            continue;
        }
        buffers[i] = clCreateBuffer(host->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                    a->count * 4, a->words, &error);
        if (error == CL_SUCCESS)
            error = clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]);
    }
    if (error == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(host->queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
    for (unsigned i = 0; i < count && error == CL_SUCCESS; i++)
        if (arguments[i].words)
            error = clEnqueueReadBuffer(host->queue, buffers[i], CL_TRUE, 0, arguments[i].count * 4,
                                        arguments[i].words, 0, NULL, NULL);
    return error;
}

struct host_program *host_build(struct host_device *host, const char *source, bool plain,
                                char message[2000])
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(host->context, 1, &source, NULL, &error);
    message[0] = 0;
    if (error == CL_SUCCESS)
        error =
            clBuildProgram(program, 1, &host->device,
                           plain ? "-cl-std=CL1.2 -cl-opt-disable" : "-cl-std=CL1.2", NULL, NULL);
    if (error == CL_SUCCESS)
        return (struct host_program *)program;
    if (error == CL_BUILD_PROGRAM_FAILURE)
        clGetProgramBuildInfo(program, host->device, CL_PROGRAM_BUILD_LOG, 2000, message, NULL);
    if (!message[0])
        snprintf(message, 2000, "OpenCL error %d", error);
    if (program)
        clReleaseProgram(program);
    return NULL;
}

void host_release(struct host_program *program)
{
    clReleaseProgram((cl_program)program);
}

bool host_run(struct host_device *host, struct host_program *program, const char *name,
              const uint32_t global_size[2], const uint32_t local_size[2],
              const struct host_argument *arguments, unsigned count, char message[2000])
{
    cl_mem buffers[16] = {0};
    cl_int error;
    cl_kernel kernel = clCreateKernel((cl_program)program, name, &error);
    if (error == CL_SUCCESS)
        error = launch(host, kernel, global_size, local_size, arguments, count, buffers);
    snprintf(message, 2000, "OpenCL error %d", error);
    for (int i = 0; i < 16; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    if (kernel)
        clReleaseKernel(kernel);
    return error == CL_SUCCESS;
}

#else

struct host_device *host_open(const char **reason)
{
    *reason = "built without OpenCL (ocl-icd-opencl-dev)";
    return NULL;
}
void host_close(struct host_device *device)
{
    (void)device;
}
const char *host_name(const struct host_device *device)
{
    (void)device;
    return "";
}
struct host_program *host_build(struct host_device *device, const char *source, bool plain,
                                char message[2000])
{
    (void)device, (void)source, (void)plain, (void)message;
    return NULL;
}
void host_release(struct host_program *program)
{
    (void)program;
}
bool host_run(struct host_device *device, struct host_program *program, const char *kernel,
              const uint32_t global_size[2], const uint32_t local_size[2],
              const struct host_argument *arguments, unsigned count, char message[2000])
{
    (void)device, (void)program, (void)kernel, (void)global_size, (void)local_size;
    (void)arguments, (void)count, (void)message;
    return false;
}
#endif
