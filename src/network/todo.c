#include "network/build.h"
#define T(n)                                                                                       \
    void n(struct net_builder *b, const struct net_group *g)                                       \
    {                                                                                              \
        (void)g;                                                                                   \
        net_build_fail(b, SAM_ERR_INPUT, "todo");                                                  \
    }
T(net_plan_conv_transpose)
T(net_plan_pool) T(net_plan_rows) T(net_plan_reduce) T(net_plan_gather) T(net_plan_resize)
