/* SPDX-License-Identifier: Apache-2.0 */
/* The program by pc: rows of the result, and the registers of each instruction, decoded once. */
#include <stdlib.h>

#include "gputime/parts.h"

/* An entry of the hash table by pc. */
struct location {
    struct sam_gputime_row *row; /* NULL: empty */
    struct code *codes;
};

bool sam_gputime_program_init(struct program *program)
{
    program->capacity = 1024;
    program->table = calloc(program->capacity, sizeof *program->table);
    return program->table != NULL;
}

void sam_gputime_program_free(struct program *program)
{
    for (size_t i = 0; program->table && i < program->capacity; i++) {
        for (struct code *code = program->table[i].codes, *next; code; code = next) {
            next = code->next;
            free(code);
        }
        free(program->table[i].row);
    }
    free(program->table);
}

/* Open addressing. */
static struct location *find(struct location *table, size_t capacity, uint32_t pc)
{
    size_t at = (pc >> 2) & (capacity - 1);
    while (table[at].row && table[at].row->pc != pc)
        at = (at + 1) & (capacity - 1);
    return &table[at];
}

static bool grow_program(struct program *program)
{
    const size_t capacity = 2 * program->capacity;
    struct location *table = calloc(capacity, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < program->capacity; i++)
        if (program->table[i].row)
            *find(table, capacity, (uint32_t)program->table[i].row->pc) = program->table[i];
    free(program->table);
    program->table = table;
    program->capacity = capacity;
    return true;
}

/* Returns NULL on out-of-memory. */
static struct location *location_of(struct program *program, uint32_t pc)
{
    struct location *location = find(program->table, program->capacity, pc);
    if (SAM_LIKELY(location->row != NULL))
        return location;
    if (2 * program->count >= program->capacity) {
        if (!grow_program(program))
            return NULL;
        location = find(program->table, program->capacity, pc);
    }
    location->row = calloc(1, sizeof *location->row);
    if (!location->row)
        return NULL;
    location->row->pc = pc;
    program->count++;
    return location;
}

struct sam_gputime_row *sam_gputime_row(struct model *m, uint32_t pc)
{
    const struct location *location = location_of(&m->program, pc);
    if (!location) {
        m->out_of_memory = true;
        return &m->spare;
    }
    return location->row;
}

bool sam_gputime_rows(const struct program *program, struct sam_gputime_result *result)
{
    result->rows = calloc(program->count ? program->count : 1, sizeof *result->rows);
    if (!result->rows)
        return false;
    for (size_t i = 0; i < program->capacity; i++)
        if (program->table[i].row)
            result->rows[result->row_count++] = *program->table[i].row;
    return true;
}

/* --------------------------------------------------------------------------------- registers */

static uint16_t number_of(const struct sam_insn *insn, uint8_t slot, uint8_t file)
{
    const uint16_t base = file == SAM_OPERAND_X ? 0 : VECTOR;
    switch (slot) {
    case SAM_SLOT_RD: return base + insn->rd;
    case SAM_SLOT_RS1: return base + insn->rs1;
    case SAM_SLOT_RS2: return base + insn->rs2;
    case SAM_SLOT_RS3: return base + insn->rs3;
    default: return VECTOR; /* v0 */
    }
}

static void add_source(const struct model *m, struct code *code, uint16_t reg, bool data)
{
    code->sources[code->source_count++] = reg;
    if (data && reg >= VECTOR && !m->config.score_stores)
        reg -= VECTOR;
    if (reg != 0 || m->config.score_x0)
        code->watched[code->watched_count++] = reg;
}

static void find_registers(const struct model *m, struct code *code)
{
    const struct sam_uses *uses = &code->trait->uses;
    const struct sam_insn *insn = code->insn;
    for (unsigned i = 0; i < uses->count; i++) {
        const struct sam_use *s = &uses->sources[i];
        if (s->file != SAM_OPERAND_IMM)
            add_source(m, code, number_of(insn, s->slot, s->file), s->role == SAM_ROLE_DATA);
    }
    if (uses->masked && !insn->vm && m->config.score_masks)
        add_source(m, code, VECTOR, false);
    code->dest = uses->result ? number_of(insn, SAM_SLOT_RD, uses->result) : NO_REGISTER;
    if (code->dest == 0 && !m->config.score_x0)
        code->dest = NO_REGISTER;
}

const struct code *sam_gputime_code(struct model *m, uint32_t pc, const struct sam_insn *insn)
{
    struct location *location = location_of(&m->program, pc);
    struct code *code = location ? location->codes : NULL;
    while (code && code->insn != insn)
        code = code->next;
    if (SAM_LIKELY(code != NULL))
        return code;
    code = location ? calloc(1, sizeof *code) : NULL;
    if (!code) {
        m->out_of_memory = true;
        return NULL;
    }
    code->insn = insn;
    code->trait = &m->traits.of[insn->op];
    code->row = location->row;
    find_registers(m, code);
    code->next = location->codes;
    location->codes = code;
    return code;
}
