/* SPDX-License-Identifier: Apache-2.0 */
/* Bad arguments of network.h. network.c tries sam_network_input, sam_network_output and
 * sam_network_value, which take any index. */
#include "test.h"

#include "samite/network.h"

TEST(open)
{
    struct sam_network *network;
    refuses(sam_network_open, NULL, NULL, &network);
    assert_null(network);
    refuses(sam_network_open, "x.onnx", NULL, NULL);
    const struct sam_network_options kinds = {.size = sizeof kinds,
                                              .weights = (enum sam_network_weights)3},
                                     dims = {.size = sizeof dims, .dim_count = 1};
    refuses(sam_network_open, "x.onnx", &kinds, &network);
    refuses(sam_network_open, "x.onnx", &dims, &network);
    assert_int_equal(sam_network_open("/nonexistent.onnx", NULL, &network, NULL), SAM_ERR_IO);
    sam_network_close(NULL);
}

TEST(others)
{
    struct sam_network_figures *figures, none = {0};
    char *text;
    refuses(sam_network_run, NULL, NULL, 0, NULL, &figures);
    assert_null(figures);
    refuses(sam_network_list, NULL, &text);
    refuses(sam_network_emit, NULL, ".");
    refuses(sam_network_keep_state, NULL, "x", "y");
    refuses(sam_network_report, NULL, "x", SAM_NETWORK_TEXT, &text);
    refuses(sam_network_report, &none, NULL, SAM_NETWORK_TEXT, &text);
    refuses(sam_network_report, &none, "x", (enum sam_network_format)4, &text);
    refuses(sam_network_report, &none, "x", SAM_NETWORK_HTML, &text);
    sam_network_figures_free(NULL);
}
