/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of a gpu that come and go between launches. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Stores the word at DATA + 4 to the address at DATA. */
static const char store_there[] = "        li      t0, 0x90000000\n"
                                  "        lw      t1, 0(t0)\n"
                                  "        lw      t2, 4(t0)\n"
                                  "        sw      t2, 0(t1)\n"
                                  "        endprg\n";

static struct program storing(uint32_t address, uint32_t word)
{
    struct program p = program_new(store_there, 8);
    program_set(&p, DATA, address);
    program_set(&p, DATA + 4, word);
    return p;
}

static void removed_buffers_fault(void **state)
{
    (void)state;
    struct program p = storing(0, 42);
    uint32_t first, again;
    assert_int_equal(sam_gpu_alloc(p.gpu, 0x5000, &first, &p.error), SAM_OK);
    program_set(&p, DATA, first + 0x1000);
    program_pass(&p);
    assert_int_equal(program_word(&p, first + 0x1000), 42);
    assert_int_equal(sam_gpu_unmap(p.gpu, first, &p.error), SAM_OK);
    program_trap(&p, SAM_TRAP_STORE_FAULT);
    assert_int_equal(p.result.trap.tval, first + 0x1000);
    uint32_t word;
    assert_int_equal(sam_gpu_read(p.gpu, first + 0x1000, &word, 4, &p.error), SAM_ERR_USAGE);
    /* the addresses serve again, as zeros */
    assert_int_equal(sam_gpu_alloc(p.gpu, 0x5000, &again, &p.error), SAM_OK);
    assert_int_equal(again, first);
    assert_int_equal(program_word(&p, again + 0x1000), 0);
    program_pass(&p);
    assert_int_equal(program_word(&p, again + 0x1000), 42);
    program_free(&p);
}

static void wrong_addresses(void **state)
{
    (void)state;
    struct program p = storing(DATA, 1);
    assert_int_equal(sam_gpu_unmap(p.gpu, DATA + 4, &p.error), SAM_ERR_USAGE);
    assert_string_equal(p.error.text, "no buffer begins at 0x90000004");
    assert_int_equal(sam_gpu_unmap(p.gpu, 0, &p.error), SAM_ERR_USAGE);
    assert_int_equal(sam_gpu_unmap(p.gpu, DATA, NULL), SAM_OK);
    assert_int_equal(sam_gpu_unmap(p.gpu, DATA, &p.error), SAM_ERR_USAGE);
    program_free(&p);
}

/* A program whose code is removed cannot be fetched. */
static void removed_code(void **state)
{
    (void)state;
    struct program p = storing(DATA + 8, 7);
    program_pass(&p);
    assert_int_equal(program_word(&p, DATA + 8), 7);
    assert_int_equal(sam_gpu_unmap(p.gpu, SAM_CODE_BASE, &p.error), SAM_OK);
    program_trap(&p, SAM_TRAP_FETCH);
    assert_int_equal(p.result.trap.pc, SAM_CODE_BASE);
    assert_int_equal(sam_gpu_load(p.gpu, p.image, &p.error), SAM_OK);
    program_pass(&p);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(removed_buffers_fault),
        cmocka_unit_test(wrong_addresses),
        cmocka_unit_test(removed_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
