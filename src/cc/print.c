/* SPDX-License-Identifier: Apache-2.0 */
/* printf: its format is read here, and each directive becomes a call of the library, which builds
 * the text in private memory and appends it to the print buffer. */
#include <string.h>

#include "base/ascii.h"
#include "cc/cc.h"

enum {
    LEFT = 1,
    PLUS = 2,
    SPACE = 4,
    ALTERNATE = 8,
    ZERO = 16,
    SIGNED = 32,
    HEX = 64,
    OCTAL = 128,
    UPPER = 256,
    CHARACTER = 512,
    POINTER = 1024,
    EXPONENT = 2048,
    FIXED = 4096,
    GENERAL = 8192,
    HEX_FLOAT = 16384
};

struct printing {
    struct cc *cc;
    llvm_ref call, builder, i8, i32, text; /* text: the format */
    llvm_ref buffer, at;
    unsigned next; /* argument */
};

static llvm_ref number(const struct printing *p, int64_t value)
{
    return p->cc->ll.ConstInt(p->i32, (uint64_t)value, 1);
}

static enum sam_status put(struct printing *p, const char *name, llvm_ref *more, unsigned count)
{
    struct cc *cc = p->cc;
    llvm_ref args[8] = {p->buffer, p->at};
    for (unsigned i = 0; i < count; i++)
        args[2 + i] = more[i];
    p->at = sam_cc_call_builtin(cc, p->builder, name, args, count + 2);
    return p->at ? SAM_OK : sam_cc_refuse(cc, p->call, "printf: the library has no %s", name);
}

static enum sam_status put_text(struct printing *p, size_t from, size_t size)
{
    struct cc *cc = p->cc;
    llvm_ref offset = number(p, (int64_t)from);
    llvm_ref at = cc->ll.BuildGEP2(p->builder, p->i8, p->text, &offset, 1, "");
    llvm_ref args[] = {at, number(p, (int64_t)size)};
    return size ? put(p, "__samite_put_text", args, 2) : SAM_OK;
}

struct directive {
    unsigned flags, elements;
    unsigned bits; /* of the integer to which hh and h convert; 0: that of the argument */
    llvm_ref width, precision;
    char kind;
};

/* One argument, or one element of a vector. */
static enum sam_status put_value(struct printing *p, const struct directive *d, llvm_ref value)
{
    struct cc *cc = p->cc;
    llvm_ref type = cc->ll.TypeOf(value), i64 = cc->ll.IntTypeInContext(cc->context, 64);
    const int kind = cc->ll.GetTypeKind(type);
    const bool real = (d->flags & (EXPONENT | FIXED | GENERAL | HEX_FLOAT)) != 0;
    if (real                               ? kind != LL_FLOAT
        : d->kind == 's' || d->kind == 'p' ? kind != LL_POINTER
                                           : kind != LL_INTEGER)
        return sam_cc_refuse(cc, p->call, "printf: the argument for %%%c has another type",
                             d->kind);
    if (kind == LL_POINTER && d->kind == 'p')
        value = cc->ll.BuildCast(p->builder, LL_PTRTOINT, value, p->i32, "");
    if (kind == LL_INTEGER || d->kind == 'p') {
        const int cast = d->flags & SIGNED ? LL_SEXT : LL_ZEXT;
        if (d->bits && d->bits < cc->ll.GetIntTypeWidth(cc->ll.TypeOf(value)))
            value = cc->ll.BuildCast(p->builder, LL_TRUNC, value,
                                     cc->ll.IntTypeInContext(cc->context, d->bits), "");
        if (cc->ll.GetIntTypeWidth(cc->ll.TypeOf(value)) < 64)
            value = cc->ll.BuildCast(p->builder, cast, value, i64, "");
    }
    llvm_ref args[] = {value, number(p, d->flags), d->width, d->precision};
    return put(p,
               real             ? "__samite_put_float"
               : d->kind == 's' ? "__samite_put_string"
                                : "__samite_put_int",
               args, 4);
}

static enum sam_status put_directive(struct printing *p, const struct directive *d)
{
    struct cc *cc = p->cc;
    if (p->next >= cc->ll.GetNumArgOperands(p->call))
        return sam_cc_refuse(cc, p->call, "printf: no argument for %%%c", d->kind);
    llvm_ref value = cc->ll.GetOperand(p->call, p->next++);
    enum sam_status status = SAM_OK;
    if (!d->elements)
        return put_value(p, d, value);
    if (cc->ll.GetTypeKind(cc->ll.TypeOf(value)) != LL_VECTOR ||
        cc->ll.GetVectorSize(cc->ll.TypeOf(value)) < d->elements)
        return sam_cc_refuse(cc, p->call, "printf: expected a vector of %u for %%v%u%c",
                             d->elements, d->elements, d->kind);
    for (unsigned i = 0; i < d->elements && status == SAM_OK; i++) {
        if (i) {
            struct directive c = {.flags = CHARACTER, .kind = 'c', .width = number(p, 0)};
            c.precision = number(p, -1);
            status = put_value(p, &c, number(p, ','));
        }
        llvm_ref one = cc->ll.BuildExtractElement(p->builder, value, number(p, i), "");
        if (status == SAM_OK)
            status = put_value(p, d, one);
    }
    return status;
}

/* A number, or an argument for '*'. */
static llvm_ref size_of(struct printing *p, const char *format, size_t *at, int64_t missing)
{
    int64_t value = 0;
    if (format[*at] == '*') {
        ++*at;
        return p->next < p->cc->ll.GetNumArgOperands(p->call)
                   ? p->cc->ll.GetOperand(p->call, p->next++)
                   : number(p, missing);
    }
    if (!sam_is_digit(format[*at]))
        return number(p, missing);
    while (sam_is_digit(format[*at]) && value < 10000)
        value = 10 * value + format[(*at)++] - '0';
    return number(p, value);
}

static enum sam_status parse(struct printing *p, const char *f, size_t size)
{
    static const char flag_letters[] = "-+ #0";
    static const struct {
        char letter;
        unsigned flags;
    } kinds[] = {{'d', SIGNED},        {'i', SIGNED},           {'u', 0},
                 {'x', HEX},           {'X', HEX | UPPER},      {'o', OCTAL},
                 {'c', CHARACTER},     {'p', HEX | POINTER},    {'s', 0},
                 {'e', EXPONENT},      {'E', EXPONENT | UPPER}, {'f', FIXED},
                 {'F', FIXED | UPPER}, {'g', GENERAL},          {'G', GENERAL | UPPER},
                 {'a', HEX_FLOAT},     {'A', HEX_FLOAT | UPPER}};
    enum sam_status status = SAM_OK;
    size_t from = 0;
    for (size_t i = 0; i < size && status == SAM_OK;) {
        if (f[i] != '%') {
            i++;
            continue;
        }
        if (i + 1 < size && f[i + 1] == '%') { /* one of the two is text */
            status = put_text(p, from, i + 1 - from);
            from = i += 2;
            continue;
        }
        status = put_text(p, from, i - from);
        const size_t start = i++;
        struct directive d = {0};
        for (const char *letter; i < size && (letter = strchr(flag_letters, f[i])); i++)
            d.flags |= 1u << (letter - flag_letters);
        d.width = size_of(p, f, &i, 0);
        d.precision = number(p, -1);
        if (i < size && f[i] == '.') {
            i++;
            d.precision = size_of(p, f, &i, 0);
        }
        if (i < size && f[i] == 'v')
            for (i++; i < size && sam_is_digit(f[i]) && d.elements < 100; i++)
                d.elements = 10 * d.elements + (unsigned)(f[i] - '0');
        if (i < size && f[i] == 'h' && !d.elements)
            d.bits = i + 1 < size && f[i + 1] == 'h' ? 8 : 16;
        while (i < size && strchr("hljztL", f[i])) /* otherwise the argument's type decides */
            i++;
        size_t k = 0;
        while (k < SAM_COUNT(kinds) && (i >= size || kinds[k].letter != f[i]))
            k++;
        if (k == SAM_COUNT(kinds))
            return sam_cc_refuse(p->cc, p->call, "printf: unknown directive '%.*s'",
                                 (int)(i + 1 - start), f + start);
        d.flags |= kinds[k].flags;
        d.kind = f[i++];
        from = i;
        if (status == SAM_OK)
            status = put_directive(p, &d);
    }
    return status == SAM_OK ? put_text(p, from, size - from) : status;
}

/* Denotes the buffer until all functions are inlined. */
#define BUFFER "__samite_print_room"

enum sam_status sam_cc_expand_printf(struct cc *cc, llvm_ref call)
{
    struct printing p = {.cc = cc, .call = call, .next = 1};
    p.i8 = cc->ll.IntTypeInContext(cc->context, 8);
    p.i32 = cc->ll.IntTypeInContext(cc->context, 32);
    p.text = cc->ll.GetOperand(call, 0);
    llvm_ref global = p.text;
    while (cc->ll.GetValueKind(global) == LL_CONST_EXPR)
        global = cc->ll.GetOperand(global, 0);
    llvm_ref value =
        cc->ll.GetValueKind(global) == LL_GLOBAL ? cc->ll.GetInitializer(global) : NULL;
    size_t size = 0;
    const char *format = "";
    if (value && cc->ll.GetValueKind(value) == LL_DATA_ARRAY)
        format = cc->ll.GetAsString(value, &size);
    else if (!value || cc->ll.GetValueKind(value) != LL_ZERO_AGGREGATE)
        return sam_cc_refuse(cc, call, "printf: expected a string constant as its format");
    size = strnlen(format, size);
    p.builder = cc->ll.CreateBuilderInContext(cc->context);
    cc->ll.PositionBuilderBefore(p.builder, call);
    llvm_ref pointer = cc->ll.PointerType(p.i8, AS_PRIVATE);
    llvm_ref type = cc->ll.FunctionType(pointer, NULL, 0, 0);
    llvm_ref buffer = cc->ll.GetNamedFunction(cc->module, BUFFER);
    if (!buffer)
        buffer = cc->ll.AddFunction(cc->module, BUFFER, type);
    p.buffer = cc->ll.BuildCall2(p.builder, type, buffer, NULL, 0, "");
    p.at = number(&p, 0);
    enum sam_status status = parse(&p, format, size);
    if (status == SAM_OK)
        status = put(&p, "__samite_put_end", NULL, 0);
    if (status == SAM_OK) {
        cc->ll.ReplaceAllUsesWith(call, number(&p, 0));
        cc->ll.InstructionEraseFromParent(call);
    }
    cc->ll.DisposeBuilder(p.builder);
    return status;
}

void sam_cc_print_buffer(struct cc *cc, llvm_ref kernel)
{
    const struct llvm *ll = &cc->ll;
    llvm_ref function = ll->GetNamedFunction(cc->module, BUFFER), buffer = NULL, next;
    llvm_ref entry = ll->GetFirstBasicBlock(kernel);
    for (llvm_ref b = function ? entry : NULL; b; b = ll->GetNextBasicBlock(b))
        for (llvm_ref i = ll->GetFirstInstruction(b); i; i = next) {
            next = ll->GetNextInstruction(i);
            if (ll->GetInstructionOpcode(i) != LL_CALL || ll->GetCalledValue(i) != function)
                continue;
            if (!buffer) {
                llvm_ref builder = ll->CreateBuilderInContext(cc->context);
                llvm_ref i8 = ll->IntTypeInContext(cc->context, 8);
                ll->PositionBuilderBefore(builder, ll->GetFirstInstruction(entry));
                buffer = ll->BuildAlloca(builder, ll->ArrayType(i8, CC_PRINT_BYTES), "");
                ll->SetAlignment(buffer, 4);
                buffer = ll->BuildCast(builder, LL_BITCAST, buffer, ll->TypeOf(i), "");
                ll->DisposeBuilder(builder);
            }
            ll->ReplaceAllUsesWith(i, buffer);
            ll->InstructionEraseFromParent(i);
        }
}
