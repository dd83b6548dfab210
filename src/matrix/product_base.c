/* SPDX-License-Identifier: Apache-2.0 */
#define TABLE sam_matrix_products_base
#include "matrix/product_tmpl.h"
