/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of files in $XDG_CACHE_HOME/samite (or ~/.cache/samite), named by a hash of what they
 * were made from. An entry begins with the hash of the rest, so that a damaged one is ignored; it
 * appears by a rename. Only files and folders of the user that no one else may write are read.
 * Nothing depends on the cache being there. */
#ifndef SAM_CACHE_H
#define SAM_CACHE_H

#include "base/base.h"

enum { SAM_CACHE_LIMIT = 64 << 20 }; /* bytes of all entries of a kind */

struct sam_cache_key {
    uint64_t high, low;
};
void sam_cache_add(struct sam_cache_key *key, const void *data, size_t size);
/* Whether there may be entries. `kind` is the name of a folder. */
bool sam_cache_exists(const char *kind);
/* False: no such entry, or one that is damaged or not the user's. */
bool sam_cache_get(const char *kind, const struct sam_cache_key *key, struct sam_buffer *out);
/* Removes the oldest entries beyond SAM_CACHE_LIMIT. */
void sam_cache_put(const char *kind, const struct sam_cache_key *key, const void *data,
                   size_t size);

#endif
