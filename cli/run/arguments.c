/* SPDX-License-Identifier: Apache-2.0 */
/* --arg: parsing, and writing outputs to their files. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "run/run.h"

static int bad_argument(const struct cli_args *args, const char *word, const char *what)
{
    return cli_usage_error(args, "--arg %s: %s", word, what);
}

/* "1024", "32x32" or "32,32": up to 8 dimensions. */
bool run_parse_shape(char *text, struct sam_array *array)
{
    uint64_t count = 1;
    for (array->rank = 0; text; array->rank++) {
        char *times = strpbrk(text, "x,");
        if (times == text + 1 && text[0] == '0' && *times == 'x')
            return false; /* 0x10 would be read as 0 x 10 */
        if (times)
            *times = '\0';
        uint64_t value;
        if (array->rank == 8 || !sam_parse_u64(text, &value) || value == 0 || value > UINT32_MAX ||
            (count *= value) > UINT32_MAX)
            return false;
        array->shape[array->rank] = value;
        text = times ? times + 1 : NULL;
    }
    array->count = (size_t)count;
    array->size = array->count * sam_dtype_size(array->dtype);
    return array->size <= UINT32_MAX;
}

bool run_parse_dtype(const char *text, enum sam_dtype *dtype)
{
    enum sam_dtype found;
    if (!sam_dtype_parse(text, &found) || sam_dtype_npy(found) != found)
        return false;
    *dtype = found;
    return true;
}

static int parse_output(const struct run_request *r, const char *word, char *rest,
                        struct run_argument *a)
{
    a->kind = RUN_BUFFER;
    a->output = true;
    if (r->words == RUN_NETWORK_WORDS) { /* the network has the type and the shape */
        a->path = rest;
        return *rest ? CLI_OK : bad_argument(r->args, word, "no file name");
    }
    char *type = strsep(&rest, ":"), *shape = strsep(&rest, ":");
    if (!type || !run_parse_dtype(type, &a->array.dtype))
        return bad_argument(r->args, word,
                            "expected out:TYPE:COUNT[:FILE.npy], with a type such as "
                            "f32 or u8");
    if (!shape || !run_parse_shape(shape, &a->array))
        return bad_argument(r->args, word,
                            "expected a count or a shape such as 32x32, below 4 GiB");
    a->array.data = calloc(a->array.size, 1);
    if (!a->array.data)
        return cli_no_memory();
    a->path = rest;
    return rest && !*rest ? bad_argument(r->args, word, "no file name") : CLI_OK;
}

static int parse_input(const struct cli_args *args, const char *word, const char *path,
                       struct run_argument *a)
{
    struct sam_error error;
    a->kind = RUN_BUFFER;
    a->input = path;
    if (!path || !*path)
        return bad_argument(args, word, "no file name");
    return cli_code(sam_npy_read(path, &a->array, &error), &error);
}

/* Tensor `a->packed` of a packed file as an array, widened to `wanted` unless that is
 * SAM_DTYPES. */
static bool unpack(const void *data, size_t size, struct run_argument *a, enum sam_dtype wanted,
                   struct sam_error *error)
{
    struct sam_packed *packed;
    if (sam_packed_open(data, size, NULL, &packed, error) != SAM_OK)
        return false;
    const size_t index = sam_packed_find(packed, a->packed);
    const struct sam_weight *w =
        index == SIZE_MAX ? NULL : &sam_packed_weights(packed)->tensors[index];
    if (!w || w->type == SAM_OPAQUE || w->rank > 8 || w->size > UINT32_MAX) {
        sam_packed_close(packed);
        return cli_fail(error, SAM_ERR_INPUT, NULL,
                        w ? "the tensor cannot be an array" : "no tensor of that name");
    }
    const enum sam_dtype to = wanted == SAM_DTYPES ? w->type : wanted;
    const size_t count = (size_t)(w->size * 8 / sam_dtype_bits(w->type));
    a->array = (struct sam_array){.dtype = sam_dtype_npy(to), .rank = w->rank, .count = count};
    for (size_t i = 0; i < w->rank; i++)
        a->array.shape[i] = w->shape[i];
    a->array.size = count * sam_dtype_size(to);
    if (sam_dtype_bits(to) == 4) { /* as they are: pairs */
        const bool even = w->rank && w->shape[w->rank - 1] % 2 == 0;
        a->array.count = a->array.size = (size_t)w->size;
        a->array.rank = even ? w->rank : 1;
        a->array.shape[a->array.rank - 1] = even ? w->shape[w->rank - 1] / 2 : w->size;
    }
    uint8_t *bytes = malloc((size_t)w->size + 1), *out = malloc(a->array.size + 1);
    a->array.data = out;
    if (!bytes || !out)
        cli_fail_memory(error);
    const bool good =
        bytes && out && sam_packed_read(packed, index, 0, w->size, bytes, error) == SAM_OK;
    if (good && sam_dtype_bits(to) == 4)
        memcpy(out, bytes, (size_t)w->size);
    for (size_t i = 0; i < count && good && sam_dtype_bits(to) != 4; i++) {
        const size_t bits = sam_dtype_bits(w->type), at = i * bits;
        uint64_t element = 0;
        memcpy(&element, bytes + at / 8, bits < 8 ? 1 : bits / 8);
        if (bits < 8)
            element = element >> at % 8 & ((1u << bits) - 1);
        if (to != w->type)
            element = sam_dtype_round(to, sam_dtype_value(w->type, element));
        memcpy(out + i * sam_dtype_size(to), &element, sam_dtype_size(to));
    }
    free(bytes);
    sam_packed_close(packed);
    return good;
}

/* packed:[TYPE:]FILE.smw:TENSOR */
static int parse_packed(const struct cli_args *args, const char *word, char *rest,
                        struct run_argument *a)
{
    enum sam_dtype wanted = SAM_DTYPES;
    struct sam_error error;
    char *data = NULL, *after = rest;
    size_t size;
    const char *part = strsep(&after, ":");
    if (after && sam_dtype_parse(part, &wanted))
        part = strsep(&after, ":");
    if (!after || !*after || !*part)
        return bad_argument(args, word,
                            "expected packed:FILE.smw:TENSOR or packed:TYPE:FILE.smw:TENSOR");
    a->kind = RUN_BUFFER;
    a->input = part;
    a->packed = after;
    if (wanted != SAM_DTYPES && wanted != SAM_F32 && wanted != SAM_F16 && wanted != SAM_BF16)
        return bad_argument(args, word, "weights become f32, f16 or bf16");
    const int code = cli_load(part, (size_t)1 << 31, &data, &size);
    if (code != CLI_OK)
        return code;
    const bool good = unpack(data, size, a, wanted, &error);
    free(data);
    return good ? CLI_OK : cli_error("--arg %s: %s", word, error.text);
}

static bool parse_integer(const char *text, bool is_signed, unsigned bits, uint64_t *value)
{
    bool negative = is_signed && *text == '-';
    uint64_t magnitude;
    if (!sam_parse_u64(text + negative, &magnitude))
        return false;
    uint64_t top = is_signed ? (UINT64_C(1) << (bits - 1)) - !negative : UINT64_MAX >> (64 - bits);
    *value = negative ? 0 - magnitude : magnitude;
    return magnitude <= top;
}

/* Decimal or hexadecimal, inf, nan; rounded once, to the type's own precision. */
static bool parse_real(const char *text, bool wide, uint64_t *value)
{
    char *end;
    if (!*text || isspace((unsigned char)*text))
        return false;
    errno = 0;
    double number = 0;
    float single = 0;
    if (wide)
        number = strtod(text, &end);
    else
        number = single = strtof(text, &end);
    uint32_t low;
    memcpy(&low, &single, sizeof low);
    *value = low;
    if (wide)
        memcpy(value, &number, sizeof number);
    return !*end && !(errno == ERANGE && (number > 1 || number < -1)); /* underflow is zero */
}

/* The bits of a double become those of an f16; false if a finite number would be infinite. */
static bool round_half(uint64_t *bits)
{
    double number;
    memcpy(&number, bits, sizeof number);
    *bits = sam_dtype_round(SAM_F16, number);
    return isinf(number) || !isinf(sam_dtype_value(SAM_F16, *bits));
}

static int parse_scalar(const struct cli_args *args, const char *word, enum sam_dtype dtype,
                        const char *text, struct run_argument *a)
{
    unsigned bytes = (unsigned)sam_dtype_size(dtype);
    bool good = false;
    a->kind = RUN_SCALAR;
    a->dtype = dtype;
    a->size = bytes < 4 ? 4 : bytes;
    switch (sam_dtype_class(dtype)) {
    case SAM_CLASS_UINT: good = parse_integer(text, false, 8 * bytes, &a->bits); break;
    case SAM_CLASS_INT: good = parse_integer(text, true, 8 * bytes, &a->bits); break;
    case SAM_CLASS_FLOAT:
        good = parse_real(text, dtype != SAM_F32, &a->bits) &&
               (dtype != SAM_F16 || round_half(&a->bits));
        break;
    case SAM_CLASS_BOOL: good = parse_integer(text, false, 1, &a->bits); break;
    case SAM_CLASS_OPAQUE: break;
    }
    return good ? CLI_OK
                : cli_usage_error(args, "--arg %s: expected a value of %s", word,
                                  sam_dtype_name(dtype));
}

static int parse_local(const struct cli_args *args, const char *word, const char *text,
                       struct run_argument *a)
{
    uint64_t bytes;
    if (!sam_parse_u64(text, &bytes) || bytes == 0 || bytes > SAM_LDS_SIZE)
        return bad_argument(args, word, "expected local:BYTES");
    a->kind = RUN_LOCAL;
    a->size = (size_t)bytes;
    return CLI_OK;
}

static const char kinds[] =
    "in out inout local packed u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64 bool";

/* Whether a text begins with a kind and a colon. */
static bool is_kind(const struct run_request *r, const char *text)
{
    const size_t size = strcspn(text, ":");
    return text[size] &&
           cli_choice(r->words == RUN_NETWORK_WORDS ? "in out" : kinds, text, size) >= 0;
}

/* Split "[NAME=]KIND:REST", for a tile program also "NAME:KIND:REST"; for both a tile program and a
 * network "NAME:FILE" is an input. The names of a network may contain anything. Returns the rest;
 * NULL: none of these. */
static char *split(const struct run_request *r, char *text, const char **name, const char **kind)
{
    const bool network = r->words == RUN_NETWORK_WORDS, tile = r->words == RUN_TILE_WORDS;
    char *at = text, *end = text + strcspn(text, tile ? ":=" : "=");
    for (; !is_kind(r, at) && *end; end = at + strcspn(at, network ? "=" : ""))
        at = end + 1;
    char *colon = strchr(at, ':');
    *kind = at;
    if (!is_kind(r, at)) {
        end = network ? strrchr(text, ':') : tile ? text + strcspn(text, ":=") : NULL;
        if (!end || *end != ':' || (network && !end[1]))
            return NULL;
        *kind = "in";
        at = (colon = end) + 1;
    }
    if (at - text == 1)
        return NULL; /* no name */
    *name = at > text ? text : NULL;
    if (at > text)
        at[-1] = '\0';
    *colon = '\0';
    return colon + 1;
}

static int parse_argument(const struct run_request *r, const char *word, struct run_argument *a)
{
    static const char *const expected[] = {
        [RUN_WORDS] = "expected in:FILE.npy, out:TYPE:COUNT[:FILE.npy], inout:IN.npy[:OUT.npy], "
                      "local:BYTES or TYPE:VALUE",
        [RUN_TILE_WORDS] = "expected in:FILE.npy, out:TYPE:COUNT[:FILE.npy], "
                           "inout:IN.npy[:OUT.npy], TYPE:VALUE or NAME:FILE.npy",
        [RUN_NETWORK_WORDS] = "expected [NAME=]in:FILE.npy, [NAME=]out:FILE.npy or NAME:FILE.npy"};
    const struct cli_args *args = r->args;
    const char *kind;
    enum sam_dtype dtype;
    char *rest = split(r, a->text, &a->name, &kind);
    if (!rest)
        return bad_argument(args, word,
                            r->words != RUN_NETWORK_WORDS && strchr(word, ':')
                                ? "unknown kind: expected in, out, inout, local, packed, or a type "
                                  "(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 bool)"
                                : expected[r->words]);
    if (strcmp(kind, "in") == 0)
        return parse_input(args, word, rest, a);
    if (strcmp(kind, "out") == 0)
        return parse_output(r, word, rest, a);
    if (strcmp(kind, "local") == 0)
        return parse_local(args, word, rest, a);
    if (strcmp(kind, "packed") == 0)
        return parse_packed(args, word, rest, a);
    if (run_parse_dtype(kind, &dtype))
        return parse_scalar(args, word, dtype, rest, a);
    const char *in = strsep(&rest, ":"); /* inout */
    a->output = true;
    a->path = rest;
    return rest && !*rest ? bad_argument(args, word, "no file name")
                          : parse_input(args, word, in, a);
}

/* Check that outputs can be written and overwrite no other file; an inout may replace its input. */
static int check_files(const struct cli_args *args, const struct run_arguments *all)
{
    int code = CLI_OK;
    for (size_t i = 0; i < all->count && code == CLI_OK; i++) {
        const struct run_argument *a = &all->items[i];
        const char *path = a->output ? a->path : NULL;
        code = a->input ? cli_changes(args, a->input, path) : cli_writes(args, path);
        if (path && code == CLI_OK)
            code = run_check_output(path);
    }
    return code;
}

struct run_argument *run_arguments_add(struct run_arguments *arguments, const char *word)
{
    struct run_argument *grown =
        realloc(arguments->items, (arguments->count + 1) * sizeof *arguments->items);
    char *text = strdup(word);
    if (grown)
        arguments->items = grown;
    if (!grown || !text) {
        free(text);
        return NULL;
    }
    grown[arguments->count] = (struct run_argument){.word = word, .text = text};
    return &grown[arguments->count++];
}

int run_arguments_parse(const struct run_request *r, struct run_arguments *arguments)
{
    int code = CLI_OK;
    for (size_t i = 0; i < r->arguments.count && code == CLI_OK; i++) {
        struct run_argument *a = run_arguments_add(arguments, r->arguments.items[i]);
        code = a ? parse_argument(r, a->word, a) : cli_no_memory();
    }
    return code ?: check_files(r->args, arguments);
}

void run_arguments_free(struct run_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        sam_array_free(&arguments->items[i].array);
        free(arguments->items[i].text);
    }
    free(arguments->items);
    *arguments = (struct run_arguments){0};
}

bool run_arguments_to_stdout(const struct run_arguments *arguments)
{
    bool found = false;
    for (size_t i = 0; i < arguments->count; i++)
        found |= arguments->items[i].output && cli_is_stdio(arguments->items[i].path);
    return found;
}

int run_arguments_take(struct run_arguments *arguments, const struct run_memory *memory)
{
    struct sam_error error;
    for (size_t i = 0; i < arguments->count; i++) {
        struct run_argument *a = &arguments->items[i];
        if (a->input &&
            !memory->read(memory->context, a->address, a->array.data, a->array.size, &error))
            return cli_report(&error);
    }
    return CLI_OK;
}

/* The first input byte changed by the program; the array's size if none. */
static size_t first_change(const struct run_argument *a, const struct run_memory *memory)
{
    const uint8_t *before = a->array.data;
    uint8_t now[16384];
    for (size_t at = 0, size; at < a->array.size; at += size) {
        size = a->array.size - at < sizeof now ? a->array.size - at : sizeof now;
        if (memory->read(memory->context, a->address + at, now, size, NULL) &&
            memcmp(before + at, now, size) != 0)
            for (size_t k = 0;; k++)
                if (now[k] != before[at + k])
                    return at + k;
    }
    return a->array.size;
}

/* Report a store into an input buffer: its result is lost. */
static void note_stored_input(const struct run_argument *a, const struct run_memory *memory)
{
    char where[512] = "";
    uint64_t at;
    bool stored;
    if (memory->find_store) {
        stored = memory->find_store(memory->context, a->address, &at, where, sizeof where);
    } else {
        at = a->address + first_change(a, memory);
        stored = at < a->address + a->array.size;
    }
    if (stored)
        cli_note("--arg %s: the program stored into this input, first at byte 0x%llx (0x%08llx)%s: "
                 "expected inout:, an input is not written back",
                 a->word, (unsigned long long)(at - a->address), (unsigned long long)at, where);
}

int run_arguments_fetch(struct run_arguments *arguments, const struct run_memory *memory)
{
    struct sam_error error;
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->items[i].input && !arguments->items[i].output)
            note_stored_input(&arguments->items[i], memory);
    for (size_t i = 0; i < arguments->count; i++) {
        struct run_argument *a = &arguments->items[i];
        if (a->output &&
            !memory->read(memory->context, a->address, a->array.data, a->array.size, &error))
            return cli_report(&error);
    }
    return CLI_OK;
}

int run_arguments_write(const struct run_arguments *arguments)
{
    struct sam_error error;
    for (size_t i = 0; i < arguments->count; i++) {
        const struct run_argument *a = &arguments->items[i];
        if (a->output && a->path && sam_npy_write(a->path, &a->array, &error) != SAM_OK)
            return cli_report(&error);
    }
    return CLI_OK;
}
