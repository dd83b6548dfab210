/* SPDX-License-Identifier: Apache-2.0 */
/* Text that users type and see: the number grammar shared by the library and the command, the edit
 * distance between a word and a name, and what may be shown on a terminal. Locale independent.
 *
 * Thread safety: any function may run in any thread. */
#ifndef SAMITE_TEXT_H
#define SAMITE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parse a number: decimal ("12"; "010" is ten), "0x1f", "0b101" or "0o17". The whole of `text` must
 * be a number. False otherwise and on overflow; *value is then unspecified. */
SAM_API bool sam_parse_u64(const char *text, uint64_t *value);
/* The same with an optional sign. */
SAM_API bool sam_parse_i64(const char *text, int64_t *value);

/* The size in bytes of the UTF-8 character at `text`, of which `size` bytes are available, if it
 * may be shown on a terminal; 0 for a control character (C0, DEL, C1), invalid UTF-8, or the end.
 * Since 0.2. */
SAM_API size_t sam_text_character(const char *text, size_t size);
/* Make untrusted text safe to show: replace every byte of `text` that is not part of such a
 * character by '?'. Texts in struct sam_error already are. `text` may be NULL. Since 0.2. */
SAM_API void sam_text_make_plain(char *text);

/* The Levenshtein distance between the first `size` bytes of `a` and the name `b`, of which only
 * the first 255 bytes count. */
SAM_API unsigned sam_edits(const char *a, size_t size, const char *b);

#ifdef __cplusplus
}
#endif
#endif
