/* SPDX-License-Identifier: Apache-2.0 */
/* Text of findings. */
#include "sanitize/sanitize.h"

enum { TOP = 20 };

static const struct sam_sanitizer_buffer *buffer_at(const struct sam_sanitizer *s, uint32_t address)
{
    for (size_t i = s->buffer_count; i-- > 0;)
        if (address - s->buffers[i].base < s->buffers[i].size)
            return &s->buffers[i];
    return NULL;
}

void sam_sanitizer_place(const struct sam_sanitizer *s, const struct sam_finding *f, char *text,
                         size_t size)
{
    const uint32_t local = f->address - SAM_LDS_BASE;
    if (f->kind == SAM_FINDING_BOUNDS_PRIVATE) {
        sam_format(text, size, "private memory+0x%x", f->address);
        return;
    }
    const struct sam_sanitizer_buffer *buffer = buffer_at(s, f->address);
    if (!f->has_address)
        sam_format(text, size, "%s", "");
    else if (local < SAM_LDS_SIZE)
        sam_format(text, size, "local memory+0x%x", local);
    else if (buffer)
        sam_format(text, size, "buffer %s+0x%x", buffer->name, f->address - buffer->base);
    else
        sam_format(text, size, "global memory");
}

void sam_sanitize_object_name(const struct sam_sanitizer *s,
                              const struct sam_sanitize_object *object, char *text, size_t size)
{
    const struct sam_sanitizer_buffer *buffer = object->size ? buffer_at(s, object->base) : NULL;
    if (buffer)
        sam_format(text, size, "buffer %s", buffer->name);
    else
        sam_format(text, size, "%s", object->name);
}

static void put_side(struct sam_buffer *out, const struct sam_finding_side *side, const char *lead,
                     const struct sam_isa *isa, const struct sam_image *image)
{
    char text[128];
    uint32_t line = 0;
    sam_buffer_printf(out, "  %s workgroup %u, warp %u", lead, side->workgroup, side->warp);
    if (side->lane != UINT32_MAX)
        sam_buffer_printf(out, ", lane %u%s", side->lane,
                          side->surplus ? " (without a work-item)" : "");
    sam_buffer_printf(out, ": pc 0x%08x", side->pc);
    if (image && sam_image_symbol_at(image, side->pc)) {
        sam_image_describe(image, side->pc, text, sizeof text);
        sam_buffer_puts(out, " <");
        sam_buffer_plain(out, text, strlen(text), ' ');
        sam_buffer_puts(out, ">");
    }
    if (side->word) {
        sam_disassemble(isa, side->word, side->pc, side->prefix, image, text, sizeof text);
        sam_buffer_puts(out, " ");
        sam_buffer_plain(out, text, strlen(text), ' ');
    }
    const char *file = image ? sam_image_line_at(image, side->pc, &line) : NULL;
    if (file) {
        sam_buffer_puts(out, " (");
        sam_buffer_plain(out, file, strlen(file), ' ');
        sam_buffer_printf(out, ":%u)", line);
    }
    sam_buffer_puts(out, "\n");
}

static const char *lead_of(const struct sam_finding *f, unsigned side)
{
    static const char *const accesses[] = {"", "load by", "store by", "atomic by"};
    static const char *const of_kinds[SAM_FINDING_KINDS][2] = {
        [SAM_FINDING_BARRIER_SKIPPED] = {"waits:", "ended:"},
        [SAM_FINDING_BARRIER_MASKED] = {"at", "diverged at"},
        [SAM_FINDING_RPC_UNUSED] = {"set at", "dropped at"},
        [SAM_FINDING_JOIN_MISSING] = {"diverged at", "expected at"},
        [SAM_FINDING_JOIN_UNREACHED] = {"diverged at", "ended at"},
    };
    const enum sam_finding_access access = f->sides[side].access;
    if (of_kinds[f->kind][side])
        return of_kinds[f->kind][side];
    return access != SAM_FINDING_NO_ACCESS ? accesses[access] : side ? "and" : "at";
}

static void put_register(struct sam_buffer *out, const struct sam_finding_register *reg)
{
    if (reg->file == 'x')
        sam_buffer_puts(out, sam_register_x_name(reg->number));
    else
        sam_buffer_printf(out, "v%u", reg->number);
}

/* The origin of undefined bits. */
static void put_origin(struct sam_buffer *out, const struct sam_finding *f)
{
    if (f->check != SAM_SANITIZE_INIT)
        return;
    sam_buffer_puts(out, "  ");
    if (!f->used.file) {
        sam_buffer_puts(out, "this memory was never written\n");
        return;
    }
    put_register(out, &f->used);
    if (f->unwritten.file == f->used.file && f->unwritten.number == f->used.number) {
        sam_buffer_puts(out, " was never written");
    } else if (f->unwritten.file) {
        sam_buffer_puts(out, " derives from ");
        put_register(out, &f->unwritten);
        sam_buffer_puts(out, ", which was never written");
    } else if (f->has_address) {
        sam_buffer_puts(out, " derives from this memory, which was never written");
    } else {
        sam_buffer_puts(out, " was never written in full");
    }
    if (f->lanes)
        sam_buffer_printf(out, ", in lanes 0x%08x", f->lanes);
    sam_buffer_puts(out, "\n");
}

static void put_distance(struct sam_buffer *out, uint64_t bytes, const char *where)
{
    if (bytes)
        sam_buffer_printf(out, "%llu byte%s %s", (unsigned long long)bytes, bytes == 1 ? "" : "s",
                          where);
    else
        sam_buffer_printf(out, "just %s", where);
}

static void put_near(struct sam_buffer *out, const struct sam_finding *f)
{
    const struct sam_finding_object *near = &f->near;
    const uint64_t end = near->base + near->size;
    if (!near->size)
        return;
    sam_buffer_puts(out, "  ");
    if (f->kind == SAM_FINDING_BOUNDS_REGISTER) {
        put_register(out, &f->used);
        sam_buffer_printf(out, " is not among the %llu %s that the launch declares\n",
                          (unsigned long long)near->size, near->name);
        return;
    }
    if (f->address >= end)
        put_distance(out, f->address - end, "past the end of ");
    else if (f->address + (uint64_t)f->size <= near->base)
        put_distance(out, near->base - f->address - f->size, "before ");
    else
        sam_buffer_puts(out, "across an end of ");
    sam_buffer_plain(out, near->name, strlen(near->name), ' ');
    sam_buffer_printf(out, ", 0x%08x to 0x%08llx\n", near->base, (unsigned long long)end - 1);
}

static void put_finding(struct sam_buffer *out, const struct sam_sanitizer *s,
                        const struct sam_finding *f, const struct sam_isa *isa,
                        const struct sam_image *image)
{
    char place[160];
    sam_buffer_printf(out, "%s: %s", sam_sanitizer_check_name(f->check),
                      sam_finding_kind_name(f->kind));
    if (f->has_address) {
        sam_sanitizer_place(s, f, place, sizeof place);
        sam_buffer_printf(out, ": %u byte%s at 0x%08x, ", f->size, f->size == 1 ? "" : "s",
                          f->address);
        sam_buffer_plain(out, place, strlen(place), ' ');
    }
    if (f->count > 1)
        sam_buffer_printf(out, " (%llu times)", (unsigned long long)f->count);
    sam_buffer_puts(out, "\n");
    for (unsigned i = 0; i < 2; i++)
        if (f->sides[i].known)
            put_side(out, &f->sides[i], lead_of(f, i), isa, image);
    put_origin(out, f);
    put_near(out, f);
}

static void put_findings(struct sam_buffer *out, struct sam_sanitizer *s, const struct sam_isa *isa,
                         const struct sam_image *image, unsigned top)
{
    size_t count;
    const struct sam_finding *findings = sam_sanitizer_findings(s, &count);
    for (unsigned bit = 0; bit < 4; bit++) {
        uint64_t shown = 0, more = s->dropped[bit];
        for (size_t i = 0; i < count; i++) {
            if (findings[i].check != 1u << bit)
                continue;
            if (shown++ < top)
                put_finding(out, s, &findings[i], isa, image);
            else
                more++;
        }
        if (more)
            sam_buffer_printf(out, "%s: %llu more finding%s\n", sam_sanitizer_check_name(1u << bit),
                              (unsigned long long)more, more == 1 ? "" : "s");
    }
}

enum sam_status sam_sanitizer_print(struct sam_sanitizer *s,
                                    const struct sam_sanitizer_print *given, char **text,
                                    struct sam_error *error)
{
    struct sam_sanitizer_print options;
    struct sam_buffer out = {0};
    struct sam_isa isa;
    if (text)
        *text = NULL;
    if (SAM_LACKS(error, s, text))
        return SAM_ERR_USAGE;
    enum sam_status status =
        sam_options_take(&options, sizeof options, sizeof options, given, error);
    if (status == SAM_OK && !options.isa)
        status = sam_isa_parse("ventus", &isa, error);
    if (status != SAM_OK)
        return status;
    put_findings(&out, s, options.isa ? options.isa : &isa, options.image,
                 options.top ? options.top : TOP);
    sam_buffer_append(&out, "", 1);
    if (out.failed) {
        sam_buffer_free(&out);
        return sam_fail_memory(error);
    }
    *text = (char *)out.data;
    return SAM_OK;
}
