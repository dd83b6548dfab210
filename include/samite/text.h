/* SPDX-License-Identifier: Apache-2.0 */
/* Text that people type: numbers in the one grammar that the library and the command read, and how
 * far a word is from a name. Safe to call from any thread; the locale does not matter. */
#ifndef SAMITE_TEXT_H
#define SAMITE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A number: decimal ("12", and "010" is ten), or "0x1f", "0b101", "0o17". All of `text` must be
 * used. False on anything else and on overflow; *value is then unspecified. */
SAM_API bool sam_parse_u64(const char *text, uint64_t *value);
/* The same with an optional sign. */
SAM_API bool sam_parse_i64(const char *text, int64_t *value);

/* Letters to insert, delete or change between the first `size` bytes of `a` and the name `b`
 * (Levenshtein distance). Only the first 255 bytes of `b` count. */
SAM_API unsigned sam_edits(const char *a, size_t size, const char *b);

#ifdef __cplusplus
}
#endif
#endif
