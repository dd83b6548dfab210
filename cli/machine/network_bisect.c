/* SPDX-License-Identifier: Apache-2.0 */
/* --bisect: the first value of a network that differs from the one computed elsewhere. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "machine/machine.h"
#include "machine/network.h"

/* A value may be off by this part of the largest magnitude in its reference. */
static const double tolerance = 1e-4;

/* DIR/NAME.npy, where characters that a file name cannot have are '_'. */
static char *path_of(const char *folder, const char *name)
{
    char *path = cli_text("%s/%s.npy", folder, name);
    for (char *at = path ? path + strlen(folder) + 1 : NULL; at && *at; at++)
        if (*at == '/' || (unsigned char)*at < ' ')
            *at = '_';
    return path;
}

int network_open_references(struct run *run)
{
    struct network *n = run->network;
    struct sam_network_tensor tensor;
    struct sam_error error;
    size_t count = 0;
    int code = CLI_OK;
    while (sam_network_value(n->made, count, &tensor))
        count++;
    n->references = calloc(count + 1, sizeof *n->references);
    if (!n->references)
        return cli_no_memory();
    for (size_t i = 0; i < count && code == CLI_OK; i++) {
        struct network_reference *r = &n->references[n->reference_count];
        sam_network_value(n->made, i, &tensor);
        r->path = path_of(run->command->network.reference, tensor.name);
        if (!r->path)
            return cli_no_memory();
        if (access(r->path, F_OK) != 0) {
            free(r->path);
            r->path = NULL;
            continue;
        }
        n->reference_count++;
        r->name = strdup(tensor.name);
        if (!r->name)
            return cli_no_memory();
        code = cli_code(sam_npy_read(r->path, &r->expected, &error), &error);
    }
    if (code == CLI_OK && n->reference_count == 0)
        code = cli_error("%s: no array of a value of the network: expected NAME.npy, with '_' for "
                         "'/' in NAME",
                         run->command->network.reference);
    return code;
}

/* The largest difference, over the largest magnitude expected: 0 for equal arrays. */
static double distance(const struct sam_array *found, const struct sam_array *expected)
{
    double most = 0, range = 0;
    for (size_t i = 0; i < expected->count; i++) {
        const double x = run_element(found, i), y = run_element(expected, i);
        range = fmax(range, fabs(y));
        most = fmax(most, isnan(x) != isnan(y) ? INFINITY : x == y ? 0 : fabs(x - y));
    }
    return most == 0 ? 0 : range == 0 ? INFINITY : most / range;
}

int network_compare_references(struct run *run)
{
    const struct network *n = run->network;
    for (size_t i = 0; i < n->reference_count; i++) {
        const struct network_reference *r = &n->references[i];
        if (r->found.count != r->expected.count) {
            fprintf(run->text, "bisect: %s has %zu elements, expected %zu\n",
                    cli_plain(r->name).text, r->found.count, r->expected.count);
            return CLI_PROGRAM_FAILED;
        }
        const double off = distance(&r->found, &r->expected);
        if (!(off <= tolerance)) {
            fprintf(run->text, "bisect: %s is the first value that differs: by %.3g of its range\n",
                    cli_plain(r->name).text, off);
            return CLI_PROGRAM_FAILED;
        }
    }
    fprintf(run->text, "bisect: all %zu values are within %g of their ranges\n", n->reference_count,
            tolerance);
    return CLI_OK;
}

void network_free_references(struct network *network)
{
    for (size_t i = 0; i < network->reference_count; i++) {
        struct network_reference *r = &network->references[i];
        sam_array_free(&r->found);
        sam_array_free(&r->expected);
        free(r->path);
        free((char *)r->name);
    }
    free(network->references);
}
