/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions: find the matching row of a mnemonic with operands, expand pseudo-instructions,
 * insert prefixes. */
#include "asm/asm.h"

#include <stdio.h>

enum { INDEX_SIZE = 2048, LONGEST_MNEMONIC = 40, MAX_EXPANSION = 4 };

/* Rows and pseudo rows in one numbering; 0 (the illegal row) ends a chain. */
static const char *mnemonic_of(size_t number)
{
    return number < SAM_OP_COUNT ? sam_insn_rows[number].mnemonic
                                 : sam_pseudo_rows[number - SAM_OP_COUNT].mnemonic;
}

static const char *operands_of(size_t number)
{
    return number < SAM_OP_COUNT ? sam_insn_rows[number].operands
                                 : sam_pseudo_rows[number - SAM_OP_COUNT].operands;
}

static uint32_t on_of(size_t number)
{
    return number < SAM_OP_COUNT ? sam_insn_rows[number].on
                                 : sam_pseudo_rows[number - SAM_OP_COUNT].on;
}

bool sam_asm_index_mnemonics(struct assembler *as)
{
    size_t count = SAM_OP_COUNT + sam_pseudo_row_count;
    as->mnemonics = sam_asm_new(as, INDEX_SIZE, sizeof *as->mnemonics);
    as->mnemonic_next = sam_asm_new(as, count, sizeof *as->mnemonic_next);
    if (!as->mnemonics || !as->mnemonic_next)
        return false;
    for (size_t i = count; i-- > 1;) {
        if (i >= SAM_OP_COUNT && !sam_pseudo_rows[i - SAM_OP_COUNT].in)
            continue;
        const char *name = mnemonic_of(i);
        uint16_t *head = &as->mnemonics[sam_asm_hash(name, strlen(name)) % INDEX_SIZE];
        as->mnemonic_next[i] = *head;
        *head = (uint16_t)i;
    }
    return true;
}

/* The first row called `name` at or after `number` in its chain; 0 = none. */
static size_t next_row(const struct assembler *as, const char *name, size_t number)
{
    while (number && strcmp(mnemonic_of(number), name) != 0)
        number = as->mnemonic_next[number];
    return number;
}

static size_t first_row(const struct assembler *as, const char *name)
{
    return next_row(as, name, as->mnemonics[sam_asm_hash(name, strlen(name)) % INDEX_SIZE]);
}

/* --- messages */

/* An incomplete mnemonic: "tl.xpose.w" without the pair of dims. */
static bool incomplete_mnemonic(struct assembler *as, const char *name, struct asm_at at)
{
    const size_t size = strlen(name);
    char forms[160] = "";
    size_t used = 0, count = 0;
    for (size_t i = 1; i < SAM_OP_COUNT + sam_pseudo_row_count; i++) {
        const char *full = mnemonic_of(i);
        if (!sam_isa_is_on(on_of(i), &as->isa) || strncmp(full, name, size) != 0 ||
            full[size] != '.' || strchr(full + size + 1, '.'))
            continue;
        count++;
        if (used + strlen(full) + 3 < sizeof forms)
            used +=
                (size_t)snprintf(forms + used, sizeof forms - used, "%s%s", used ? ", " : "", full);
    }
    if (count)
        sam_asm_error(as, at, "'%s' is incomplete: expected %s%s", name, count > 1 ? "one of " : "",
                      forms);
    return count != 0;
}

/* tl.xpose of a pair of dimensions that is not written in rising order. */
static bool bad_pair(struct assembler *as, const char *name, struct asm_at at)
{
    const size_t size = strlen(name), stem = size > 2 ? size - 2 : 0;
    const char a = name[stem], b = stem ? name[stem + 1] : '0';
    char rising[LONGEST_MNEMONIC];
    if (strncmp(name, "tl.xpose.", 9) != 0 || stem < 9 || a < '0' || a > '3' || b < '0' || b > a)
        return false;
    snprintf(rising, sizeof rising, "%.*s%c%c", (int)stem, name, b, a);
    if (a == b)
        sam_asm_error(as, at, "'%s' would move nothing: expected two dimensions", name);
    else if (first_row(as, rising))
        sam_asm_error(as, at, "'%s': expected the dimensions in rising order, %s does the same",
                      name, rising);
    return a == b || first_row(as, rising);
}

static void unknown_mnemonic(struct assembler *as, const char *name, struct asm_at at)
{
    size_t size = strlen(name), found = 0;
    if (incomplete_mnemonic(as, name, at) || bad_pair(as, name, at))
        return;
    unsigned least = size < 4 ? 2 : 3;
    for (size_t i = 1; i < SAM_OP_COUNT + sam_pseudo_row_count; i++) {
        if (!sam_isa_is_on(on_of(i), &as->isa))
            continue;
        unsigned edits = sam_edits(name, size, mnemonic_of(i));
        if (edits < least) {
            least = edits;
            found = i;
        }
    }
    if (found)
        sam_asm_error(as, at, "unknown instruction '%s'; did you mean '%s'?", name,
                      mnemonic_of(found));
    else
        sam_asm_error(as, at, "unknown instruction '%s'", name);
}

static void not_on(struct assembler *as, size_t number, struct asm_at at)
{
    char have[128], need[128];
    uint32_t on = on_of(number);
    sam_isa_format(&as->isa, have, sizeof have);
    if ((on & SAM_ON_SYSTEM) && (as->isa.extensions & SAM_EXT_XVENTUS)) {
        sam_asm_error(as, at, "'%s' does not exist on a Ventus warp (--isa is %s)",
                      mnemonic_of(number), have);
        return;
    }
    sam_isa_format_missing(&as->isa, on, need, sizeof need);
    sam_asm_error(as, at, "'%s' needs %s, which --isa %s does not have", mnemonic_of(number), need,
                  have);
}

/* "add rd, rs1, rs2" */
static void usage_of(size_t number, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s%s", mnemonic_of(number),
                                   operands_of(number)[0] ? " " : "");
    for (const char *c = operands_of(number); *c && used < size; c++) {
        const struct sam_operand *operand = sam_operand_find(*c);
        const char punct[] = {*c, *c == ',' ? ' ' : '\0', '\0'};
        const char *put = operand ? operand->name : punct;
        if (operand && operand->kind == SAM_KIND_VM)
            put = "[, v0.t]";
        if (*c == ',' && c[1] == 'm') {
            put = "[, rm]";
            c++;
        }
        used += (size_t)snprintf(text + used, size - used, "%s", put);
    }
}

/* --- one real instruction */

static const struct asm_insn *last_insn(const struct asm_section *section)
{
    const struct asm_item *last = section->count ? &section->items[section->count - 1] : NULL;
    return last && last->kind == ITEM_INSN ? last->insn : NULL;
}

static bool fits_field(const struct sam_operand *operand, int64_t value, unsigned xlen)
{
    if (xlen == 32 && operand->is_signed && value > INT32_MAX && value <= UINT32_MAX)
        value -= INT64_C(1) << 32;
    return sam_operand_fits(operand, value);
}

/* Ventus 4.2.2: the prefix to insert. A form with a 5-bit immediate needs REGEXTI, which has the
 * upper bits of the immediate; all others need REGEXT. */
static void choose_prefix(struct assembler *as, struct asm_insn *insn)
{
    bool high = false, widens = false, wide = false;
    const struct asm_arg *first = NULL;
    for (unsigned i = 0; i < insn->args->count; i++) {
        const struct asm_arg *arg = &insn->args->arg[i];
        if (sam_kind_is_register(arg->operand->kind) && arg->number > 31) {
            high = true;
            first = first ? first : arg;
        }
        if (!sam_operand_widens(arg->operand))
            continue;
        widens = true;
        int64_t value;
        if (arg->expr && sam_asm_eval_early(as, arg->expr, &value) == ASM_KNOWN)
            wide = !fits_field(arg->operand, value, as->isa.xlen);
    }
    if (!(as->isa.extensions & SAM_EXT_XVENTUS)) {
        if (first)
            sam_asm_error(as, first->at, "%c%d: registers above 31 need xventus",
                          first->operand->kind == SAM_KIND_X ? 'x' : 'v', first->number);
        return;
    }
    if (insn->explicit_prefix)
        return;
    if (high && sam_op_is_prefix(insn->op))
        sam_asm_error(as, first->at, "a prefix takes registers up to 31");
    else if (wide || (high && widens))
        insn->prefix = SAM_OP_regexti;
    else if (high)
        insn->prefix = SAM_OP_regext;
}

/* Whether a conditional branch may grow. One that is sure to reach its target keeps its size, so
 * distances across it stay known. */
static bool may_grow(struct assembler *as, const struct asm_insn *insn)
{
    const struct asm_arg *target = sam_asm_find_arg(insn->args, 'p');
    struct asm_value value;
    if (sam_insn_rows[insn->op].does.act != SAM_ACT_BRANCH || !target || !target->expr)
        return false;
    if (sam_asm_eval_value(as, target->expr, &value) != ASM_KNOWN || value.section != as->section ||
        value.epoch != as->section->epoch)
        return true;
    int64_t distance = value.number - (int64_t)as->section->size;
    return distance < -4000 || distance > 4000;
}

static unsigned register_of(const struct asm_args *args, char letter)
{
    const struct asm_arg *arg = sam_asm_find_arg(args, letter);
    return arg ? (unsigned)arg->number : 0;
}

/* Warn of matrix operands that trap for every size. */
static void warn_of_trap(struct assembler *as, enum sam_op op, const struct asm_args *args)
{
    const struct sam_insn_row *row = &sam_insn_rows[op];
    const enum sam_m_kind kind = sam_m_kind(row->match);
    if (kind == SAM_M_KIND_MMA) {
        enum sam_m_fault fault =
            sam_m_product_fault(sam_m_type(row->imm), register_of(args, '3'),
                                register_of(args, '2'), register_of(args, '1'));
        const struct asm_arg *arg = sam_asm_find_arg(args, fault == SAM_M_ODD_MS2 ? '2' : '3');
        if (fault != SAM_M_FINE && arg)
            sam_asm_warning(as, arg->at, "%s will trap: m%d is %s", row->mnemonic, arg->number,
                            sam_m_fault_text(fault));
    } else if ((kind == SAM_M_KIND_LOAD || kind == SAM_M_KIND_STORE) &&
               sam_m_is_whole(row->match)) {
        const struct asm_arg *arg = sam_asm_find_arg(args, kind == SAM_M_KIND_LOAD ? '3' : '4');
        const unsigned count = sam_m_whole_count(row->imm);
        if (arg && (unsigned)arg->number % count)
            sam_asm_warning(as, arg->at, "%s will trap: m%d is not a multiple of %u", row->mnemonic,
                            arg->number, count);
    }
}

static void add_insn(struct assembler *as, enum sam_op op, uint32_t bits,
                     const struct asm_args *args, struct asm_at at)
{
    struct asm_section *section = as->section;
    struct asm_insn *insn = sam_asm_new(as, 1, sizeof *insn);
    if (!insn)
        return;
    size_t size = offsetof(struct asm_args, arg) + args->count * sizeof args->arg[0];
    void *kept = sam_asm_new(as, 1, size);
    if (!kept)
        return;
    memcpy(kept, args, size);
    *insn = (struct asm_insn){.op = op, .bits = bits, .args = kept, .at = at};
    if (sam_insn_rows[op].on == SAM_EXT_XMATRIX)
        warn_of_trap(as, op, args);
    const struct asm_insn *before = last_insn(section);
    insn->previous = before;
    if (before && sam_op_is_prefix(before->op)) {
        if (sam_op_is_prefix(op))
            sam_asm_error(as, at, "two prefixes in a row are illegal (Ventus manual 4.2.2)");
        else
            insn->explicit_prefix = before;
    }
    choose_prefix(as, insn);
    insn->relaxable = may_grow(as, insn);
    struct asm_item *item = sam_asm_add_item(as, ITEM_INSN, insn->prefix ? 8 : 4, at);
    if (!item)
        return;
    item->insn = insn;
    if (insn->relaxable)
        section->epoch++;
}

/* --- constants */

static void add_simple(struct assembler *as, enum sam_op op, int32_t rd, int32_t rs1, int64_t value,
                       struct asm_at at)
{
    struct asm_args args = {0};
    for (const char *c = sam_insn_rows[op].operands; *c; c++) {
        const struct sam_operand *operand = sam_operand_find(*c);
        if (!operand)
            continue;
        struct asm_arg *arg = &args.arg[args.count++];
        int64_t number = *c == 'd' ? rd : *c == 's' ? rs1 : value;
        *arg = (struct asm_arg){.operand = operand, .number = (int32_t)number, .at = at};
    }
    add_insn(as, op, 0, &args, at);
}

/* The usual sequence: 12 bits at a time from the top, skipping zero bits with shifts. The first of
 * several instructions is an addiw on RV64, as in GNU as. */
static void load_constant(struct assembler *as, int32_t rd, int64_t value, bool is_part,
                          struct asm_at at)
{
    int32_t low = sam_sext32((uint32_t)value, 12);
    bool wide = as->isa.xlen == 64;
    if (value >= -2048 && value <= 2047) {
        add_simple(as, is_part ? SAM_OP_addiw : SAM_OP_addi, rd, 0, value, at);
    } else if (value >= INT32_MIN && value <= INT32_MAX) {
        add_simple(as, SAM_OP_lui, rd, 0, sam_bits((uint32_t)(value + 0x800), 31, 12), at);
        if (low)
            add_simple(as, wide ? SAM_OP_addiw : SAM_OP_addi, rd, rd, low, at);
    } else {
        int64_t upper = (int64_t)((uint64_t)value - (uint64_t)(int64_t)low) >> 12;
        int shift = 12;
        for (; !(upper & 1); shift++)
            upper >>= 1;
        load_constant(as, rd, upper, true, at);
        add_simple(as, SAM_OP_slli_64, rd, rd, shift, at);
        if (low)
            add_simple(as, SAM_OP_addi, rd, rd, low, at);
    }
}

static void expand(struct assembler *as, const char *expansion, const struct asm_args *args,
                   struct asm_at at);

static void load_immediate(struct assembler *as, const struct asm_args *args, struct asm_at at)
{
    const struct asm_arg *rd = sam_asm_find_arg(args, 'd'), *arg = sam_asm_find_arg(args, 'A');
    int64_t value;
    enum asm_known known = sam_asm_eval_early(as, arg->expr, &value);
    if (known == ASM_UNKNOWN) { /* an address, or a symbol defined later */
        expand(as, "lui $d,%hi($A);addi $d,$d,%lo($A)", args, at);
    } else if (known == ASM_KNOWN) {
        if (as->isa.xlen == 32 && (value < INT32_MIN || value > UINT32_MAX))
            sam_asm_error(as, arg->at, "li: %lld does not fit 32 bits", (long long)value);
        else
            load_constant(as, rd->number, as->isa.xlen == 32 ? (int32_t)value : value, false, at);
    }
}

/* --- choosing a row */

static void assemble(struct assembler *as, const char *mnemonic, struct asm_lexer *lexer,
                     struct asm_at at);

/* "?i=0 text", "?M text": the text after a condition if it holds, or NULL. */
static const char *applicable(struct assembler *as, const char *expansion,
                              const struct asm_args *args)
{
    if (expansion[0] != '?')
        return expansion;
    const struct asm_arg *arg = sam_asm_find_arg(args, expansion[1]);
    int64_t value = arg ? arg->number : 1;
    if (arg && arg->expr && sam_asm_eval_early(as, arg->expr, &value) != ASM_KNOWN)
        return NULL;
    return value == 0 ? strchr(expansion, ' ') + 1 : NULL;
}

static void expand(struct assembler *as, const char *expansion, const struct asm_args *args,
                   struct asm_at at)
{
    if (as->depth >= MAX_EXPANSION)
        return;
    as->depth++;
    while (*expansion) {
        char name[LONGEST_MNEMONIC];
        size_t size = strcspn(expansion, ";"), word = strcspn(expansion, " ;");
        snprintf(name, sizeof name, "%.*s", (int)word, expansion);
        struct asm_lexer lexer = {.start = expansion,
                                  .at = expansion + word,
                                  .end = expansion + size,
                                  .place = at.place,
                                  .fixed_column = at.column ? at.column : 1,
                                  .bindings = args};
        sam_asm_lex_next(&lexer);
        assemble(as, name, &lexer, at);
        expansion += size + (expansion[size] == ';');
    }
    as->depth--;
}

static bool try_row(struct assembler *as, size_t number, uint32_t bits,
                    const struct asm_lexer *from, struct asm_failure *fail, struct asm_at at)
{
    struct asm_lexer lexer = *from;
    struct asm_args args;
    if (!sam_asm_match_operands(as, &lexer, operands_of(number), &args, fail))
        return false;
    if (number < SAM_OP_COUNT) {
        add_insn(as, (enum sam_op)number, bits, &args, at);
        return true;
    }
    const char *expansion = applicable(as, sam_pseudo_rows[number - SAM_OP_COUNT].expansion, &args);
    if (!expansion)
        return false;
    if (expansion[0] == '=')
        load_immediate(as, &args, at);
    else
        expand(as, expansion, &args, at);
    return true;
}

static const struct {
    const char *mnemonic, *operands, *now;
} old_forms[] = {
#define OLD(mnemonic, operands, now) {mnemonic, operands, now},
#include "isa/old.def"
#undef OLD
};

/* The parsed suffix of a mnemonic. */
struct chosen {
    const struct sam_suffix *suffix; /* or NULL */
    unsigned value;
};

/* Strip .aq of an atomic or @store of a tensor instruction. */
static struct chosen cut_suffix(struct assembler *as, char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; i < SAM_SUFFIX_COUNT; i++) {
        for (unsigned value = 0; value < 4; value++) {
            const char *text = sam_suffixes[i].text[value];
            size_t cut = strlen(text);
            if (!cut || size <= cut || strcmp(name + size - cut, text) != 0)
                continue;
            name[size - cut] = '\0';
            size_t row = first_row(as, name);
            if (row && row < SAM_OP_COUNT && sam_suffix_of(&sam_insn_rows[row]) == &sam_suffixes[i])
                return (struct chosen){&sam_suffixes[i], value};
            name[size - cut] = text[0];
        }
    }
    return (struct chosen){0};
}

/* Report why the row does not exist on the engine that the suffix names. */
static bool refuse_suffix(struct assembler *as, size_t row, struct chosen chosen, struct asm_at at)
{
    if (!chosen.suffix || row >= SAM_OP_COUNT)
        return false;
    const struct sam_insn_row *insn = &sam_insn_rows[row];
    if (!insn->engines || (insn->engines >> chosen.value & 1))
        return false;
    sam_asm_error(as, at,
                  "'%s%s' has no encoding: with EngineID 01, bit 29 belongs to tl.xpose.{b,h,w,d}",
                  insn->mnemonic, chosen.suffix->text[chosen.value]);
    return true;
}

/* The bits that the suffix, or its absence, sets in the word. */
static uint32_t bits_of(size_t row, struct chosen chosen)
{
    if (chosen.suffix)
        return (uint32_t)chosen.value << chosen.suffix->low;
    return row < SAM_OP_COUNT ? sam_suffix_default(&sam_insn_rows[row]) : 0;
}

/* Operands in the form of an older manual: the message shows the current form. */
static bool refuse_old_form(struct assembler *as, const char *name, const struct asm_lexer *from,
                            struct asm_at at)
{
    for (size_t i = 0; i < SAM_COUNT(old_forms); i++) {
        struct asm_lexer lexer = *from;
        struct asm_args args;
        struct asm_failure fail = {.at = at};
        if (strcmp(old_forms[i].mnemonic, name) != 0 ||
            !sam_asm_match_operands(as, &lexer, old_forms[i].operands, &args, &fail))
            continue;
        struct sam_buffer now = {0};
        for (const char *c = old_forms[i].now; *c; c++) {
            const struct asm_arg *arg = *c == '$' ? sam_asm_find_arg(&args, *++c) : NULL;
            if (arg && arg->operand->kind == SAM_KIND_TL)
                sam_buffer_printf(&now, "tl%d", arg->number);
            else if (arg)
                sam_buffer_printf(&now, "x%d", arg->number);
            else
                sam_buffer_append(&now, c, 1);
        }
        sam_asm_error(as, at, "%s", sam_buffer_text(&now));
        sam_buffer_free(&now);
        return true;
    }
    return false;
}

/* Report an invalid suffix after '@'. */
static bool refuse_engine(struct assembler *as, const char *name, struct asm_at at)
{
    const char *suffix = strchr(name, '@');
    char plain[LONGEST_MNEMONIC];
    snprintf(plain, sizeof plain, "%.*s", (int)(suffix ? suffix - name : 0), name);
    size_t row = suffix ? first_row(as, plain) : 0;
    if (!row || row >= SAM_OP_COUNT || !(on_of(row) & SAM_EXT_XTENSORLOAD))
        return false;
    if (!sam_isa_is_on(on_of(row), &as->isa))
        not_on(as, row, at);
    else if (!sam_insn_rows[row].engines)
        sam_asm_error(as, at, "'%s' takes no engine: EngineID 01 is part of its code", plain);
    else
        sam_asm_error(as, at, "unknown engine '%s' (@load, @comp, @store, @reshape)", suffix);
    return true;
}

static void assemble(struct assembler *as, const char *mnemonic, struct asm_lexer *lexer,
                     struct asm_at at)
{
    char name[LONGEST_MNEMONIC];
    snprintf(name, sizeof name, "%s", mnemonic);
    size_t row = first_row(as, name), best = 0;
    struct chosen chosen = {0};
    if (!row) {
        chosen = cut_suffix(as, name);
        row = chosen.suffix ? first_row(as, name) : 0;
    }
    if (!row) {
        if (!refuse_engine(as, name, at))
            unknown_mnemonic(as, name, at);
        return;
    }
    struct asm_failure best_fail = {.at = at};
    size_t off = row;
    for (; row; row = next_row(as, name, as->mnemonic_next[row])) {
        if (!sam_isa_is_on(on_of(row), &as->isa))
            continue;
        struct asm_failure fail = {.at = at};
        if (refuse_suffix(as, row, chosen, at))
            return;
        if (try_row(as, row, bits_of(row, chosen), lexer, &fail, at) || as->stop)
            return;
        if (!best || fail.at.column > best_fail.at.column) {
            best = row;
            best_fail = fail;
        }
    }
    if (!best) {
        not_on(as, off, at);
        return;
    }
    if (refuse_old_form(as, name, lexer, at))
        return;
    char usage[160];
    usage_of(best, usage, sizeof usage);
    sam_asm_error(as, best_fail.at, "%s (%s)", best_fail.text, usage);
}

void sam_asm_instruction(struct assembler *as, const char *mnemonic, size_t size,
                         struct asm_lexer *lexer)
{
    struct asm_at at = sam_asm_lex_at(lexer);
    char name[LONGEST_MNEMONIC];
    at.column = (unsigned)(mnemonic - lexer->place->text) + 1;
    if (size >= sizeof name) {
        sam_asm_error(as, at, "unknown instruction '%.*s...'", 32, mnemonic);
        return;
    }
    for (size_t i = 0; i <= size; i++) {
        char c = i < size ? mnemonic[i] : '\0';
        name[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    }
    assemble(as, name, lexer, at);
}
