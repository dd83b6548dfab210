/* SPDX-License-Identifier: Apache-2.0 */
/* samite tile explain: the code of each line of a program on the system, and its cost. */
#ifndef TILE_EXPLAIN_H
#define TILE_EXPLAIN_H

#include "machine/tile.h"
#include "run/run.h"

/* `arguments`, of --arg, may be empty: then nothing runs. */
int tile_explain(struct cli_args *args, const char *path, const struct tile_request *tile,
                 const struct cli_list *arguments);

#endif
