/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX models written as text, one statement per line:
 *
 *   opset N
 *   in NAME TYPE DIM...              an input; a dimension that is no number is a symbolic one
 *   init NAME TYPE DIM... = VALUES   an initializer
 *   tensor NAME TYPE DIM... = VALUES only for attributes
 *   NAME,... = OP INPUT... ATTRIBUTE=VALUE...
 *   out NAME...
 *
 * TYPE is f32, i64, bool, ...; VALUES are numbers, the last one repeated, or "rand": from -1 to 1.
 * An input or output "_" is left out. OP may be DOMAIN:OP. An attribute's VALUE is an integer (3),
 * a float (3.0), several of either ([1,2] or [1.0,2.0]), a tensor (@NAME), a graph ({}) or else a
 * string. The node that makes y is named node_y. */
#ifndef TEST_NETWORK_ONNX_TEXT_H
#define TEST_NETWORK_ONNX_TEXT_H

#include "base/base.h"

/* Ends the program with a message when the text is not of this form. */
struct sam_buffer onnx_from_text(const char *text);

#endif
