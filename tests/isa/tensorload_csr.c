/* SPDX-License-Identifier: Apache-2.0 */
/* TensorLoad's CSRs under all their names, and the instruction sets that include them. */
#include "isa/isa_test.h"

static const char *const isas[] = {"tensor", "rv32im_zicsr_xtensorload", "rv64i_xtensorload"};

struct name {
    unsigned address;
    const char *names[8]; /* the first one is printed */
};

/* docs/tensorload-rulings.md 1 */
static const struct name names[] = {
    {0x880, {"tload_stride0", "tload_stride", "tmask_load_stride", "TL_LOAD_STRIDE_CSR"}},
    {0x8a0, {"tstore_stride0", "tstore_stride", "TL_STORE_STRIDE_CSR"}},
    {0x8c0, {"ttype"}},
    {0x8c1, {"tshape"}},
    {0x8c2, {"tmask_load", "tmask_ls", "TL_LOAD_MASK_CSR"}},
    {0x8c3, {"tmask_store", "TL_STORE_MASK_CSR"}},
    {0x8c4, {"tmask_concat_1", "TL_CONACT_MASK1_CSR", "TL_CONCAT_MASK1_CSR", "TL_MASK1_CSR"}},
    {0x8c5, {"tmask_concat_2", "TL_CONACT_MASK2_CSR", "TL_CONCAT_MASK2_CSR", "TL_MASK2_CSR"}},
    {0x8c6, {"tload_width", "tmask_load_width", "TL_LOAD_WIDTH_CSR"}},
    {0x8c7, {"tstore_width", "TL_STORE_WIDTH_CSR"}},
};

/* csrw NAME, a0 and back */
static void check_name(const char *isa, const char *name, unsigned address, const char *printed)
{
    struct sam_isa parsed = test_isa(isa);
    uint32_t word = address << 20 | 10 << 15 | 1 << 12 | 0x73;
    char text[96];
    snprintf(text, sizeof text, "csrw %s, a0", name);
    WORDS(isa, text, word);
    FREED char *wanted = formatted("csrw %s, a0", printed);
    sam_disassemble(&parsed, word, 0, 0, NULL, text, sizeof text);
    assert_string_equal(text, wanted);
    struct sam_csr_entry entry;
    assert_true(sam_csr_entry_find(&parsed, name, &entry));
    assert_int_equal(entry.address, address);
    assert_string_equal(entry.name, printed);
    assert_string_equal(entry.extensions, "xtensorload");
    if (strcmp(name, printed) != 0 && !strchr(name, '{'))
        assert_non_null(strstr(entry.aliases, name));
}

TEST(test_names)
{
    for (size_t k = 0; k < SAM_COUNT(isas); k++)
        for (size_t i = 0; i < SAM_COUNT(names); i++)
            for (const char *const *name = names[i].names; *name; name++)
                check_name(isas[k], *name, names[i].address, names[i].names[0]);
}

TEST(test_strides)
{
    static const struct {
        const char *name;
        unsigned base;
        const char *printed;
    } kinds[] = {
        {"tload_stride", 0x880, "tload_stride"},
        {"tmask_load_stride", 0x880, "tload_stride"},
        {"TL_LOAD_STRIDE_CSR", 0x880, "tload_stride"},
        {"tstore_stride", 0x8a0, "tstore_stride"},
        {"TL_STORE_STRIDE_CSR", 0x8a0, "tstore_stride"},
    };
    for (size_t k = 0; k < SAM_COUNT(kinds); k++)
        for (unsigned i = 0; i < 32; i++) {
            char name[48], printed[48];
            snprintf(printed, sizeof printed, "%s%u", kinds[k].printed, i);
            snprintf(name, sizeof name, "%s{%u}", kinds[k].name, i);
            check_name("tensor", name, kinds[k].base + i, printed);
            snprintf(name, sizeof name, "%s%u", kinds[k].name, i);
            if (i) /* the list of other names has register 0 by its bare name */
                check_name("tensor", name, kinds[k].base + i, printed);
            else
                test_same("tensor", "csrr a0, TL_LOAD_STRIDE_CSR0", "csrr a0, tload_stride");
        }
}

TEST(test_no_names)
{
    static const char *const wrong[] = {
        "tload_stride32", "tload_stride00", "tload_stride{32}", "tload_stride{}",
        "tload_stride{",  "tload_stride}",  "tload_stride_1",   "ttype0",
        "ttype{0}",       "tmask_ls0",      "tmask_load_widt",  "TL_CONCAT_MASK3_CSR",
    };
    struct sam_isa tensor = test_isa("tensor"), ventus = test_isa("ventus");
    for (size_t i = 0; i < SAM_COUNT(wrong); i++)
        assert_int_equal(sam_csr_address(&tensor, wrong[i], strlen(wrong[i])), -1);
    for (size_t i = 0; i < SAM_COUNT(names); i++)
        for (const char *const *name = names[i].names; *name; name++)
            assert_int_equal(sam_csr_address(&ventus, *name, strlen(*name)), -1);
    assert_null(sam_csr_name(&ventus, 0x8c0));
    assert_null(sam_csr_name(&tensor, 0x800));
    assert_null(sam_csr_name(&tensor, 0x8c8));
    /* a symbol between the name and the bracket is not an index */
    test_refused("tensor", "csrw ttype {0}, a0", "found '{'");
}

/* 72 registers, each listed once. */
TEST(test_listing)
{
    struct sam_isa tensor = test_isa("tensor");
    struct sam_csr_entry entry;
    bool seen[72] = {false};
    for (size_t i = 0; sam_csr_entry_get(&tensor, i, &entry); i++) {
        if (strcmp(entry.extensions, "xtensorload") != 0)
            continue;
        assert_in_range(entry.address, 0x880, 0x8c7);
        assert_false(seen[entry.address - 0x880]);
        seen[entry.address - 0x880] = true;
    }
    for (size_t i = 0; i < SAM_COUNT(seen); i++)
        assert_true(seen[i]);
}

TEST(test_isa_strings)
{
    static const char *const together[] = {
        "rv32im_xventus_xtensorload", "rv32i_xtensorload_xventus", "RV64I_XVENTUS_XTENSORLOAD"};
    struct sam_isa isa = test_isa("tensor");
    char text[96];
    assert_int_equal(isa.xlen, 64);
    assert_true(isa.extensions & SAM_EXT_XTENSORLOAD);
    isa = test_isa("rv32im_zicsr_xtensorload");
    assert_int_equal(isa.extensions, SAM_EXT_I | SAM_EXT_M | SAM_EXT_ZICSR | SAM_EXT_XTENSORLOAD);
    sam_isa_format(&isa, text, sizeof text);
    assert_string_equal(text, "rv32im_zicsr_xtensorload");
    isa = test_isa("rv64i_xtensorload"); /* its CSRs imply Zicsr */
    assert_true(isa.extensions & SAM_EXT_ZICSR);
    for (size_t i = 0; i < SAM_COUNT(together); i++) {
        must_fail(SAM_ERR_USAGE, "both use CUSTOM-2 (0x5b)", sam_isa_parse, together[i], &isa);
    }
}

/* A mnemonic that the manual gives to both loads and stores is the load's, with one warning. */
TEST(test_ruled_names)
{
    static const struct {
        const char *name, *warning; /* NULL: none */
    } rows[] = {
        {"tmask_ls", "warning: 'tmask_ls' is the load's mask alone: write tmask_load"},
        {"tmask_load_stride{3}", "'tmask_load_stride{3}' is the load's strides alone"},
        {"TMASK_LOAD_WIDTH", "'TMASK_LOAD_WIDTH' is the load's width alone"},
        {"tmask_load", NULL},
        {"TL_LOAD_WIDTH_CSR", NULL},
        {"tload_stride", NULL},
    };
    for (size_t i = 0; i < SAM_COUNT(rows); i++) {
        SCOPED_TEXT *messages = NULL;
        FREED char *text = formatted("csrw %s, a0\ncsrr a0, %s\n", rows[i].name, rows[i].name);
        SCOPED_IMAGE *image = test_assemble("tensor", text, &messages);
        assert_non_null(image);
        const char *found = strstr(messages, rows[i].warning ? rows[i].warning : "warning");
        assert_int_equal(found != NULL, rows[i].warning != NULL);
        if (found)
            assert_null(strstr(found + 8, "warning: "));
    }
}
