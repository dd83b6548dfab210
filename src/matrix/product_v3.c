/* SPDX-License-Identifier: Apache-2.0 */
#define TABLE sam_m_products_v3
#include "matrix/product_tmpl.h"
