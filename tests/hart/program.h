/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor hart with an assembled program, for the tests of hart/ and tensor/. On an error every
 * helper fails the test with its text. */
#ifndef TEST_HART_PROGRAM_H
#define TEST_HART_PROGRAM_H

#include "test.h"

#include "samite/samite.h"

#define RV32 "rv32im_zicsr_zfinx_xtensorload"
#define RV64 "rv64im_zicsr_zfinx_xtensorload"

/* Memory of every program besides its own sections: DATA_SIZE bytes. */
#define DATA_BASE UINT64_C(0x10000)
#define DATA_SIZE UINT64_C(0x4000)

struct program {
    struct sam_hart *hart;
    struct sam_image *image;
    struct sam_hart_result result;
    struct sam_error error;
};

/* options->isa is overwritten; NULL: all zero. */
struct program program_new(const char *isa, const struct sam_hart_options *options,
                           const char *text);
/* The same at the addresses of a system. */
struct sam_hart_home;
struct program program_new_in(const struct sam_hart_home *home, const char *isa,
                              const struct sam_hart_options *options, const char *text);
void program_free(struct program *p);
enum sam_status program_run(struct program *p);
/* Run; it must end with this reason. */
void program_expect(struct program *p, enum sam_hart_end end);
/* Run; it must end with this trap. */
void program_expect_trap(struct program *p, unsigned cause, uint64_t tval);
/* Bytes of DATA. */
void program_write(struct program *p, uint64_t address, const void *data, size_t size);
void program_read(struct program *p, uint64_t address, void *data, size_t size);
/* Assemble and run text up to its ebreak; returns a0. */
uint64_t program_a0(const char *isa, const char *text);

#endif
