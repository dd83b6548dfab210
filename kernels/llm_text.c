/* SPDX-License-Identifier: Apache-2.0 */
#include "llm_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *type_of(struct llm_text *t, const char *name)
{
    for (size_t i = t->tile_count; i-- > 0;)
        if (strcmp(t->tiles[i].name, name) == 0)
            return t->tiles[i].type;
    t->failed = true;
    return "?";
}

static const char *note(struct llm_text *t, const char *name, const char *type, va_list arguments)
{
    if (t->tile_count == t->tile_room) {
        t->tile_room = 2 * t->tile_room + 64;
        struct llm_tile *more = realloc(t->tiles, t->tile_room * sizeof *more);
        if (!more) {
            t->failed = true;
            t->tile_room = t->tile_count;
            return "?";
        }
        t->tiles = more;
    }
    struct llm_tile *tile = &t->tiles[t->tile_count++];
    snprintf(tile->name, sizeof tile->name, "%s", name);
    vsnprintf(tile->type, sizeof tile->type, type, arguments);
    return tile->type;
}

void text_make(struct llm_text *t, const char *name, const char *sizes, const char *type, ...)
{
    va_list arguments;
    va_start(arguments, type);
    type = note(t, name, type, arguments);
    va_end(arguments);
    fprintf(t->out, "    %%%s = pto.alloc_tile%s : !pto.tile_buf<%s>\n", name, sizes, type);
}

void text_window(struct llm_text *t, const char *name, const char *of, const char *at,
                 const char *type, ...)
{
    va_list arguments;
    va_start(arguments, type);
    type = note(t, name, type, arguments);
    va_end(arguments);
    fprintf(t->out,
            "    %%%s = pto.subset %%%s, offsets = [%s] : !pto.tile_buf<%s> -> "
            "!pto.tile_buf<%s>\n",
            name, of, at, type_of(t, of), type);
}

static void list(struct llm_text *t, const char *names, bool types)
{
    for (const char *at = names; *at;) {
        char name[40] = "";
        const size_t length = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        fprintf(t->out, "%s", at == names ? "" : ", ");
        if (types)
            fprintf(t->out, "%s%s%s", name[0] == '_' ? "" : "!pto.tile_buf<",
                    name[0] != '_'   ? type_of(t, name)
                    : name[1] == '_' ? "f16"
                                     : "f32",
                    name[0] == '_' ? "" : ">");
        else
            fprintf(t->out, "%%%s", name);
        at += length + (at[length] == ' ');
    }
}

void text_op(struct llm_text *t, const char *name, const char *sources, const char *destination)
{
    fprintf(t->out, "    pto.%s ins(", name);
    list(t, sources, false);
    fprintf(t->out, " : ");
    list(t, sources, true);
    fprintf(t->out, ") outs(%%%s : !pto.tile_buf<%s>)%s\n", destination, type_of(t, destination),
            strcmp(name, "tcvt") == 0 ? " {round = rint}" : "");
}

void text_view(struct llm_text *t, const char *name, const char *pointer, const char *shape,
               const char *strides, const char *dtype)
{
    fprintf(t->out,
            "    %%%s = pto.make_tensor_view %%%s, shape = [%s], strides = [%s] : "
            "!pto.tensor_view<?x?x%s>\n",
            name, pointer, shape, strides, dtype);
}

void text_part(struct llm_text *t, const char *name, const char *of, const char *at,
               const char *sizes, const char *dtype)
{
    fprintf(t->out,
            "    %%%s = pto.partition_view %%%s, offsets = [%s], sizes = [%s] : "
            "!pto.tensor_view<?x?x%s> -> !pto.partition_tensor_view<?x?x%s>\n",
            name, of, at, sizes, dtype, dtype);
}

void text_load(struct llm_text *t, const char *from, const char *dtype, const char *tile)
{
    fprintf(t->out,
            "    pto.tload ins(%%%s : !pto.partition_tensor_view<?x?x%s>) outs(%%%s : "
            "!pto.tile_buf<%s>)\n",
            from, dtype, tile, type_of(t, tile));
}

void text_store(struct llm_text *t, const char *tile, const char *to, const char *dtype)
{
    fprintf(t->out,
            "    pto.tstore ins(%%%s : !pto.tile_buf<%s>) outs(%%%s : "
            "!pto.partition_tensor_view<?x?x%s>)\n",
            tile, type_of(t, tile), to, dtype);
}
