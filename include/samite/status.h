/* SPDX-License-Identifier: Apache-2.0 */
/* Results and errors. Nothing in the library prints or exits: a function that can fail returns a
 * status and, when the caller gave it a struct sam_error, one line of text that says what was
 * found, where, and what was expected. These types are plain data; functions here may be called
 * from any thread. */
#ifndef SAMITE_STATUS_H
#define SAMITE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SAM_API               __attribute__((visibility("default")))
#define SAM_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define SAM_API
#define SAM_PRINTF(fmt, args)
#endif

/* Arguments. A pointer may be NULL where its comment says so; `error`, and what a function frees,
 * closes or aborts, always may. A function that returns a status refuses any other NULL, and a
 * value outside its enumeration, with SAM_ERR_USAGE. After any failure its results are empty: a
 * pointer is NULL, a struct may be freed. Functions that return something else require what they
 * do not declare optional. Pointers to no bytes (a size of 0) may be NULL. */

/* Structs of options begin with `size`, which a caller sets to the sizeof of the struct, so that a
 * library of another release knows which fields the caller's header has. Later releases add fields
 * at the end; zero in a new field selects the previous behaviour. A size of 0 means the fields of
 * release 0.1. SAM_ERR_USAGE when a field is set that the library does not know. */

enum sam_status {
    SAM_OK = 0,
    SAM_ERR_MEMORY,  /* the host is out of memory */
    SAM_ERR_IO,      /* a host file cannot be opened, read or written */
    SAM_ERR_USAGE,   /* an argument makes no sense (caller's mistake) */
    SAM_ERR_INPUT,   /* a file or text is damaged or not of the expected form */
    SAM_ERR_TRAP,    /* the simulated program trapped, deadlocked or ran out of budget */
    SAM_ERR_STOPPED, /* the run was interrupted by its caller */
};

/* The last failure. `text` is one line without a newline, truncated to fit; calls that succeed
 * leave it untouched. */
struct sam_error {
    enum sam_status status;
    char text[1024];
};

/* Short English name of a status ("ok", "out of memory", ...). Never NULL. */
SAM_API const char *sam_status_name(enum sam_status status);

#ifdef __cplusplus
}
#endif
#endif
