/* SPDX-License-Identifier: Apache-2.0 */
/* The face of format/. */
#ifndef SAM_FORMAT_H
#define SAM_FORMAT_H

/* Where the Ventus compiler records what each kernel needs (docs/ventus-rulings.md, ELF). */
#define SAM_RESOURCE_SECTION ".rodata.ventus.resource"

#endif
