/* SPDX-License-Identifier: Apache-2.0 */
/* The engines in time, as text and as data. */
#ifndef CLI_ENGINES_H
#define CLI_ENGINES_H

#include "cli.h"
#include "report.h"
#include "samite/engines.h"

/* Prints the parameters, their defaults and ranges; returns CLI_SHOWN. */
int cli_engines_parameters(void);
/* Rows of the list of parameters. */
void cli_parameters(const struct sam_parameter *(*parameter)(size_t index));
/* The cycles of each engine by reason, as a report and as a table. */
json_t *cli_engines(const struct sam_engines_report *report);
void cli_engines_print(const json_t *report, FILE *text);

#endif
