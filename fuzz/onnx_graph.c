/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the graph of an ONNX model: an import in normal form, or one line that says why not.
 */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "network/graph.h"
#include "tests/network/onnx_text.h"

/* Arities of operators.def. */
static void check_arity(const struct net_node *n)
{
    static const unsigned arity[][2] = {
#define NET_OP(name, inputs, optional, plan, fold) {inputs, (inputs) + (optional)},
#include "network/operators.def"
#undef NET_OP
    };
    FUZZ_CHECK((unsigned)n->op < NET_OPS);
    FUZZ_CHECK(n->input_count >= arity[n->op][0]);
    FUZZ_CHECK(n->input_count <= arity[n->op][1] || arity[n->op][1] > 255);
}

static void check_value(const struct sam_net_value *v, uint32_t node)
{
    uint64_t count = 1;
    volatile uint8_t sum = 0;
    for (uint32_t d = 0; d < v->rank; d++)
        count *= v->shape[d];
    FUZZ_CHECK(v->rank <= NET_RANK && v->count == count && v->name);
    FUZZ_CHECK(v->producer == NET_NONE || (v->producer == node && !v->data));
    FUZZ_CHECK(v->data || (count && (v->dtype == SAM_F32 || v->dtype == SAM_I64 ||
                                     v->dtype == SAM_I32 || v->dtype == SAM_U8)));
    for (uint64_t i = 0; v->data && i < count * sam_dtype_bits(v->dtype) / 8; i++)
        sum ^= ((const uint8_t *)v->data)[i]; /* all of it is readable */
    (void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct sam_network_dim dims[] = {{"n", 3}};
    const struct sam_network_options sizes = {.dims = dims}, named = {.dims = dims, .dim_count = 1};
    struct net_graph g;
    struct sam_error error = {0};
    enum sam_status status = sam_net_import_data(data, size, "fuzz", &named, &g, &error);
    if (status == SAM_ERR_USAGE) /* no dimension of that name */
        status = sam_net_import_data(data, size, "fuzz", &sizes, &g, &error);
    if (status != SAM_OK) {
        FUZZ_CHECK(status == error.status && error.text[0] && !g.values && !g.nodes);
        return 0;
    }
    for (size_t i = 0; i < g.value_count; i++)
        check_value(&g.values[i], g.values[i].producer);
    for (size_t i = 0; i < g.node_count; i++) {
        const struct net_node *n = &g.nodes[i];
        check_arity(n);
        FUZZ_CHECK(n->name && g.values[n->output].producer == i);
        for (uint32_t k = 0; k < n->input_count; k++) {
            FUZZ_CHECK(n->inputs[k] < g.value_count);
            const uint32_t producer = g.values[n->inputs[k]].producer;
            FUZZ_CHECK(producer == NET_NONE || producer < i);
        }
    }
    sam_net_graph_free(&g);
    return 0;
}

void fuzz_seeds(fuzz_add *add, void *context)
{
    static const char *const models[] = {
        "opset 9\nin x f32 1 2 6 n\ninit w f32 2 1 3 3 = rand\ninit s f32 2 = 1\n"
        "c = Conv x w group=2 pads=[1,1,1,1] strides=[2,1]\nb = BatchNormalization c s s s s\n"
        "r = Relu b\np = MaxPool r kernel_shape=[2,2] ceil_mode=1\nq = GlobalAveragePool p\n"
        "f = Flatten q\nm = Softmax f\nout m r",
        "opset 13\nin x f32 n 4 6\ninit w f16 6 8 = 1\ny = MatMul x w\nz = Transpose y "
        "perm=[0,2,1]\n"
        "s = Shape z\ninit i i64 1 = 0\ng = Gather s i\ninit m i64 1 = -1\nc = Concat g m axis=0\n"
        "r = Reshape z c\nl = LeakyRelu r alpha=0.5\na = ArgMax l axis=1\nout a",
        "opset 11\nin x f32 1 2 4 4\nin t bool 4\ninit p i64 8 = 0 0 1 1 0\ny = Pad x p\n"
        "init s f32 4 = 1 1 2 2\nz = Resize y _ s mode=linear\ninit w f32 2 3 2 2 = rand\n"
        "u = ConvTranspose z w strides=[2,2]\na,b = Split u axis=2\nd = Where t x x\nout a b d",
        "opset 13\nin x i64 n 4\ninit s i64 1 = 1\ninit e i64 1 = 3\nq = Slice x s e s\n"
        "f = Cast q to=1\ninit k i64 2 = 2 1\nt = Tile f k\nr = ReduceSum t s keepdims=0\n"
        "h = HardSigmoid r\nc = ConstantOfShape k\nu = Unsqueeze h s\ninit o i64 2 = 1 5\nv = "
        "Expand u o\nout v c",
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct sam_buffer model = onnx_from_text(models[i]);
        struct sam_error error = {0};
        struct net_graph g;
        const struct sam_network_dim n = {"n", 3};
        const struct sam_network_options sizes = {
            .dims = &n, .dim_count = strstr(models[i], " n\n") || strstr(models[i], " n ")};
        if (sam_net_import_data(model.data, model.size, "seed", &sizes, &g, &error) != SAM_OK) {
            fprintf(stderr, "%s\n", error.text);
            abort();
        }
        sam_net_graph_free(&g);
        add(context, "model", model.data, model.size);
        sam_buffer_free(&model);
    }
}
