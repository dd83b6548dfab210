/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/engines_gen.h"

#include "hart/program.h"

static const char *const engines[] = {"load", "comp", "store", "reshape"};

static unsigned below(struct egen *g, unsigned bound)
{
    return (unsigned)test_below(&g->random, bound);
}

struct eref_insn *egen_add(struct egen *g)
{
    void *grown = sam_grow(g->insns, g->count, &g->capacity, sizeof *g->insns);
    assert_non_null(grown);
    g->insns = grown;
    struct eref_insn *insn = &g->insns[g->count++];
    memset(insn, 0, sizeof *insn);
    return insn;
}

static struct eref_insn *add_tensor(struct egen *g, unsigned engine)
{
    struct eref_insn *insn = egen_add(g);
    insn->tensor = true;
    insn->engine = engine;
    return insn;
}

/* `at` counts from the start of all regions. */
static void touch(struct eref_insn *insn, uint64_t at, unsigned size)
{
    for (uint64_t i = at; size--; i++)
        insn->touched[i / 64] |= UINT64_C(1) << i % 64;
}

/* The address of such a byte. */
static uint64_t address_of(const struct egen *g, uint64_t at)
{
    return g->place_count ? g->places[at / EGEN_PLACE] + at % EGEN_PLACE : DATA_BASE + at;
}

/* The first byte of the next access: far enough from both ends of its region for every stride
 * and immediate. */
static uint64_t some_place(struct egen *g)
{
    return (g->place_count ? EGEN_PLACE * below(g, g->place_count) : 0) + 0x800;
}

void egen_constant(struct egen *g, const char *name, uint32_t value)
{
    uint32_t high = (value + 0x800) >> 12 & 0xfffff;
    sam_buffer_printf(&g->text, "lui %s, 0x%x\naddi%s %s, %s, %d\n", name, high,
                      g->xlen == 64 ? "w" : "", name, name, sam_sext32(value & 0xfff, 12));
    egen_add(g);
    egen_add(g);
}

static void put_csr(struct egen *g, const char *name, uint32_t value)
{
    egen_constant(g, "t0", value);
    sam_buffer_printf(&g->text, "csrw %s, t0\n", name);
    egen_add(g);
}

static void set_shape(struct egen *g)
{
    static const uint8_t slices[] = {1, 2, 4, 8, 16, 32};
    g->element = 1u << below(g, 2);
    g->slices = slices[below(g, SAM_COUNT(slices))];
    g->width = 1 + below(g, 16);
    put_csr(g, "ttype", g->element == 1 ? 2 : 4);
    put_csr(g, "tshape", g->slices << 16 | 1 << 8 | g->width);
}

static void set_stride(struct egen *g)
{
    unsigned store = below(g, 2), slice = below(g, 32);
    int stride = below(g, 4) ? (int)slice + (int)below(g, 3) - 1 : (int)below(g, 60);
    g->strides[store][slice] = stride;
    FREED char *name = formatted("%s%u", store ? "tstore_stride" : "tload_stride", slice);
    put_csr(g, name, (uint32_t)stride);
}

static void set_mask(struct egen *g)
{
    unsigned store = below(g, 2);
    g->masks[store] = below(g, 4) ? (uint32_t)test_random(&g->random) : 0;
    put_csr(g, store ? "tmask_store" : "tmask_load", g->masks[store]);
}

static void access_block(struct egen *g)
{
    const unsigned store = below(g, 2), masked = below(g, 3) == 0, tl = below(g, 5);
    const unsigned engine = below(g, 3) ? (store ? SAM_ENGINE_STORE : SAM_ENGINE_LOAD)
                            : store     ? (below(g, 2) ? SAM_ENGINE_LOAD : SAM_ENGINE_RESHAPE)
                                        : below(g, 4);
    const unsigned width = g->width * g->element;
    const int imm = (int)below(g, 9) - 4;
    const uint64_t base = some_place(g) + 0x200 * below(g, 4) + 2 * below(g, 8);
    egen_constant(g, "a0", (uint32_t)address_of(g, base));
    sam_buffer_printf(&g->text, "tl.%s%s@%s tl%u, %d(a0)\n", masked ? "m" : "",
                      store ? "store" : "load", engines[engine], tl, imm);
    struct eref_insn *insn = add_tensor(g, engine);
    insn->load = !store;
    insn->store = store;
    (store ? insn->reads : insn->writes)[tl] = true;
    bool follows = false;
    for (unsigned i = 0; i < g->slices; i++) {
        bool enabled = !masked || (g->masks[store] >> i & 1);
        if (enabled) {
            insn->bytes += width;
            insn->slices += !follows || g->strides[store][i] != g->strides[store][i - 1] + 1;
            touch(insn, base + (uint64_t)((g->strides[store][i] + imm) * (int)width), width);
        }
        follows = enabled;
    }
}

static void add_immediate(struct egen *g)
{
    unsigned to = below(g, 5), from = below(g, 5), engine = below(g, 2) ? 1 : below(g, 4);
    sam_buffer_printf(&g->text, "tl.addi@%s tl%u, tl%u, 3\n", engines[engine], to, from);
    struct eref_insn *insn = add_tensor(g, engine);
    insn->reads[from] = insn->writes[to] = true;
    insn->bytes = 1024;
}

static void combine(struct egen *g)
{
    unsigned to = below(g, 5), a = below(g, 5), b = below(g, 5);
    unsigned engine = below(g, 2) ? 3 : below(g, 4);
    sam_buffer_printf(&g->text, "tl.%s.%u@%s tl%u, tl%u, tl%u\n", below(g, 2) ? "concat" : "merge",
                      below(g, 3), engines[engine], to, a, b);
    struct eref_insn *insn = add_tensor(g, engine);
    insn->reads[a] = insn->reads[b] = insn->writes[to] = true;
    insn->bytes = g->slices * g->width * g->element;
}

/* The width variants have EngineID 01. */
static void exchange(struct egen *g)
{
    unsigned a = below(g, 5), b = (a + 1 + below(g, 4)) % 5, engine = below(g, 2) ? 3 : below(g, 4);
    bool variant = below(g, 3) == 0;
    egen_constant(g, "a2", g->element == 1 && !variant ? 0x01202002 : 0x01201002);
    sam_buffer_printf(&g->text, "tl.xpose.%s12%s%s tl%u, tl%u, a2\n", variant ? "h." : "",
                      variant ? "" : "@", variant ? "" : engines[engine], a, b);
    struct eref_insn *insn = add_tensor(g, variant ? SAM_ENGINE_COMP : engine);
    insn->reads[a] = insn->reads[b] = insn->writes[a] = insn->writes[b] = true;
    insn->bytes = 2048;
}

/* The address register may also be the destination. */
static void access_scalar(struct egen *g)
{
    static const char *const loads[] = {"lb", "lhu", "lw", "ld"};
    static const char *const stores[] = {"sb", "sh", "sw", "sd"};
    const unsigned log = below(g, g->xlen == 64 ? 4 : 3), size = 1u << log, kind = below(g, 5);
    const int offset = kind < 4 ? (int)(size * below(g, 8)) - 16 : 0;
    const uint64_t base = some_place(g) + 8 * below(g, 0x100);
    egen_constant(g, "a1", (uint32_t)address_of(g, base));
    if (kind == 4)
        sam_buffer_printf(&g->text, "amoadd.w a1, zero, (a1)\n");
    else if (kind >= 2)
        sam_buffer_printf(&g->text, "%s t0, %d(a1)\n", stores[log], offset);
    else
        sam_buffer_printf(&g->text, "%s a1, %d(a1)\n", loads[log], offset);
    struct eref_insn *insn = egen_add(g);
    insn->load = kind < 2 || kind == 4;
    insn->store = kind >= 2;
    touch(insn, base + (uint64_t)offset, kind == 4 ? 4 : size);
}

static void idle(struct egen *g)
{
    for (unsigned i = below(g, 8); i; i--) {
        sam_buffer_printf(&g->text, "nop\n");
        egen_add(g);
    }
}

void egen_program(struct egen *g, unsigned actions)
{
    for (int i = 0; i < 64; i++)
        g->strides[i / 32][i % 32] = i % 32;
    set_shape(g);
    put_csr(g, "tmask_load", g->masks[0] = 0xf0f0f0f5);
    put_csr(g, "tmask_store", g->masks[1] = 0x3333cccd);
    put_csr(g, "tmask_concat_1", 1);
    put_csr(g, "tmask_concat_2", 2);
    while (actions--) {
        unsigned kind = below(g, 40);
        if (g->others && below(g, g->others) == 0)
            g->other(g);
        else if (kind < 1)
            set_shape(g);
        else if (kind < 4)
            set_stride(g);
        else if (kind < 6)
            set_mask(g);
        else if (kind < 9)
            idle(g);
        else if (kind < 13)
            access_scalar(g);
        else if (kind < 17)
            exchange(g);
        else if (kind < 21)
            combine(g);
        else if (kind < 26)
            add_immediate(g);
        else
            access_block(g);
    }
    sam_buffer_printf(&g->text, "ebreak\n");
    assert_false(g->text.failed);
}

void egen_free(struct egen *g)
{
    free(g->insns);
    sam_buffer_free(&g->text);
}

void egen_config(uint64_t *random, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; sam_engines_parameter(i); i++) {
        const struct sam_parameter *p = sam_engines_parameter(i);
        uint32_t value = (uint32_t)(p->low + test_below(random, test_below(random, 2) ? 4 : 40));
        if (strstr(p->name, "_bytes"))
            value = 1u << (3 + test_below(random, 6));
        if (test_below(random, 3) == 0 || value > p->high)
            continue;
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s=%u", used ? "," : "", p->name, value);
    }
}
