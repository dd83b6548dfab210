/* SPDX-License-Identifier: Apache-2.0 */
/* Registers, private memory and arguments of one lane as addresses: DWARF has no locations in a
 * lane. They are at the end of the address space, where nothing else is mapped there. Since 0.2. */
#ifndef SAMITE_LANE_H
#define SAMITE_LANE_H

#define SAM_LANE_FIRST     0xfffd0000u
#define SAM_LANE_PRIVATE   0xfffd0000u /* + N: byte N of its private memory, up to 64 KiB */
#define SAM_LANE_ARGUMENTS 0xfffe0000u /* + N: byte N of the argument buffer, up to 64 KiB */
#define SAM_LANE_V         0xfffff000u /* + 4 N: its element of vector register N of 256 */
#define SAM_LANE_X         0xfffff400u /* + 4 N: scalar register N of 64 of its warp */

#endif
