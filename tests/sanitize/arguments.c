/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of sanitize.h. */
#include "test.h"

#include "samite/sanitize.h"

TEST(arguments)
{
    struct sam_sanitizer *sanitizer = sam_sanitizer_new(SAM_SANITIZE_RACE);
    const struct sam_sanitizer_buffer buffer = {.base = 0x90000000, .size = 4, .name = "b"};
    const struct sam_sanitizer_buffer unnamed = {.base = 0x90000000, .size = 4};
    const struct sam_sanitizer_print sized = {.size = 3};
    size_t count = 1;
    char *text = (char *)1;
    assert_non_null(sanitizer);
    assert_null(sam_sanitizer_new(0));
    assert_null(sam_sanitizer_new(16));
    assert_int_equal(sam_sanitizer_checks(sanitizer), SAM_SANITIZE_RACE);
    refuses(sam_sanitizer_add_buffer, NULL, &buffer);
    refuses(sam_sanitizer_add_buffer, sanitizer, NULL);
    refuses(sam_sanitizer_add_buffer, sanitizer, &unnamed);
    refuses(sam_sanitizer_check_memory, NULL, 0x90000000, 4);
    refuses(sam_sanitizer_print, NULL, NULL, &text);
    assert_null(text);
    refuses(sam_sanitizer_print, sanitizer, NULL, NULL);
    refuses(sam_sanitizer_print, sanitizer, &sized, &text);
    sam_sanitizer_declare_registers(sanitizer, 0, UINT32_MAX); /* any number is valid */
    sam_sanitizer_findings(sanitizer, &count);
    assert_int_equal(count, 0);
    sam_sanitizer_forget(sanitizer);
    assert_null(sam_sanitizer_check_name(1u << 30));
    assert_non_null(sam_finding_kind_name((enum sam_finding_kind)1000));
    char place[16] = "x";
    sam_sanitizer_place(sanitizer, &(struct sam_finding){0}, place, sizeof place);
    assert_true(strlen(place) < sizeof place);
    sam_sanitizer_free(sanitizer);
    sam_sanitizer_free(NULL);
}
