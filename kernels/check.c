/* SPDX-License-Identifier: Apache-2.0 */
/* check: run the kernels of this folder and check their results. */
#include "check.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

static const char help[] =
    "Usage: check [NAME [SIZE]] [--warp N] [--block N] [-j N] [--dir DIR] [--opencl]\n"
    "             [--sanitize]\n"
    "\n"
    "Assemble a kernel, run it on inputs from a fixed seed and compare its results with plain C.\n"
    "Without NAME: all kernels, each at its default size.\n"
    "\n"
    "      --warp N    lanes per warp: 4, 8, 16 or 32 (default 32)\n"
    "      --block N   work-items per workgroup (default: the kernel's own); tiled kernels\n"
    "                  use the largest square up to it\n"
    "  -j, --jobs N    worker threads (default 1)\n"
    "      --dir DIR   where the .s files are\n"
    "      --opencl    the kernels in OpenCL C, DIR/opencl/NAME.cl, where there is one\n"
    "      --sanitize  check for races, uses of uninitialised data, undeclared accesses,\n"
    "                  misuse of barriers and joins; one worker thread\n"
    "      --list      list the kernels, their default sizes and what a size counts\n"
    "  -h, --help\n"
    "\n"
    "Exit code: 0 success, 1 wrong result, trap or finding, 2 bad usage or input.\n"
    "Example: check sgemm 300 --warp 16 --block 256 -j 2\n";

static bool parse_number(const char *text, const char *what, uint32_t low, uint32_t high,
                         uint32_t *value)
{
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || number < low || number > high) {
        fprintf(stderr,
                "check: error: %s '%s': expected a number from %" PRIu32 " to %" PRIu32 "\n", what,
                text, low, high);
        return false;
    }
    *value = (uint32_t)number;
    return true;
}

static void print_list(void)
{
    for (size_t i = 0; i < kernel_check_count; i++)
        printf("%-10s %8" PRIu32 " %s (up to %" PRIu32 ")\n", kernel_checks[i].name,
               kernel_checks[i].default_size, kernel_checks[i].size_unit,
               kernel_checks[i].max_size);
}

static void print_dimensions(uint32_t x, uint32_t y)
{
    char text[32];
    if (x == 0) /* there was no launch */
        snprintf(text, sizeof text, "-");
    else if (y == 1)
        snprintf(text, sizeof text, "%" PRIu32, x);
    else
        snprintf(text, sizeof text, "%" PRIu32 "x%" PRIu32, x, y);
    printf(" %9s", text);
}

struct findings {
    struct sam_sanitizer *sanitizer;
    char *text; /* NULL: none */
};

static void print_findings(void *context, const struct sam_image *image)
{
    struct findings *findings = context;
    const struct sam_sanitizer_print options = {.size = sizeof options, .image = image};
    struct sam_error error;
    if (sam_sanitizer_print(findings->sanitizer, &options, &findings->text, &error) != SAM_OK)
        fprintf(stderr, "check: error: %s\n", error.text);
}

static int check_one(const struct kernel_check *kernel, const struct check_config *config);

/* Run a check with a sanitizer, and print its findings after the line. */
static int sanitize_one(const struct kernel_check *kernel, struct check_config config)
{
    struct findings findings = {.sanitizer = sam_sanitizer_new(SAM_SANITIZE_ALL)};
    if (!findings.sanitizer) {
        fprintf(stderr, "check: error: out of memory\n");
        return 2;
    }
    config.sanitizer = findings.sanitizer;
    config.look = print_findings;
    config.context = &findings;
    const int code = check_one(kernel, &config);
    const bool found = findings.text && findings.text[0];
    if (found)
        fputs(findings.text, stderr);
    sam_text_free(findings.text);
    sam_sanitizer_free(findings.sanitizer);
    return code ? code : found;
}

/* Print one line. Returns the exit code of this check. */
static int check_one(const struct kernel_check *kernel, const struct check_config *config)
{
    struct check_report report;
    struct sam_error error;
    enum sam_status status = kernel_check_run(kernel, config, &report, &error);
    printf("%-10s %9" PRIu32, kernel->name, report.size);
    print_dimensions(report.grid[0], report.grid[1]);
    print_dimensions(report.block[0], report.block[1]);
    printf(" %5" PRIu32 " %12" PRIu64 " %9.6f", config->lanes, report.warp_insns, report.seconds);
    if (report.max_allowed > 0)
        printf(" %5.2f of %3.0f ulp", report.max_error, report.max_allowed);
    else
        printf(" %16s", report.pass ? "0" : "-");
    printf("  %s\n", report.pass ? "PASS" : "FAIL");
    fflush(stdout);
    if (status) {
        fprintf(stderr, "check: error: %s: %s\n", kernel->name, error.text);
        return status == SAM_ERR_TRAP ? 1 : 2;
    }
    if (!report.pass)
        fprintf(stderr, "check: error: %s: %s\n", kernel->name, report.failure);
    return report.pass ? 0 : 1;
}

static int command(int argc, char **argv)
{
    enum { WARP = 256, BLOCK, DIR, LIST, OPENCL, SANITIZE };
    static const struct option options[] = {
        {"warp", required_argument, NULL, WARP},
        {"block", required_argument, NULL, BLOCK},
        {"jobs", required_argument, NULL, 'j'},
        {"dir", required_argument, NULL, DIR},
        {"list", no_argument, NULL, LIST},
        {"sanitize", no_argument, NULL, SANITIZE},
        {"opencl", no_argument, NULL, OPENCL},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct check_config config = {.lanes = 32, .jobs = 1, .dir = KERNEL_DIR};
    uint32_t jobs = 1;
    bool sanitize = false;
    for (int option; (option = getopt_long(argc, argv, "j:h", options, NULL)) != -1;) {
        bool ok = true;
        switch (option) {
        case WARP:
            ok = parse_number(optarg, "--warp", 4, 32, &config.lanes);
            if (ok && (config.lanes & (config.lanes - 1))) {
                fprintf(stderr, "check: error: --warp '%s': expected 4, 8, 16 or 32\n", optarg);
                ok = false;
            }
            break;
        case BLOCK: ok = parse_number(optarg, "--block", 1, 4096, &config.block); break;
        case 'j': ok = parse_number(optarg, "-j", 1, 1024, &jobs); break;
        case DIR: config.dir = optarg; break;
        case SANITIZE: sanitize = true; break;
        case OPENCL: config.opencl = true; break;
        case LIST: print_list(); return 0;
        case 'h': fputs(help, stdout); return 0;
        default: ok = false;
        }
        if (!ok)
            return 2;
    }
    config.jobs = jobs;
    if (argc - optind > 2) {
        fprintf(stderr, "check: error: unexpected '%s' (check --help)\n", argv[optind + 2]);
        return 2;
    }
    const struct kernel_check *only = NULL;
    if (optind < argc) {
        only = kernel_check_find(argv[optind]);
        if (!only) {
            fprintf(stderr, "check: error: unknown kernel '%s' (see check --list)\n", argv[optind]);
            return 2;
        }
        if (optind + 1 < argc &&
            !parse_number(argv[optind + 1], "SIZE", 1, only->max_size, &config.size))
            return 2;
    }
    printf("%-10s %9s %9s %9s %5s %12s %9s %16s\n", "kernel", "size", "grid", "block", "warp",
           "warp insns", "seconds", "max error");
    int code = 0;
    for (size_t i = 0; i < kernel_check_count; i++) {
        if (only ? only != &kernel_checks[i] : config.opencl && !kernel_checks[i].opencl)
            continue;
        const int one = sanitize ? sanitize_one(&kernel_checks[i], config)
                                 : check_one(&kernel_checks[i], &config);
        code = one > code ? one : code;
    }
    return code;
}

int main(int argc, char **argv)
{
    return kernel_finish("check", command(argc, argv));
}
