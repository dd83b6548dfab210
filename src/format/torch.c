/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch checkpoints: a zip archive with the pickle NAME/data.pkl, and each storage as entry
 * NAME/data/KEY. A tensor in the pickle is a call that would build it from its storage (a
 * persistent id with type, key and length), offset, size and strides. Names follow
 * torch/serialization.py and torch/_utils.py, whose comments and code are the source. */
#include "format/torch.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "format/pickle.h"
#include "format/zip.h"

enum {
    MAX_PICKLE = 1 << 26,
    MAX_NESTING = 32,
    MAX_VISITS = 1 << 22,   /* values, counted at each visit */
    MAX_NAME = 4096,        /* bytes of a tensor's name */
    MAX_EXPANDED = 1 << 28, /* elements of a view with repeated elements */
    BEFORE_ARGUMENTS = 6,   /* of _rebuild_tensor_v2 */
    DTYPE_ARGUMENT = 6,     /* of _rebuild_tensor_v3 */
    PERSISTENT_ITEMS = 5,   /* "storage", class, key, location, elements */
};

enum callable { ORDERED_DICT, DEFAULT_DICT, TENSOR_V2, TENSOR_V3, PARAMETER, CALLABLES };

/* Known globals: functions, then storage classes, then dtypes. */
static const char *const globals[] = {
    [ORDERED_DICT] = "collections.OrderedDict",
    [DEFAULT_DICT] = "collections.defaultdict", /* of a function that makes values */
    [TENSOR_V2] = "torch._utils._rebuild_tensor_v2",
    [TENSOR_V3] = "torch._utils._rebuild_tensor_v3",
    [PARAMETER] = "torch._utils._rebuild_parameter",
    "torch.FloatStorage",
    "torch.DoubleStorage",
    "torch.HalfStorage",
    "torch.BFloat16Storage",
    "torch.LongStorage",
    "torch.IntStorage",
    "torch.ShortStorage",
    "torch.CharStorage",
    "torch.ByteStorage",
    "torch.BoolStorage",
    "torch.storage.UntypedStorage",
    "torch.UntypedStorage",
    "torch.float8_e4m3fn",
    "torch.float8_e5m2",
    "torch.float8_e8m0fnu",
    "torch.uint16",
    "torch.uint32",
    "torch.uint64",
    NULL,
};

/* Element types of the globals after the functions; OPAQUE: an untyped storage. */
static const enum sam_dtype types[SAM_COUNT(globals)] = {
    [CALLABLES] = SAM_F32,
    SAM_F64,
    SAM_F16,
    SAM_BF16,
    SAM_I64,
    SAM_I32,
    SAM_I16,
    SAM_I8,
    SAM_U8,
    SAM_BOOL,
    SAM_OPAQUE,
    SAM_OPAQUE,
    SAM_E4M3,
    SAM_E5M2,
    SAM_E8M0,
    SAM_U16,
    SAM_U32,
    SAM_U64,
};
enum { FIRST_DTYPE = CALLABLES + 12 };

typedef const struct sam_pickle_value value;

struct reader {
    const char *file;
    struct sam_pickle pickle;
    struct sam_zip zip;
    struct sam_names storages; /* by key */
    const char *root;          /* "archive/" */
    int root_size;
    struct sam_torch *torch;
    size_t tensor_room, view_room, storage_room, text_room;
    char name[MAX_NAME + 1];
    const char *unnamed; /* why a tensor here has no name, or NULL */
    size_t visits;
    bool failed;
    struct sam_error *error;
};

static bool wrong(struct reader *r, const char *what)
{
    if (!r->failed)
        sam_fail(r->error, SAM_ERR_INPUT, "%s: tensor '%.200s': %s", r->file,
                 *r->name ? r->name : "data", what);
    r->failed = true;
    return false;
}

static bool no_memory(struct reader *r)
{
    sam_fail_memory(r->error);
    r->failed = true;
    return false;
}

/* Get the `count` items of a tuple. Returns false if it is not one or has fewer. */
static bool items_of(const struct reader *r, value *tuple, value **items, size_t count)
{
    uint32_t at = 0;
    if (tuple->kind != SAM_PICKLE_TUPLE || tuple->count < count)
        return false;
    for (size_t i = 0; i < count; i++)
        items[i] = sam_pickle_next(&r->pickle, tuple, &at);
    return true;
}

static bool is_call(const struct reader *r, value *v, enum callable callable)
{
    return v->kind == SAM_PICKLE_CALL && r->pickle.values[v->callable].number == (int64_t)callable;
}

/* Returns whether a value is an object: what a function or class makes that is not known here. */
static bool is_object(const struct reader *r, value *v)
{
    return v->kind == SAM_PICKLE_CALL && r->pickle.values[v->callable].number < 0;
}

/* --- storages */
/* Returns "NAME/data/KEY", allocated, or NULL on out-of-memory. */
static char *entry_name(struct reader *r, value *key)
{
    struct sam_buffer text = {0};
    sam_buffer_printf(&text, "%.*sdata/%.*s", r->root_size, r->root, (int)key->size, key->text);
    char **grown = sam_grow(r->torch->texts, r->torch->text_count, &r->text_room, sizeof *grown);
    r->torch->texts = grown ? grown : r->torch->texts;
    if (!grown || text.failed) {
        sam_buffer_free(&text);
        return NULL;
    }
    grown[r->torch->text_count++] = (char *)text.data;
    return (char *)text.data;
}

static bool add_storage(struct reader *r, value *key, enum sam_dtype type, uint64_t elements,
                        size_t *index)
{
    struct sam_torch *t = r->torch;
    const char *entry = entry_name(r, key);
    if (!entry)
        return no_memory(r);
    const struct sam_zip_entry *found = sam_zip_find(&r->zip, entry);
    uint64_t offset, size;
    if (!found)
        return wrong(r, "its storage is not in the archive");
    if (sam_zip_locate(&r->zip, found, &offset, r->error) != SAM_OK) {
        r->failed = true;
        return false;
    }
    if (__builtin_mul_overflow(elements, sam_dtype_bits(type) / 8, &size) || size != found->size)
        return wrong(r, "its storage has another size in the archive than in the pickle");
    struct sam_torch_storage *grown =
        sam_grow(t->storages, t->storage_count, &r->storage_room, sizeof *grown);
    if (!grown)
        return no_memory(r);
    t->storages = grown;
    grown[t->storage_count] = (struct sam_torch_storage){entry, offset, size, type};
    *index = t->storage_count++;
    /* Tables store indices from 1 as pointers. */
    return sam_names_add(&r->storages, key->text, key->size, (void *)(uintptr_t)(*index + 1)) ||
           no_memory(r);
}

/* Get the items of the persistent id of a storage. Returns false if it is none. */
static bool storage_id(const struct reader *r, value *v, value *id[PERSISTENT_ITEMS])
{
    return v->kind == SAM_PICKLE_PERSISTENT &&
           items_of(r, &r->pickle.values[v->arguments], id, PERSISTENT_ITEMS) &&
           id[0]->kind == SAM_PICKLE_TEXT && id[0]->size == 7 &&
           memcmp(id[0]->text, "storage", 7) == 0 && id[2]->kind == SAM_PICKLE_TEXT &&
           id[2]->size <= MAX_NAME && !memchr(id[2]->text, 0, id[2]->size);
}

static size_t known_storage(const struct reader *r, value *key) /* from 1; 0: it is not known */
{
    return (uintptr_t)sam_names_find(&r->storages, key->text, key->size);
}

/* The storage of a persistent id. */
static bool find_storage(struct reader *r, value *v, size_t *index)
{
    value *id[PERSISTENT_ITEMS];
    if (storage_id(r, v, id) && id[1]->kind == SAM_PICKLE_GLOBAL && id[1]->number < 0)
        return wrong(r, "elements of a type that is not read");
    if (!storage_id(r, v, id) || id[1]->kind != SAM_PICKLE_GLOBAL || id[1]->number < CALLABLES ||
        id[1]->number >= FIRST_DTYPE || id[4]->kind != SAM_PICKLE_INT || id[4]->number < 0)
        return wrong(r, "an invalid storage");
    const enum sam_dtype type = types[id[1]->number];
    *index = known_storage(r, id[2]);
    if (*index == 0)
        return add_storage(r, id[2], type, (uint64_t)id[4]->number, index);
    return r->torch->storages[--*index].type == type ||
           wrong(r, "its storage has two types of elements");
}

/* --- tensors */
/* Shape and strides. */
static bool read_shape(struct reader *r, value *size, value *stride, struct sam_weight *w,
                       struct sam_torch_view *view)
{
    uint32_t a = 0, b = 0;
    value *n, *s;
    if (size->kind != SAM_PICKLE_TUPLE || stride->kind != SAM_PICKLE_TUPLE ||
        size->count != stride->count)
        return wrong(r, "an invalid shape or strides");
    if (size->count > SAM_WEIGHT_RANK)
        return wrong(r, "more than 16 dimensions");
    while ((n = sam_pickle_next(&r->pickle, size, &a)) &&
           (s = sam_pickle_next(&r->pickle, stride, &b))) {
        if (n->kind != SAM_PICKLE_INT || s->kind != SAM_PICKLE_INT || n->number < 0 ||
            s->number < 0)
            return wrong(r, "an invalid shape or strides");
        view->stride[w->rank] = (uint64_t)s->number;
        w->shape[w->rank++] = (uint64_t)n->number;
    }
    return true;
}

/* Compute the element count, and the extent in storage. Returns false on overflow. */
static bool measure(const struct sam_weight *w, const struct sam_torch_view *view, uint64_t *count,
                    uint64_t *span)
{
    *count = *span = 1;
    for (size_t d = 0; d < w->rank; d++)
        if (w->shape[d] == 0)
            *count = *span = 0;
    for (size_t d = 0; *count && d < w->rank; d++) {
        uint64_t far;
        if (__builtin_mul_overflow(*count, w->shape[d], count) ||
            __builtin_mul_overflow(w->shape[d] - 1, view->stride[d], &far) ||
            __builtin_add_overflow(*span, far, span))
            return false;
    }
    return true;
}

/* Determine whether the elements are contiguous, in C order and in any dimension order. */
static void judge_order(const struct sam_weight *w, struct sam_torch_view *view, uint64_t count,
                        uint64_t span)
{
    uint64_t expected = 1;
    view->in_order = count == span;
    for (size_t d = w->rank; view->in_order && d-- > 0; expected *= w->shape[d])
        view->in_order = w->shape[d] == 1 || view->stride[d] == expected;
    view->in_order |= count == 0;
    /* In order of ascending stride, each stride must be the size of the dimensions inside it. */
    bool used[SAM_WEIGHT_RANK] = {false};
    expected = 1;
    for (size_t turn = 0; turn < w->rank; turn++)
        for (size_t d = 0; d < w->rank; d++)
            if (!used[d] && (w->shape[d] == 1 || view->stride[d] == expected)) {
                used[d] = true;
                expected *= w->shape[d];
            }
    view->dense = view->in_order || (count == span && expected == count);
}

static bool add_tensor(struct reader *r, const struct sam_weight *w,
                       const struct sam_torch_view *view)
{
    struct sam_torch *t = r->torch;
    const char *name = *r->name ? r->name : "data";
    if (r->unnamed)
        return wrong(r, r->unnamed);
    if (sam_names_find(&t->names, name, strlen(name)))
        return wrong(r, "there are two of that name");
    struct sam_weight *tensors = sam_grow(t->tensors, t->count, &r->tensor_room, sizeof *tensors);
    t->tensors = tensors ? tensors : t->tensors;
    struct sam_torch_view *views = sam_grow(t->views, t->count, &r->view_room, sizeof *views);
    t->views = views ? views : t->views;
    char **texts = sam_grow(t->texts, t->text_count, &r->text_room, sizeof *texts);
    t->texts = texts ? texts : t->texts;
    char *copy = sam_strdup(name);
    if (copy && texts)
        texts[t->text_count++] = copy;
    else
        free(copy);
    if (!tensors || !views || !texts || !copy ||
        !sam_names_add(&t->names, copy, strlen(copy), copy))
        return no_memory(r);
    tensors[t->count] = *w;
    tensors[t->count].name = copy;
    views[t->count++] = *view;
    return true;
}

/* Arguments of _rebuild_tensor_v2 and _v3: storage, offset, size, strides, requires_grad, hooks,
 * for v3 the dtype, optionally metadata (of a conjugated or negated tensor). */
static bool read_tensor(struct reader *r, value *call, bool typed)
{
    value *all = &r->pickle.values[call->arguments], *v[BEFORE_ARGUMENTS + 2] = {0};
    const size_t least = BEFORE_ARGUMENTS + typed;
    struct sam_weight w = {0};
    struct sam_torch_view view = {0};
    if ((all->count != least && all->count != least + 1) || !items_of(r, all, v, all->count) ||
        v[1]->kind != SAM_PICKLE_INT || v[1]->number < 0)
        return wrong(r, "invalid arguments");
    if (all->count > least && v[least]->kind != SAM_PICKLE_NONE && v[least]->count)
        return wrong(r, "a conjugated or negated view, which is not read");
    if (!find_storage(r, v[0], &view.storage) || !read_shape(r, v[2], v[3], &w, &view))
        return false;
    const struct sam_torch_storage *storage = &r->torch->storages[view.storage];
    w.type = storage->type;
    if (typed) {
        value *type = v[DTYPE_ARGUMENT];
        if (type->kind != SAM_PICKLE_GLOBAL || type->number < FIRST_DTYPE)
            return wrong(r, "an invalid type of elements");
        w.type = types[type->number];
    }
    if (w.type == SAM_OPAQUE || (typed && storage->type != SAM_OPAQUE))
        return wrong(r, "its storage does not fit its type of elements");
    const uint64_t width = sam_dtype_size(w.type), first = (uint64_t)v[1]->number;
    uint64_t count, span;
    if (!measure(&w, &view, &count, &span) || count > (uint64_t)INT64_MAX / width)
        return wrong(r, "a shape that is too large");
    if (count && (span > storage->size / width || first > storage->size / width - span))
        return wrong(r, "it extends past the end of its storage");
    if (count > span && count > MAX_EXPANDED)
        return wrong(r, "a view that repeats its elements more than 2^28 times");
    w.size = count * width;
    view.offset = storage->offset + (count ? first * width : 0);
    view.span = span * width;
    judge_order(&w, &view, count, span);
    return add_tensor(r, &w, &view);
}

/* --- traversal */
/* Append a key, of a class its name, or an index to the name. Returns NULL, or what is wrong with
 * the key, which matters if it leads to a tensor. */
static const char *append_key(struct reader *r, value *key, uint64_t index)
{
    const size_t used = strlen(r->name);
    char number[24];
    const char *text = number;
    snprintf(number, sizeof number, "%lld", key ? (long long)key->number : (long long)index);
    size_t size = strlen(number);
    if (key && (key->kind == SAM_PICKLE_TEXT || key->kind == SAM_PICKLE_GLOBAL)) {
        text = key->text;
        size = key->size;
    } else if (key && key->kind != SAM_PICKLE_INT) {
        return "a key below it is neither text nor a number";
    }
    if (size > MAX_NAME - 1 - used || memchr(text, 0, size))
        return "an invalid name, or one of more than 4096 bytes, below it";
    r->name[used] = '.';
    memcpy(r->name + used + (used > 0), text, size);
    r->name[used + (used > 0) + size] = '\0';
    return NULL;
}

static bool visit(struct reader *r, value *v, unsigned nesting);

static bool visit_items(struct reader *r, value *v, bool keyed, unsigned nesting)
{
    const size_t used = strlen(r->name);
    const char *unnamed = r->unnamed;
    uint32_t at = 0, index = 0;
    bool good = true;
    for (value *item; good && (item = sam_pickle_next(&r->pickle, v, &at)); index++) {
        value *content = keyed ? sam_pickle_next(&r->pickle, v, &at) : item;
        if (!unnamed)
            r->unnamed = append_key(r, keyed ? item : NULL, index);
        good = content ? visit(r, content, nesting + 1) : wrong(r, "a key without a value");
        r->name[used] = '\0';
        r->unnamed = unnamed;
    }
    return good;
}

static bool visit(struct reader *r, value *v, unsigned nesting)
{
    value *data;
    if (nesting > MAX_NESTING || ++r->visits > MAX_VISITS)
        return wrong(r, nesting > MAX_NESTING ? "nested too deeply" : "more than 2^22 values");
    switch (v->kind) {
    case SAM_PICKLE_DICT: return visit_items(r, v, true, nesting);
    case SAM_PICKLE_LIST:
    case SAM_PICKLE_TUPLE: return visit_items(r, v, false, nesting);
    case SAM_PICKLE_CALL: break;
    case SAM_PICKLE_PERSISTENT: return wrong(r, "a storage without a tensor");
    default: return true; /* numbers and texts next to the tensors */
    }
    const bool ordered = is_call(r, v, ORDERED_DICT);
    if (ordered || is_call(r, v, DEFAULT_DICT))
        return r->pickle.values[v->arguments].count <= !ordered
                   ? visit_items(r, v, true, nesting)
                   : wrong(r, "an invalid OrderedDict or defaultdict");
    if (is_object(r, v))
        return true;
    if (v->count)
        return wrong(r, "a tensor with items");
    if (is_call(r, v, PARAMETER))
        return items_of(r, &r->pickle.values[v->arguments], &data, 1)
                   ? visit(r, data, nesting + 1)
                   : wrong(r, "a parameter without data");
    if (is_call(r, v, TENSOR_V2) || is_call(r, v, TENSOR_V3))
        return read_tensor(r, v, is_call(r, v, TENSOR_V3));
    return wrong(r, "a call that makes no tensor");
}

/* --- the archive */
static bool fail(struct reader *r, const char *what)
{
    sam_fail(r->error, SAM_ERR_INPUT, "%s: %s", r->file, what);
    return false;
}

/* Returns the function or class of the object that is all there is, else of the object around the
 * value at `at`, else of the last one before it: the attributes of an object follow it. */
static value *maker_of(const struct reader *r, size_t at)
{
    value *all = r->pickle.values, *root = &all[r->pickle.root], *before = NULL;
    if (is_object(r, root))
        return &all[root->callable];
    for (size_t i = 0; i < r->pickle.value_count; i++) {
        if (!is_object(r, &all[i]))
            continue;
        if (i > at && all[i].callable < at)
            return &all[all[i].callable];
        if (i < at)
            before = &all[all[i].callable];
    }
    return before;
}

/* Objects are passed over. Returns false, with `error`, if tensors are in them or nowhere else. */
static bool all_read(struct reader *r)
{
    value *id[PERSISTENT_ITEMS], *maker = NULL;
    bool inside = false;
    for (size_t i = 0; i < r->pickle.value_count && !inside; i++) {
        inside = storage_id(r, &r->pickle.values[i], id) && !known_storage(r, id[2]);
        if (inside)
            maker = maker_of(r, i);
    }
    if (!inside && r->torch->count == 0)
        maker = maker_of(r, r->pickle.value_count);
    if (!maker)
        return true;
    char name[200];
    snprintf(name, sizeof name, "%.*s", (int)maker->size, maker->text);
    sam_text_make_plain(name);
    sam_fail(
        r->error, SAM_ERR_INPUT,
        "%s: %s '%s': expected tensors in dicts, lists and tuples, as in a state_dict()", r->file,
        inside ? "a tensor inside an object made by" : "no tensors, but an object made by", name);
    return false;
}

/* Before version 1.6 a file was a series of pickles, the first of which was this number. */
static bool is_archive(struct reader *r, struct sam_source source)
{
    static const uint8_t legacy[] = {0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20};
    uint8_t start[sizeof legacy] = {0};
    const size_t size = source.size < sizeof start ? (size_t)source.size : sizeof start;
    if (sam_source_read(source, r->file, 0, start, size, r->error) != SAM_OK)
        return false;
    if (memcmp(start, legacy, sizeof legacy) == 0)
        return fail(r, "a checkpoint in the format before PyTorch 1.6: load it and save it again "
                       "with torch.save");
    return memcmp(start, "PK\3\4", 4) == 0 ||
           fail(r, "not a PyTorch checkpoint: expected a zip archive of torch.save");
}

/* Find the entry NAME/data.pkl, which also gives NAME. */
static const struct sam_zip_entry *find_pickle(struct reader *r)
{
    static const char suffix[] = "data.pkl";
    const struct sam_zip_entry *found = NULL;
    for (size_t i = 0; i < r->zip.count; i++) {
        const struct sam_zip_entry *entry = &r->zip.entries[i];
        const char *slash = strchr(entry->name, '/');
        if (!slash || strcmp(slash + 1, suffix) != 0)
            continue;
        if (found) {
            fail(r, "two pickles (data.pkl) in the archive");
            return NULL;
        }
        found = entry;
        r->root = entry->name;
        r->root_size = (int)(slash - entry->name) + 1;
    }
    if (!found)
        fail(r, "not a PyTorch checkpoint: no data.pkl in the archive");
    return found;
}

/* Read an entry of at most `most` bytes. Returns NULL with `error`; freed with free(). */
static uint8_t *load(struct reader *r, const struct sam_zip_entry *entry, uint64_t most)
{
    uint64_t offset;
    if (entry->size > most) {
        sam_fail(r->error, SAM_ERR_INPUT,
                 "%s: the entry '%.200s' has %llu bytes: at most %llu are "
                 "read",
                 r->file, entry->name, (unsigned long long)entry->size, (unsigned long long)most);
        return NULL;
    }
    if (sam_zip_locate(&r->zip, entry, &offset, r->error) != SAM_OK)
        return NULL;
    uint8_t *bytes = sam_alloc((size_t)entry->size + 1, 1);
    if (!bytes)
        sam_fail_memory(r->error);
    else if (sam_source_read(r->zip.source, r->file, offset, bytes, (size_t)entry->size,
                             r->error) == SAM_OK)
        return bytes;
    free(bytes);
    return NULL;
}

static bool is_little_endian(struct reader *r)
{
    char name[MAX_NAME];
    snprintf(name, sizeof name, "%.*sbyteorder", r->root_size < 1024 ? r->root_size : 1024,
             r->root);
    const struct sam_zip_entry *entry = sam_zip_find(&r->zip, name);
    if (!entry)
        return true;
    uint8_t *order = load(r, entry, 64);
    if (!order)
        return false;
    const bool little = entry->size == 6 && memcmp(order, "little", 6) == 0;
    free(order);
    return little || fail(r, "big-endian storages, which are not read");
}

enum sam_status sam_torch_parse(struct sam_source source, const char *file, struct sam_torch *torch,
                                struct sam_error *error)
{
    struct sam_error own = {0};
    struct reader *r = sam_alloc(1, sizeof *r);
    *torch = (struct sam_torch){0};
    if (!r)
        return sam_fail_memory(error);
    *r = (struct reader){.file = file, .torch = torch, .error = error ? error : &own};
    const struct sam_zip_entry *entry = NULL;
    uint8_t *bytes = NULL;
    if (is_archive(r, source) && sam_zip_open(source, file, &r->zip, r->error) == SAM_OK)
        entry = find_pickle(r);
    if (entry && is_little_endian(r))
        bytes = load(r, entry, MAX_PICKLE);
    const bool good = bytes &&
                      sam_pickle_parse(bytes, (size_t)entry->size, file, globals, &r->pickle,
                                       r->error) == SAM_OK &&
                      visit(r, &r->pickle.values[r->pickle.root], 0) && all_read(r);
    const enum sam_status status = good ? SAM_OK : r->error->status;
    free(bytes);
    sam_pickle_free(&r->pickle);
    sam_zip_free(&r->zip);
    sam_names_free(&r->storages);
    free(r);
    return status;
}

void sam_torch_free(struct sam_torch *torch)
{
    for (size_t i = 0; i < torch->text_count; i++)
        free(torch->texts[i]);
    free(torch->texts);
    free(torch->tensors);
    free(torch->views);
    free(torch->storages);
    sam_names_free(&torch->names);
    *torch = (struct sam_torch){0};
}

void sam_torch_gather(const struct sam_weight *w, const struct sam_torch_view *view,
                      const uint8_t *from, uint64_t first, uint64_t count, uint8_t *out)
{
    const size_t width = sam_dtype_size(w->type);
    uint64_t index[SAM_WEIGHT_RANK] = {0}, at = 0, rest = first;
    for (size_t d = w->rank; d-- > 0; rest /= w->shape[d]) {
        index[d] = rest % w->shape[d];
        at += index[d] * view->stride[d];
    }
    for (; count--; out += width) {
        memcpy(out, from + at * width, width);
        for (size_t d = w->rank; d-- > 0;) {
            at += view->stride[d];
            if (++index[d] < w->shape[d])
                break;
            at -= view->stride[d] * w->shape[d];
            index[d] = 0;
        }
    }
}
