/* SPDX-License-Identifier: Apache-2.0 */
/* samite tile explain: what each line of a program becomes on the system, and costs. */
#ifndef TILE_EXPLAIN_H
#define TILE_EXPLAIN_H

#include "machine/tile.h"
#include "run/run.h"

/* `arguments`, of --arg, may be empty: then nothing is run. */
int tile_explain(struct cli_args *args, const char *path, const struct tile_request *tile,
                 const struct cli_list *arguments);

#endif
