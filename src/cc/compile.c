/* SPDX-License-Identifier: Apache-2.0 */
/* A file of OpenCL C to assembly. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cache.h"
#include "cc/debug.h"
#include "samite/version.h"

/* The library of builtins as bitcode: compiled at the first use, then from the cache. */
static enum sam_status library(struct cc *cc, const struct cc_clang *clang,
                               struct sam_buffer *bitcode)
{
    /* -fwrapv: abs(INT_MIN), mad_hi and the like are defined. */
    const char *const flags[] = {
        "-O2", "-cl-std=CL2.0", "-fwrapv", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c",
        NULL};
    struct sam_buffer text = {0}, messages = {0}, raw = {0};
    struct sam_cache_key hash = {0};
    sam_cache_add(&hash, sam_cc_build, strlen(sam_cc_build));
    sam_cache_add(&hash, sam_cc_library, strlen(sam_cc_library));
    sam_cache_add(&hash, clang->version, strlen(clang->version));
    if (sam_cache_get("cc", &hash, bitcode))
        return SAM_OK;
    sam_buffer_puts(&text, sam_cc_library);
    enum sam_status status =
        sam_cc_clang_run(clang, flags, NULL, &text, &raw, &messages, cc->error);
    if (status == SAM_OK)
        status = sam_cc_module_ready(cc, &raw, bitcode);
    if (status == SAM_OK)
        sam_cache_put("cc", &hash, bitcode->data, bitcode->size);
    sam_buffer_free(&text);
    sam_buffer_free(&raw);
    sam_buffer_free(&messages);
    return status;
}

static void free_function(struct cc_function *f)
{
    for (uint32_t i = 0; i < f->value_count; i++)
        free(f->values[i].parts);
    for (uint32_t i = 0; i < f->block_count; i++)
        free(f->blocks[i].insns);
    free(f->values);
    free(f->value_slots);
    free(f->value_ids);
    free(f->blocks);
    free(f->ir);
    free(f->order);
    free(f->pdom);
    free(f->loops);
    free(f->is_vector);
    free(f->def_block);
    free(f->def_insn);
    free(f->machine);
    free(f->cse);
    free(f->cse_slots);
}

/* Set the meeting point of each vector branch; in loops its address is in a register. */
static void set_meetings(struct cc_function *f)
{
    enum { ADDRESSES = 20 };
    uint32_t held[ADDRESSES], count = 0;
    const struct cc_opnd none = {0};
    for (uint32_t b = 0; b < f->block_count; b++) {
        if (f->blocks[b].end != CC_SPLIT)
            continue;
        const uint32_t meet = f->pdom[b] == CC_NO ? f->exit : f->pdom[b];
        f->blocks[b].rpc = meet;
        f->blocks[meet].join = true;
        uint32_t i = 0;
        while (i < count && held[i] != meet)
            i++;
        if (!sam_cc_depth(f, b) || (i == count && count == ADDRESSES))
            continue;
        if (i == count)
            held[count++] = meet;
        const struct cc_opnd label = {.kind = CC_SYMBOL, .reg = CC_LABEL | meet};
        f->block = 0;
        const struct cc_opnd address = sam_cc_pure(f, false, "lla", label, none, none);
        f->blocks[b].address = address;
    }
}

static enum sam_status kernel(struct cc *cc, llvm_ref ref, bool in_vectors)
{
    struct cc_function f = {.cc = cc, .ref = ref, .in_vectors = in_vectors};
    size_t size;
    f.name = cc->ll.GetValueName2(ref, &size);
    sam_cc_required_size(cc, ref, f.required);
    cc->local_size = 0;
    memset(cc->local_at, 0, (cc->global_count + 1) * sizeof *cc->local_at);
    enum sam_status status =
        strcmp(f.name, "_start") == 0
            ? sam_cc_refuse(cc, ref, "a kernel '_start': that is the name of the start code")
            : sam_cc_signature_check(cc, ref);
    if (status == SAM_OK)
        status = sam_cc_flow_read(&f);
    if (status == SAM_OK && !sam_cc_uniform(&f))
        status = sam_fail_memory(cc->error);
    if (status == SAM_OK)
        status = sam_cc_select_all(&f);
    if (status == SAM_OK && !sam_cc_lanes_meet(&f))
        status = sam_fail_memory(cc->error);
    if (status == SAM_OK) {
        set_meetings(&f);
        status = f.failed ? sam_fail_memory(cc->error) : sam_cc_allocate(&f);
    }
    if (status == SAM_OK && cc->local_size > 65535)
        status = sam_cc_refuse(cc, ref,
                               "kernel '%s' has %u bytes of __local variables: expected "
                               "at most 65535",
                               f.name, cc->local_size);
    if (status == SAM_OK) {
        sam_cc_emit(&f);
        if (cc->debug)
            sam_cc_dwarf_kernel(&f);
        sam_buffer_printf(&cc->resources, "\t.half\t%u, %u, %u, %u\n", f.vgprs, f.sgprs,
                          cc->local_size, (f.private_size + 3) & ~3u);
        sam_cc_signature_write(cc, ref);
        status = f.failed ? sam_fail_memory(cc->error) : SAM_OK;
    }
    free_function(&f);
    if (cc->debug) {
        sam_cc_debug_reset(cc->debug);
        if (cc->debug->failed && status == SAM_OK)
            status = sam_fail_memory(cc->error);
    }
    return f.crowded && !in_vectors ? kernel(cc, ref, true) : status;
}

static void finish(struct cc *cc, struct sam_buffer *out)
{
    sam_buffer_puts(out, "\t.text\n");
    for (size_t i = 0; i < cc->file_count; i++) {
        sam_buffer_printf(out, "\t.file\t%zu \"", i + 1);
        for (const char *p = cc->files[i]; *p; p++)
            sam_buffer_printf(out, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
        sam_buffer_puts(out, "\"\n");
    }
    sam_buffer_puts(out, cc->debug ? ".Ldtext.begin:\n" : "");
    sam_buffer_append(out, cc->out.data, cc->out.size);
    sam_buffer_puts(out, cc->debug ? ".Ldtext.end:\n" : "");
    if (cc->read_only.size)
        sam_buffer_printf(out, "\n\t.section\t.rodata\n%s", sam_buffer_text(&cc->read_only));
    if (cc->data.size)
        sam_buffer_printf(out, "\n\t.data\n%s", sam_buffer_text(&cc->data));
    sam_buffer_printf(out, "\n\t.section\t.rodata.ventus.resource\n%s",
                      sam_buffer_text(&cc->resources));
    sam_buffer_printf(out, "\n\t.section\t" SAM_CC_SIGNATURES "\n\t.ascii\t\"%s\"\n",
                      sam_buffer_text(&cc->signatures));
    if (cc->debug)
        sam_cc_dwarf_finish(cc, out);
}

/* Bitcode to assembly. */
static enum sam_status translate(const struct cc_clang *clang, const struct sam_cc_options *options,
                                 const char *name, const struct sam_buffer *bitcode,
                                 struct sam_buffer *out, struct sam_error *error)
{
    struct cc cc = {.options = options, .path = name, .error = error, .major = clang->major};
    struct sam_buffer builtins = {0};
    enum sam_status status = sam_cc_llvm_load(clang->major, &cc.ll, error);
    if (status == SAM_OK && options->variables) {
        cc.debug = sam_alloc(1, sizeof *cc.debug);
        if (!cc.debug)
            status = sam_fail_memory(error);
        else
            cc.debug->cc = &cc;
    }
    if (status == SAM_OK)
        status = library(&cc, clang, &builtins);
    if (status == SAM_OK)
        status = sam_cc_module_open(&cc, bitcode, &builtins);
    if (status == SAM_OK)
        status = sam_cc_globals_find(&cc);
    llvm_ref f = status == SAM_OK ? cc.ll.GetFirstFunction(cc.module) : NULL;
    for (; f && status == SAM_OK; f = cc.ll.GetNextFunction(f))
        if (cc.ll.GetFunctionCallConv(f) == LL_SPIR_KERNEL && !cc.ll.IsDeclaration(f))
            status = kernel(&cc, f, false);
    if (status == SAM_OK)
        status = sam_cc_globals_write(&cc);
    if (status == SAM_OK)
        finish(&cc, out);
    if (status == SAM_OK &&
        (out->failed || cc.out.failed || cc.read_only.failed || cc.data.failed ||
         cc.resources.failed || cc.signatures.failed || (cc.debug && cc.debug->failed)))
        status = sam_fail_memory(error);
    sam_cc_module_close(&cc);
    sam_cc_debug_free(cc.debug);
    for (size_t i = 0; i < cc.file_count; i++)
        free(cc.files[i]);
    free(cc.files);
    free(cc.globals);
    free(cc.local_at);
    free(cc.used);
    struct sam_buffer *buffers[] = {&cc.out,       &cc.read_only,  &cc.data,
                                    &cc.resources, &cc.signatures, &builtins};
    for (size_t i = 0; i < SAM_COUNT(buffers); i++)
        sam_buffer_free(buffers[i]);
    return status;
}

/* A build option of OpenCL that clang takes as it is. */
static enum sam_status check_flag(const char *flag, struct sam_error *error)
{
    static const char *const known[] = {"-cl-denorms-are-zero",
                                        "-cl-fast-relaxed-math",
                                        "-cl-finite-math-only",
                                        "-cl-fp32-correctly-rounded-divide-sqrt",
                                        "-cl-kernel-arg-info",
                                        "-cl-mad-enable",
                                        "-cl-no-signed-zeros",
                                        "-cl-opt-disable",
                                        "-cl-single-precision-constant",
                                        "-cl-strict-aliasing",
                                        "-cl-uniform-work-group-size",
                                        "-cl-unsafe-math-optimizations",
                                        "-w",
                                        "-Werror"};
    unsigned least = UINT_MAX;
    const char *near = "";
    for (size_t i = 0; i < SAM_COUNT(known); i++) {
        const unsigned edits = sam_edits(flag, strlen(flag), known[i]);
        if (edits == 0)
            return SAM_OK;
        if (edits < least)
            near = known[i];
        least = edits < least ? edits : least;
    }
    return sam_fail(error, SAM_ERR_USAGE,
                    "unknown build option '%.100s' of OpenCL; did you mean '%s'?", flag, near);
}

/* The words that pass the caller's options to clang; text of them in `held`. */
static enum sam_status words_of(const struct sam_cc_options *o, const char *path,
                                const char *folder, const char **words, size_t room, char *held,
                                size_t size, struct sam_error *error)
{
    size_t count = 0;
    const struct {
        const char *flag;
        const char *const *items;
        size_t count;
    } lists[] = {{"-D", o->defines, o->define_count},
                 {"-I", o->include_paths, o->include_count},
                 {NULL, o->flags, o->flag_count}};
    const int standard = snprintf(held, size, "-cl-std=%s", o->standard ? o->standard : "CL1.2");
    if (standard < 0 || (size_t)standard >= size)
        return sam_fail(error, SAM_ERR_USAGE, "a name of a standard that is too long");
    words[count++] = held;
    for (size_t i = 0; i < SAM_COUNT(lists); i++)
        for (size_t k = 0; k < lists[i].count; k++) {
            if (count + 8 > room)
                return sam_fail(error, SAM_ERR_USAGE, "more options than 200");
            if (lists[i].flag)
                words[count++] = lists[i].flag;
            else if (check_flag(lists[i].items[k], error) != SAM_OK)
                return SAM_ERR_USAGE;
            words[count++] = lists[i].items[k];
        }
    if (o->text || strcmp(path, "-") == 0) { /* read from a pipe: clang does not see the folder */
        words[count++] = "-I";
        words[count++] = folder;
    }
    words[count] = NULL;
    return SAM_OK;
}

/* clang 14 knows vload_half and its like by its header only, which takes 40 ms to read, and not by
 * its table of builtins, which it uses otherwise. */
static bool stores_halves(const char *source)
{
    static const char *const names[] = {"load_half", "loada_half", "store_half", "storea_half"};
    for (size_t i = 0; i < SAM_COUNT(names); i++)
        if (strstr(source, names[i]))
            return true;
    return false;
}

/* A text as that of the file `path`. */
static enum sam_status name_text(struct sam_buffer *out, const char *path, const char *text,
                                 struct sam_error *error)
{
    sam_buffer_puts(out, "#line 1 \"");
    for (; *path; path++)
        sam_buffer_printf(out, *path == '"' || *path == '\\' ? "\\%c" : "%c", *path);
    sam_buffer_puts(out, "\"\n");
    sam_buffer_puts(out, text);
    return out->failed ? sam_fail_memory(error) : SAM_OK;
}

static enum sam_status compile(const struct sam_cc_options *options, const char *path,
                               struct sam_buffer *out, struct sam_buffer *messages,
                               struct sam_error *error)
{
    struct cc_clang clang;
    struct sam_buffer text = {0}, source = {0}, bitcode = {0};
    const char *words[480];
    char held[64], folder[4096];
    const char *slash = strrchr(path, '/');
    const size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    snprintf(folder, sizeof folder, "%.*s", length ? (int)length : 1, length ? path : ".");
    if (length >= sizeof folder)
        return sam_fail(error, SAM_ERR_USAGE, "a path of more than %zu bytes", sizeof folder);
    enum sam_status status =
        words_of(options, path, folder, words, SAM_COUNT(words) - 16, held, sizeof held, error);
    if (status != SAM_OK)
        return status;
    size_t count = 0;
    while (words[count])
        count++;
    const bool given = options->text != NULL, piped = given || strcmp(path, "-") == 0;
    const char *name = piped && !given ? "<stdin>" : path;
    status = given ? name_text(&text, path, options->text, error)
                   : sam_file_read(path, 1 << 26, &text, error);
    if (status == SAM_OK && text.size && memchr(text.data, '\0', text.size))
        status = sam_fail(error, SAM_ERR_INPUT, "%s: a binary file: expected OpenCL C", name);
    if (status == SAM_OK)
        status = sam_cc_clang_find(&clang, error);
    /* Preprocessed first: the cache knows what included files hold. */
    words[count] = "-E";
    words[count + 1] = NULL;
    if (status == SAM_OK)
        status = sam_cc_clang_run(&clang, words, piped ? NULL : path, piped ? &text : NULL, &source,
                                  messages, error);
    struct sam_cache_key hash = {0};
    if (status == SAM_OK) {
        const unsigned level = options->optimize ? options->optimize : 2;
        sam_cache_add(&hash, sam_version(), strlen(sam_version()));
        sam_cache_add(&hash, sam_cc_build, strlen(sam_cc_build));
        sam_cache_add(&hash, sam_cc_library, strlen(sam_cc_library));
        sam_cache_add(&hash, clang.version, strlen(clang.version));
        sam_cache_add(&hash, held, strlen(held));
        for (size_t i = 0; i < options->flag_count; i++)
            sam_cache_add(&hash, options->flags[i], strlen(options->flags[i]) + 1);
        sam_cache_add(&hash, &level, sizeof level);
        sam_cache_add(&hash, &options->variables, sizeof options->variables);
        sam_cache_add(&hash, source.data, source.size);
    }
    if (status == SAM_OK && !options->no_cache && sam_cache_get("cc", &hash, out))
        goto done;
    const char *const flags[] = {"-O2",
                                 options->variables ? "-g" : "-gline-tables-only",
                                 "-cl-kernel-arg-info",
                                 "-Xclang",
                                 "-disable-llvm-passes",
                                 "-emit-llvm",
                                 "-c"};
    /* whose functions of images need their types */
    static const char images[] = "-cl-ext=+cl_khr_3d_image_writes,+__opencl_c_images,"
                                 "+__opencl_c_read_write_images,+__opencl_c_3d_image_writes";
    static const char *const header[] = {"-cl-no-stdinc", "-Xclang", images};
    for (size_t i = 0; i < SAM_COUNT(flags); i++)
        words[count++] = flags[i];
    if (status == SAM_OK && clang.major == 14 && stores_halves(sam_buffer_text(&source)))
        for (size_t i = 0; i < SAM_COUNT(header); i++)
            words[count++] = header[i];
    words[count] = NULL;
    messages->size = 0;
    if (status == SAM_OK)
        status = sam_cc_clang_run(&clang, words, piped ? NULL : path, piped ? &text : NULL,
                                  &bitcode, messages, error);
    if (status == SAM_OK)
        status = translate(&clang, options, name, &bitcode, out, error);
    if (status == SAM_OK && messages->size == 0 && !given) /* warnings are to be seen every time */
        sam_cache_put("cc", &hash, out->data, out->size);
done:
    sam_buffer_free(&text);
    sam_buffer_free(&source);
    sam_buffer_free(&bitcode);
    return status;
}

enum sam_status sam_cc_compile(const struct sam_cc_options *given, const char *path,
                               char **assembly, size_t *size, char **messages,
                               struct sam_error *error)
{
    struct sam_cc_options options = {0};
    struct sam_buffer out = {0}, text = {0};
    if (assembly)
        *assembly = NULL;
    if (messages)
        *messages = NULL;
    if (!path || !assembly || !size || !messages)
        return sam_fail_null(error, !path ? "path" : "a result");
    enum sam_status status =
        sam_options_take(&options, sizeof options, sizeof options, given, error);
    *size = 0;
    if (status == SAM_OK)
        status = compile(&options, path, &out, &text, error);
    *messages = strdup(sam_buffer_text(&text));
    sam_buffer_free(&text);
    if (status == SAM_OK && !*messages)
        status = sam_fail_memory(error);
    if (status != SAM_OK) {
        sam_buffer_free(&out);
        return status;
    }
    *assembly = (char *)out.data;
    *size = out.size;
    return SAM_OK;
}

bool sam_cc_is_source(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && (strcmp(dot, ".cl") == 0 || strcmp(dot, ".ocl") == 0);
}
