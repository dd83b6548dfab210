/* SPDX-License-Identifier: Apache-2.0 */
/* The version of these headers, for the preprocessor; sam_version() gives that of the library at
 * run time.
 *
 * Thread safety: any function may run in any thread. */
#ifndef SAMITE_VERSION_H
#define SAMITE_VERSION_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SAM_VERSION_MAJOR 0
#define SAM_VERSION_MINOR 2
#define SAM_VERSION_PATCH 0
/* For comparisons: SAM_VERSION_NUMBER >= SAM_VERSION_AT(0, 2, 0) */
#define SAM_VERSION_AT(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define SAM_VERSION_NUMBER                  SAM_VERSION_AT(SAM_VERSION_MAJOR, SAM_VERSION_MINOR, SAM_VERSION_PATCH)

/* The library's version, "major.minor.patch". */
SAM_API const char *sam_version(void);

#ifdef __cplusplus
}
#endif
#endif
