/* SPDX-License-Identifier: Apache-2.0 */
/* The target description: name, number and type of the registers, in the order of registers.c. gdb
 * defines the feature org.gnu.gdb.riscv.cpu; the others are Samite's. */
#include "gdb/gdb.h"

#include <stdio.h>

static void put_register(struct sam_buffer *xml, const char *name, unsigned index, unsigned bytes,
                         const char *type, const char *group)
{
    sam_buffer_printf(xml, "<reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\" type=\"%s\"", name,
                      8 * bytes, index, type);
    if (group)
        sam_buffer_printf(xml, " group=\"%s\"", group);
    sam_buffer_puts(xml, "/>\n");
}

/* A vector as elements of one type. */
struct view {
    const char *field, *type;
    unsigned bytes;
};

static void put_union(struct sam_buffer *xml, const char *name, const struct view *views,
                      size_t count, unsigned bytes)
{
    for (size_t i = 0; i < count; i++)
        sam_buffer_printf(xml, "<vector id=\"%s_%s\" type=\"%s\" count=\"%u\"/>\n", name,
                          views[i].field, views[i].type, bytes / views[i].bytes);
    sam_buffer_printf(xml, "<union id=\"%s\">\n", name);
    for (size_t i = 0; i < count; i++)
        sam_buffer_printf(xml, "<field name=\"%s\" type=\"%s_%s\"/>\n", views[i].field, name,
                          views[i].field);
    sam_buffer_puts(xml, "</union>\n");
}

static void begin_feature(struct sam_buffer *xml, const char *name)
{
    sam_buffer_printf(xml, "<feature name=\"%s\">\n", name);
}

static void end_feature(struct sam_buffer *xml)
{
    sam_buffer_puts(xml, "</feature>\n");
}

static void put_scalars(struct sam_gdb *gdb, struct sam_buffer *xml)
{
    enum { RA = 1, SP = 2, GP = 3, TP = 4, FP = 8 };
    const unsigned bytes = gdb->shape.isa.xlen / 8;
    begin_feature(xml, "org.gnu.gdb.riscv.cpu");
    for (unsigned i = 0; i < gdb->layout.pc; i++)
        put_register(xml, i == FP ? "fp" : sam_register_x_name(i), i, bytes,
                     i == RA                                    ? "code_ptr"
                     : i == SP || i == GP || i == TP || i == FP ? "data_ptr"
                                                                : "int",
                     NULL);
    put_register(xml, "pc", gdb->layout.pc, bytes, "code_ptr", NULL);
    end_feature(xml);
}

static void put_simt(struct sam_gdb *gdb, struct sam_buffer *xml)
{
    static const struct view views[] = {
        {"u32", "uint32", 4}, {"i32", "int32", 4}, {"f32", "ieee_single", 4}};
    enum { SHOWN = 32 }; /* by `info registers vector`; those above need REGEXT */
    const struct sam_gdb_layout *l = &gdb->layout;
    const unsigned bytes = 4 * gdb->layout_lanes;
    char name[16];
    begin_feature(xml, "org.samite.simt");
    for (unsigned i = l->x_high; i < l->simt; i++)
        put_register(xml, sam_register_x_name(32 + i - l->x_high), i, gdb->shape.isa.xlen / 8,
                     "int", "general");
    put_register(xml, "mask", l->simt, 4, "uint32", "simt");
    put_register(xml, "depth", l->simt + 1, 4, "uint32", "simt");
    put_register(xml, "lane", l->simt + 2, 4, "uint32", "simt");
    put_union(xml, "lanes", views, SAM_COUNT(views), bytes);
    for (unsigned i = 0; i < gdb->shape.v_count; i++) {
        snprintf(name, sizeof name, "v%u", i);
        put_register(xml, name, l->v + i, bytes, "lanes", i < SHOWN ? "vector" : "extended");
    }
    end_feature(xml);
}

static void put_csrs(struct sam_gdb *gdb, struct sam_buffer *xml)
{
    const struct sam_gdb_layout *l = &gdb->layout;
    struct sam_csr_entry entry;
    begin_feature(xml, "org.samite.csr");
    for (unsigned i = 0; i < gdb->csr_count; i++) {
        sam_csr_entry_get(&gdb->shape.isa, gdb->csrs[i], &entry);
        put_register(xml, entry.name, l->csr + i, gdb->shape.isa.xlen / 8, "int", "csr");
    }
    end_feature(xml);
}

static void put_units(struct sam_gdb *gdb, struct sam_buffer *xml)
{
    static const struct view views[] = {{"u8", "uint8", 1},
                                        {"i8", "int8", 1},
                                        {"u16", "uint16", 2},
                                        {"u32", "uint32", 4},
                                        {"f32", "ieee_single", 4}};
    const struct sam_gdb_layout *l = &gdb->layout;
    char name[16];
    if (l->count == l->tl)
        return;
    begin_feature(xml, "org.samite.tensor");
    if (l->tl < l->m)
        put_union(xml, "tl_bytes", views, SAM_COUNT(views), sam_gdb_register_at(gdb, l->tl).bytes);
    if (l->m < l->count)
        put_union(xml, "m_bytes", views, SAM_COUNT(views), sam_gdb_register_at(gdb, l->m).bytes);
    for (unsigned i = l->tl; i < l->count; i++) {
        const bool is_tl = i < l->m;
        snprintf(name, sizeof name, "%s%u", is_tl ? "tl" : "m", i - (is_tl ? l->tl : l->m));
        put_register(xml, name, i, sam_gdb_register_at(gdb, i).bytes,
                     is_tl ? "tl_bytes" : "m_bytes", is_tl ? "tensor" : "matrix");
    }
    end_feature(xml);
}

/* Without an operating system gdb leaves single steps to us. For Linux, which it may be built to
 * assume, it would decode branches itself, and it does not know ours. */
void sam_gdb_target_document(struct sam_gdb *gdb, struct sam_buffer *xml)
{
    sam_buffer_printf(xml,
                      "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
                      "<target version=\"1.0\">\n<architecture>riscv:rv%u</architecture>\n"
                      "<osabi>none</osabi>\n",
                      gdb->shape.isa.xlen);
    put_scalars(gdb, xml);
    if (gdb->shape.v_count)
        put_simt(gdb, xml);
    put_csrs(gdb, xml);
    put_units(gdb, xml);
    sam_buffer_puts(xml, "</target>\n");
}
