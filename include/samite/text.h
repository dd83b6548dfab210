/* SPDX-License-Identifier: Apache-2.0 */
/* Text that people type and see: numbers in the one grammar that the library and the command read,
 * how far a word is from a name, and what may be shown on a terminal. Safe to call from any thread;
 * the locale does not matter. */
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

/* Bytes of the character of UTF-8 at `text`, where `size` bytes are, if it may be shown on a
 * terminal. 0: a control character (C0, DEL, C1), not UTF-8, or the end. */
SAM_API size_t sam_text_character(const char *text, size_t size);
/* Text from outside for people: every byte of `text` that is no part of such a character becomes
 * '?'. The texts of struct sam_error are so already. NULL is fine. */
SAM_API void sam_text_make_plain(char *text);

/* Letters to insert, delete or change between the first `size` bytes of `a` and the name `b`
 * (Levenshtein distance). Only the first 255 bytes of `b` count. */
SAM_API unsigned sam_edits(const char *a, size_t size, const char *b);

#ifdef __cplusplus
}
#endif
#endif
