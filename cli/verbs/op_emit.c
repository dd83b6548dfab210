/* SPDX-License-Identifier: Apache-2.0 */
/* --emit: the program of a plan, after the command that runs it. */
#include <inttypes.h>
#include <stdlib.h>

#include "op.h"
#include "samite/isa.h"

/* Quoted for a shell, on one line of a comment. */
static void put_quoted(const char *word, FILE *out)
{
    char *text = cli_quoted(word);
    for (const char *at = text ? text : ""; *at; at++)
        fputc((unsigned char)*at < ' ' || *at == 127 ? '?' : *at, out);
    free(text);
}

/* "# samite run prog.s --machine tensor --mem 0x1000:in.npy --map ... --dump ...:out.npy:f32:4,8"
 */
static void put_command(const struct op_request *r, const struct sam_plan *plan,
                        const uint64_t *inputs, uint64_t output, FILE *out)
{
    const struct sam_array stored = op_stored(r, plan);
    const uint64_t size = stored.size, scratch = sam_plan_scratch(plan);
    const bool named = r->output && cli_ends_with(r->output, ".npy");
    fputs("# samite run ", out);
    put_quoted(cli_is_stdio(r->emit) ? "program.s" : r->emit, out);
    fputs(" --machine tensor", out);
    for (size_t i = 0; i < r->input_count; i++) {
        fprintf(out, " --mem 0x%" PRIx64 ":", inputs[i]);
        put_quoted(r->files.items[i], out);
    }
    if (scratch)
        fprintf(out, " --map 0x%" PRIx64 ":%" PRIu64, (output + size + 4095) / 4096 * 4096,
                scratch);
    if (size) {
        fprintf(out, " --map 0x%" PRIx64 ":%" PRIu64 " --dump 0x%" PRIx64 ":%" PRIu64 ":", output,
                size, output, size);
        put_quoted(named ? r->output : "out.npy", out);
        fprintf(out, ":%s", sam_dtype_name(stored.dtype));
        for (size_t i = 0; i < stored.rank; i++)
            fprintf(out, "%c%" PRIu64, i ? ',' : ':', stored.shape[i]);
    }
    fputc('\n', out);
}

/* The addresses of --at; the output, with scratch memory after it, must not overlap an input. */
static int take_addresses(const struct op_request *r, const struct sam_plan *plan, uint64_t *inputs,
                          uint64_t *output)
{
    const uint64_t out = op_stored(r, plan).size, scratch = sam_plan_scratch(plan);
    const uint64_t all =
        scratch ? (r->at_out + out + 4095) / 4096 * 4096 + scratch - r->at_out : out;
    if (r->at_inputs != r->input_count)
        return cli_usage_error(r->args, "--at: %zu inputs: expected %zu", r->at_inputs,
                               r->input_count);
    for (size_t i = 0; i < r->input_count; i++) {
        inputs[i] = r->at_in[i];
        if (inputs[i] < r->at_out + all && r->at_out < inputs[i] + r->inputs[i].size)
            return cli_usage_error(r->args,
                                   "--at: %" PRIu64 " bytes at 0x%" PRIx64
                                   " overlap the output, %" PRIu64 " bytes at 0x%" PRIx64,
                                   (uint64_t)r->inputs[i].size, inputs[i], all, r->at_out);
    }
    *output = r->at_out;
    return CLI_OK;
}

int op_emit(const struct op_request *r, const struct sam_plan *plan, const char *name)
{
    struct sam_error error;
    uint64_t inputs[SAM_PLAN_INPUTS], output;
    char *program, *text = NULL;
    size_t size = 0;
    sam_plan_addresses(plan, inputs, &output);
    const int code = r->has_at ? take_addresses(r, plan, inputs, &output) : CLI_OK;
    if (code != CLI_OK)
        return code;
    const char *routine = r->call && !cli_is_stdio(r->call) ? r->call : name;
    if ((r->call ? sam_plan_routine(plan, routine, inputs, output, &program, &error)
                 : sam_plan_program(plan, inputs, output, &program, &error)) != SAM_OK)
        return cli_report(&error);
    FILE *out = open_memstream(&text, &size);
    if (out) {
        if (!r->call)
            put_command(r, plan, inputs, output, out);
        fputs(program, out);
    }
    sam_text_free(program);
    if (!out || fclose(out) != 0) {
        free(text);
        return cli_no_memory();
    }
    const int saved = cli_save(r->emit, text, size);
    free(text);
    return saved;
}
