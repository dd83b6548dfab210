/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a machine, from the options to the exit code. */
#include <stdlib.h>

#include "machine/machine.h"

int run_begin(struct run *run, struct run_command *command)
{
    static const struct machine *const machines[] = {[RUN_VENTUS] = &machine_ventus,
                                                     [RUN_TENSOR] = &machine_tensor,
                                                     [RUN_TILE] = &machine_tile,
                                                     [RUN_SYSTEM] = &machine_system,
                                                     [RUN_HOST] = &machine_network};
    const enum run_machine machine = command->network.given ? RUN_HOST : command->machine;
    *run = (struct run){
        .command = command, .request = &command->run, .machine = machines[machine], .text = stdout};
    run->state = calloc(1, run->machine->size);
    return run->state ? CLI_OK : cli_no_memory();
}

void run_end(struct run *run)
{
    if (run->state)
        run->machine->close(run);
    for (enum run_output which = 0; which < RUN_OUTPUTS; which++)
        run_drop_output(run, which);
    sam_profile_free(run->profile);
    json_decref(run->report);
    json_decref(run->json_checks);
    run_checks_free(run);
    run_arguments_free(&run->arguments);
    sam_image_free(run->image);
    free(run->state);
}

static int choose_streams(struct run *run)
{
    const bool json = run->request->stats == RUN_STATS_JSON,
               data = run->machine->writes_stdout(run);
    if (json && data)
        return cli_usage_error(run->request->args, "--json needs standard output for itself");
    run->text = json || data ? stderr : stdout;
    return !json || (run->json_checks = json_array()) ? CLI_OK : cli_no_memory();
}

static int open_profile(struct run *run)
{
    const char *path = NULL;
    if (run->machine->profile)
        memcpy(&path, (const char *)run->command + run->machine->profile, sizeof path);
    return run_profile_open(run->request->args, "profile", path, &run->profile);
}

static int read_arguments(struct run *run)
{
    return run->machine->arguments ? run->machine->arguments(run)
                                   : run_arguments_parse(run->request, &run->arguments);
}

/* Say why loops are not translated. To load the translator takes longer than short runs, which do
 * not need it. */
static void note_translator(const struct run_request *r, double seconds)
{
    struct sam_error error;
    if ((r->jit == RUN_JIT_WAIT || (r->jit == RUN_JIT_AUTO && seconds > 0.25)) &&
        sam_jit_check(&error) != SAM_OK)
        cli_note("--jit: loops are interpreted: %s", error.text);
}

static int run_machine(struct run_command *command)
{
    const double started = cli_now();
    struct run run;
    int code = run_begin(&run, command) ?: run.machine->check(&run) ?: read_arguments(&run)
        ?: choose_streams(&run) ?: run_checks_parse(&run)
        ?: open_profile(&run) ?: run.machine->open(&run) ?: run.machine->execute(&run);
    if (run.json_checks && run.report) {
        const int printed = cli_json_print(run.report);
        run.report = NULL;
        code = printed == CLI_OK ? code : printed;
    }
    note_translator(&command->run, cli_now() - started);
    run_end(&run);
    return code;
}

int run_command(struct run_command *c)
{
    const struct run_request *r = &c->run;
    struct run_gdb *gdb;
    if (!r->gdb.given)
        return run_machine(c);
    if (r->gdb.stdio && cli_is_stdio(r->trace))
        return cli_usage_error(r->args, "--gdb=- needs standard output for itself");
    const char *program = c->machine == RUN_VENTUS && !ventus_launches_kernel(r, &c->gpu)
                              ? c->gpu.elf
                          : r->files.count ? r->files.items[0]
                                           : NULL;
    int code = run_gdb_open(r, program, &gdb);
    if (code != CLI_OK)
        return code;
    const struct run_driver driver = {run_gdb_drive, gdb};
    c->run.driver = &driver;
    code = run_machine(c);
    c->run.driver = NULL;
    run_gdb_close(gdb);
    return code;
}
