/* SPDX-License-Identifier: Apache-2.0 */
/* The public interface of a hart: options, memory, programs, registers. */
#include <stdlib.h>

#include "energy/energy.h"
#include "hart/core.h"
#include "machine/jit.h"

#define DEFAULT_ISA "rv64im_zicsr_zfinx_xtensorload"

static enum sam_status check_isa(const struct sam_isa *isa, struct sam_error *error)
{
    static const struct {
        unsigned extension;
        bool wanted;
        const char *name;
    } rules[] = {
        {SAM_EXT_I, true, "I"},
        {SAM_EXT_M, true, "M"},
        {SAM_EXT_XVENTUS, false, "Xventus"},
        {SAM_EXT_ZVE32F, false, "Zve32f"},
    };
    char text[128];
    sam_isa_format(isa, text, sizeof text);
    if (isa->xlen != 32 && isa->xlen != 64)
        return sam_fail(error, SAM_ERR_USAGE, "a tensor hart of %u bits: expected 32 or 64",
                        isa->xlen);
    for (size_t i = 0; i < SAM_COUNT(rules); i++)
        if (((isa->extensions & rules[i].extension) != 0) != rules[i].wanted)
            return sam_fail(error, SAM_ERR_USAGE, "%s: the tensor hart %s %s", text,
                            rules[i].wanted ? "needs" : "has no", rules[i].name);
    return SAM_OK;
}

/* ------------------------------------------------------------------------------ life cycle */

static enum sam_status add_tensor(struct sam_hart *hart, struct sam_error *error)
{
    const struct sam_hart_options *o = &hart->options;
    enum sam_status status = sam_hart_map(hart, o->l1m[0], o->l1m[1], error);
    if (status == SAM_OK)
        status = sam_hart_map(hart, o->l0m[0], o->l0m[1], error);
    if (status != SAM_OK || !(hart->machine.isa.extensions & SAM_EXT_XTENSORLOAD))
        return status;
    hart->tensor = sam_pages_new(sizeof *hart->tensor);
    if (!hart->tensor)
        return sam_fail_memory(error);
    hart->tensor->narrow = sam_hart_is_narrow(hart);
    hart->tensor->l1m = (struct sam_region){.base = o->l1m[0], .size = o->l1m[1]};
    hart->tensor->l0m = (struct sam_region){.base = o->l0m[0], .size = o->l0m[1]};
    sam_tensor_configure(hart->tensor);
    hart->core.unit[SAM_UNIT_TENSOR] = hart->tensor;
    sam_tensor_fill(&hart->machine);
    return SAM_OK;
}

/* The type of the elements that loads of 16 bits widen; 0: none. */
static enum sam_dtype widened_type(const struct sam_mxu_config *config)
{
    switch (config ? config->load_widen : SAM_MXU_WIDEN_NONE) {
    case SAM_MXU_WIDEN_E4M3: return SAM_E4M3;
    case SAM_MXU_WIDEN_E5M2: return SAM_E5M2;
    default: return (enum sam_dtype)0;
    }
}

static enum sam_status add_matrix(struct sam_hart *hart, struct sam_error *error)
{
    const struct sam_mxu_config *cycles = hart->options.cycles;
    const unsigned mlen = cycles ? cycles->mlen : hart->options.mlen ? hart->options.mlen : 512;
    if (mlen != 128 && mlen != 256 && mlen != 512)
        return sam_fail(error, SAM_ERR_USAGE, "MLEN %u: expected 128, 256 or 512", mlen);
    if (hart->options.acc_regs >> SAM_MATRIX_COUNT)
        return sam_fail(error, SAM_ERR_USAGE, "acc_regs 0x%x: expected registers 0 to 7",
                        hart->options.acc_regs);
    if (!(hart->machine.isa.extensions & SAM_EXT_XMATRIX))
        return SAM_OK;
    hart->matrix = sam_matrix_new(mlen, sam_hart_is_narrow(hart));
    if (!hart->matrix)
        return sam_fail_memory(error);
    hart->matrix->tree = hart->options.fp_tree;
    hart->matrix->widen = widened_type(cycles);
    if (hart->options.acc_regs)
        hart->matrix->accumulators = hart->options.acc_regs;
    hart->core.unit[SAM_UNIT_MATRIX] = hart->matrix;
    sam_matrix_fill(&hart->machine);
    return SAM_OK;
}

/* Create memory, TLB and decoded code for the ISA in hart->machine. */
static bool add_memory(struct sam_hart *hart)
{
    const struct sam_memory_rules rules = {.bits = hart->machine.isa.xlen, .joins = true};
    hart->memory = hart->home.memory ? hart->home.memory : sam_memory_new(&rules);
    return hart->memory && sam_hart_space_init(hart) &&
           (hart->code = sam_code_new(&hart->machine, &hart->tlb)) &&
           (!hart->options.trace.write || (hart->texts = sam_texts_new()));
}

static enum sam_status take_options(struct sam_hart *hart, const struct sam_hart_options *options,
                                    struct sam_error *error)
{
    struct sam_hart_options *o = &hart->options;
    enum sam_status status =
        sam_options_take(o, sizeof *o, offsetof(struct sam_hart_options, progress), options, error);
    if (status == SAM_OK && o->isa.xlen == 0)
        status = sam_isa_parse(DEFAULT_ISA, &o->isa, error);
    o->isa.extensions |= SAM_EXT_ZICSR; /* older ISA strings imply the CSRs by I */
    return status == SAM_OK ? check_isa(&o->isa, error) : status;
}

static enum sam_status fill(struct sam_hart *hart, const struct sam_hart_options *options,
                            struct sam_error *error)
{
    enum sam_status status = take_options(hart, options, error);
    if (status != SAM_OK)
        return status;
    hart->machine.isa = hart->options.isa;
    hart->machine.csr_read = sam_hart_csr_read;
    hart->machine.csr_write = sam_hart_csr_write;
    if (!add_memory(hart))
        return sam_fail_memory(error);
    sam_machine_init_scalar(&hart->machine);
    sam_core_init(&hart->core, &hart->tlb, hart->code, hart->home.code_base);
    hart->jit = sam_jit_new();
    sam_code_translate(hart->code, hart->jit);
    status = add_tensor(hart, error);
    if (status == SAM_OK)
        status = add_matrix(hart, error);
    if (status == SAM_OK)
        status = sam_hart_add_timing(hart, error);
    return status != SAM_OK || sam_hart_counts_new(hart) ? status : sam_fail_memory(error);
}

enum sam_status sam_hart_new(const struct sam_hart_options *options, struct sam_hart **out,
                             struct sam_error *error)
{
    return sam_hart_new_in(NULL, options, out, error);
}

enum sam_status sam_hart_new_in(const struct sam_hart_home *home,
                                const struct sam_hart_options *options, struct sam_hart **out,
                                struct sam_error *error)
{
    static const struct sam_hart_home alone = {.code_base = SAM_HART_CODE_BASE,
                                               .stack_top = SAM_HART_STACK_TOP,
                                               .stack_size = SAM_HART_STACK_SIZE,
                                               .program_top = UINT64_MAX};
    if (!out)
        return sam_fail_null(error, "hart");
    *out = NULL;
    struct sam_hart *hart = sam_alloc(1, sizeof *hart);
    if (hart)
        hart->home = home ? *home : alone;
    enum sam_status status = hart ? fill(hart, options, error) : sam_fail_memory(error);
    if (status == SAM_OK)
        *out = hart;
    else
        sam_hart_free(hart);
    return status;
}

void sam_hart_free(struct sam_hart *hart)
{
    if (!hart)
        return;
    sam_mxu_watch_end(hart->watch); /* before the timeline that it may write to is freed */
    sam_engines_free(hart->engines);
    sam_hart_timeline_free(hart->timeline);
    sam_pages_free(hart->tensor, sizeof *hart->tensor);
    sam_matrix_free(hart->matrix);
    sam_mxu_free(hart->mxu);
    sam_code_free(hart->code);
    sam_jit_free(hart->jit);
    sam_hart_counts_free(hart->counts);
    sam_hart_marks_free(hart);
    sam_tlb_release(&hart->tlb);
    if (!hart->home.memory)
        sam_memory_free(hart->memory);
    sam_buffer_free(&hart->line);
    sam_texts_free(hart->texts);
    sam_hart_calls_free(hart->calls);
    free(hart);
}

/* ---------------------------------------------------------------------------------- memory */

enum sam_status sam_hart_map(struct sam_hart *hart, uint64_t base, uint64_t size,
                             struct sam_error *error)
{
    if (SAM_LACKS(error, hart))
        return SAM_ERR_USAGE;
    return sam_host_map(hart->memory, base, size, error);
}

enum sam_status sam_hart_alloc(struct sam_hart *hart, uint64_t size, uint64_t *address,
                               struct sam_error *error)
{
    if (SAM_LACKS(error, hart, address))
        return SAM_ERR_USAGE;
    return sam_host_alloc(hart->memory, SAM_HART_BUFFER_BASE, size ? size : 1, address, error);
}

enum sam_status sam_hart_write(struct sam_hart *hart, uint64_t address, const void *data,
                               size_t size, struct sam_error *error)
{
    if (SAM_LACKS(error, hart))
        return SAM_ERR_USAGE;
    return sam_host_write(hart->memory, hart->code, address, data, size, error);
}

enum sam_status sam_hart_read(struct sam_hart *hart, uint64_t address, void *data, size_t size,
                              struct sam_error *error)
{
    if (SAM_LACKS(error, hart))
        return SAM_ERR_USAGE;
    return sam_host_read(hart->memory, address, data, size, error);
}

void sam_hart_invalidate_code(struct sam_hart *hart, uint64_t address, uint64_t size)
{
    sam_host_invalidate_code(hart->code, address, size);
}

/* Map the stack, the program and its heap. Overlaps become one buffer even in shared memory that
 * keeps bounds, since a host call may receive any part of it. */
static enum sam_status map_program(struct sam_hart *hart, struct sam_error *error)
{
    const struct sam_hart_home *home = &hart->home;
    struct sam_memory_rules rules = *sam_memory_rules(hart->memory);
    rules.joins = true;
    struct sam_memory *plan = sam_memory_new(&rules);
    if (!plan)
        return sam_fail_memory(error);
    enum sam_status status =
        sam_host_map(plan, home->stack_top - home->stack_size, home->stack_size, error);
    if (status == SAM_OK)
        status = sam_host_plan(plan, hart->image, error);
    if (status == SAM_OK)
        status = sam_hart_plan_heap(hart, plan, error);
    const struct sam_region *r = sam_memory_next(plan, 0);
    for (; status == SAM_OK && r;
         r = r->base + r->size ? sam_memory_next(plan, r->base + r->size) : NULL)
        status = sam_host_cover(hart->memory, r->base, r->size, error);
    sam_memory_free(plan);
    return status;
}

enum sam_status sam_hart_load(struct sam_hart *hart, const struct sam_image *image,
                              struct sam_error *error)
{
    if (SAM_LACKS(error, hart, image))
        return SAM_ERR_USAGE;
    if (image->xlen != hart->machine.isa.xlen)
        return sam_fail(error, SAM_ERR_INPUT, "a %u-bit program for a %u-bit hart", image->xlen,
                        hart->machine.isa.xlen);
    const struct sam_image *before = hart->image;
    hart->image = image;
    enum sam_status status = map_program(hart, error);
    if (status == SAM_OK)
        status = sam_host_load(hart->memory, hart->code, image, error);
    if (status != SAM_OK) {
        hart->image = before;
        return status;
    }
    const struct sam_symbol *tohost = sam_image_find(image, "tohost");
    hart->has_tohost = tohost && tohost->section_relative;
    hart->tohost = hart->has_tohost ? tohost->value : 0;
    hart->tlb.gap.size = 0;
    if (hart->has_tohost) /* the TLB entry may already be writable */
        hart->tlb.entries[(uint32_t)hart->tohost / SAM_PAGE_SIZE] = (struct sam_tlb_entry){0};
    sam_hart_set_pc(hart, image->entry);
    sam_hart_set_x(hart, 2, hart->home.stack_top);
    return SAM_OK;
}

/* ------------------------------------------------------------------------------- registers */

int sam_hart_register(const char *name)
{
    int number = sam_register_x(name, strlen(name));
    return number < 32 ? number : -1;
}

uint64_t sam_hart_x(const struct sam_hart *hart, unsigned number)
{
    return sam_core_x(&hart->core, sam_hart_is_narrow(hart), number & 31);
}

void sam_hart_set_x(struct sam_hart *hart, unsigned number, uint64_t value)
{
    sam_core_set_x(&hart->core, sam_hart_is_narrow(hart), number & 31, value);
}

uint64_t sam_hart_pc(const struct sam_hart *hart)
{
    return sam_hart_wrap(hart, hart->core.pc);
}

void sam_hart_set_pc(struct sam_hart *hart, uint64_t pc)
{
    hart->core.pc = sam_hart_wrap(hart, pc);
}

const uint8_t *sam_hart_tl(const struct sam_hart *hart, unsigned number)
{
    return hart->tensor ? hart->tensor->tl[number % SAM_TL_COUNT] : NULL;
}

void sam_hart_set_tl(struct sam_hart *hart, unsigned number, const uint8_t bytes[1024])
{
    number %= SAM_TL_COUNT;
    if (hart->tensor && number)
        memcpy(hart->tensor->tl[number], bytes, SAM_TL_SIZE);
}

const uint8_t *sam_hart_m(const struct sam_hart *hart, unsigned number)
{
    return hart->matrix ? hart->matrix->m[number % SAM_MATRIX_COUNT] : NULL;
}

unsigned sam_hart_m_size(const struct sam_hart *hart)
{
    return hart->matrix ? hart->matrix->rows * hart->matrix->row_bytes : 0;
}

void sam_hart_set_m(struct sam_hart *hart, unsigned number, const uint8_t *bytes)
{
    if (hart->matrix)
        memcpy(hart->matrix->m[number % SAM_MATRIX_COUNT], bytes, sam_hart_m_size(hart));
}

bool sam_hart_csr(struct sam_hart *hart, unsigned address, uint64_t *value)
{
    return sam_core_csr_read(&hart->core, address, hart->core.retired, value);
}

bool sam_hart_set_csr(struct sam_hart *hart, unsigned address, uint64_t value)
{
    return sam_core_csr_write(&hart->core, address, hart->core.retired, sam_hart_wrap(hart, value));
}

void sam_hart_set_until(struct sam_hart *hart, uint64_t pc)
{
    if (hart->has_until)
        sam_code_remove_breakpoint(hart->code, hart->until);
    hart->until = sam_hart_wrap(hart, pc);
    hart->has_until = sam_code_add_breakpoint(hart->code, hart->until);
}

const struct sam_hart_stats *sam_hart_stats(const struct sam_hart *hart)
{
    return &hart->stats;
}

/* -------------------------------------------------------------------------------- settings */

enum sam_status sam_hart_configure(const char *text, struct sam_engines_config *engines,
                                   struct sam_mxu_config *mxu, struct sam_error *error)
{
    if (SAM_LACKS(error, text, engines, mxu))
        return SAM_ERR_USAGE;
    const struct sam_keys keys[] = {sam_engines_keys(engines), sam_mxu_keys(mxu),
                                    sam_energy_keys(&engines->energy, false)};
    return sam_keys_set(keys, SAM_COUNT(keys), text, error);
}

/* "0:4" */
static bool parse_set(const char *text, uint32_t *set)
{
    *set = 0;
    for (;; text += 2) {
        if (*text < '0' || *text - '0' >= (int)SAM_MATRIX_COUNT)
            return false;
        *set |= 1u << (*text - '0');
        if (text[1] != ':')
            return text[1] == '\0';
    }
}

enum sam_status sam_hart_parse_acc_regs(const char *text, uint32_t *set, struct sam_error *error)
{
    uint32_t value = (1u << SAM_MATRIX_COUNT) - 1;
    if (SAM_LACKS(error, text, set))
        return SAM_ERR_USAGE;
    if (strcmp(text, "all") != 0 && !parse_set(text, &value))
        return sam_fail(error, SAM_ERR_USAGE,
                        "acc_regs '%s': expected all, or registers from 0 to 7 such as 0:4", text);
    *set = value;
    return SAM_OK;
}
