/* SPDX-License-Identifier: Apache-2.0 */
/* `samite run MODEL.onnx`: a network, on the host or on the system. */
#ifndef NETWORK_H
#define NETWORK_H

#include "machine/system.h"
#include "samite/network.h"

struct network_request {
    bool given;  /* the file is a network */
    bool system; /* --machine system */
    struct cli_list dims, outputs, states;
    const char *reference;       /* a folder, or NULL */
    const char *html, *perfetto; /* files, or NULL */
    enum sam_network_weights planes;
    bool list, unfused, cycles, bisect;
    uint64_t runs; /* --runs, or 0 */
};

extern const struct cli_option network_rows[];
/* Reject these options unless the file is a network. */
int network_refuse_options(const struct cli_args *args);

/* The machine's own part of a run. */
struct network {
    struct sam_network *made;
    struct sam_network_array *given; /* of run->arguments, then of the references */
    struct sam_network_dim *dims;
    struct network_reference {
        const char *name; /* of the value, which belongs to the network */
        char *path;
        struct sam_array found, expected;
    } * references; /* of --bisect, in the order of the nodes */
    size_t reference_count;
};

/* network_arguments.c: the words of --arg and --output as arguments. Inputs are read before the
 * network is made, whose open dimensions they settle; outputs have no shape yet. */
int network_read_arguments(struct run *run);
/* Once the network is made: give every argument its name, and every output its shape; outputs of
 * the network that no argument names are not kept. */
int network_bind_arguments(struct run *run);

#endif
