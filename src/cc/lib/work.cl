/* SPDX-License-Identifier: Apache-2.0 */
/* Work-items: ids and sizes from the metadata buffer and CSRs; barriers; copies by a workgroup. A
 * launch sets sizes of 1 and offsets of 0 in dimensions that it does not have. */
enum { SAM_GLOBAL = 12, SAM_BLOCK = 24, SAM_OFFSET = 36 };

#define SAM_BY_DIMENSION(d, x, y, z, other) (d == 0 ? (x) : d == 1 ? (y) : d == 2 ? (z) : (other))
static uint sam_word(uint base, uint d, uint other)
{
    return SAM_BY_DIMENSION(d, __samite_metadata(base), __samite_metadata(base + 4), __samite_metadata(base + 8), other);
}

uint SAM_OVER get_work_dim(void) { return __samite_metadata(8); }
size_t SAM_OVER get_global_size(uint d) { return sam_word(SAM_GLOBAL, d, 1); }
size_t SAM_OVER get_global_offset(uint d) { return sam_word(SAM_OFFSET, d, 0); }
size_t SAM_OVER get_local_size(uint d) { return sam_word(SAM_BLOCK, d, 1); }
size_t SAM_OVER get_enqueued_local_size(uint d) { return sam_word(SAM_BLOCK, d, 1); }
size_t SAM_OVER get_group_id(uint d)
{
    return SAM_BY_DIMENSION(d, __samite_csr(0x808), __samite_csr(0x809), __samite_csr(0x80a), 0);
}
/* get_local_size of OpenCL C 2.0, where the last group of a dimension may be smaller. */
size_t __samite_group_size(uint d)
{
    const uint size = sam_word(SAM_BLOCK, d, 1);
    const uint left = sam_word(SAM_GLOBAL, d, 1) - get_group_id(d) * size;
    return left < size ? left : size;
}
size_t SAM_OVER get_num_groups(uint d)
{
    const uint local_size = sam_word(SAM_BLOCK, d, 1);
    return (sam_word(SAM_GLOBAL, d, 1) + local_size - 1) / local_size;
}
size_t SAM_OVER get_local_id(uint d)
{
    const uint x = __samite_metadata(SAM_BLOCK), y = __samite_metadata(SAM_BLOCK + 4);
    const uint lane = __samite_lane();
    return SAM_BY_DIMENSION(d, lane % x, lane / x % y, lane / x / y, 0);
}
size_t SAM_OVER get_global_id(uint d)
{
    return get_group_id(d) * get_local_size(d) + get_local_id(d) + get_global_offset(d);
}
size_t SAM_OVER get_local_linear_id(void)
{
    const size_t row = get_local_id(2) * __samite_group_size(1) + get_local_id(1);
    return row * __samite_group_size(0) + get_local_id(0);
}
size_t SAM_OVER get_global_linear_id(void)
{
    const size_t x = get_global_id(0) - get_global_offset(0);
    const size_t y = get_global_id(1) - get_global_offset(1);
    const size_t z = get_global_id(2) - get_global_offset(2);
    return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

/* Stores are visible at once. */
void SAM_OVER barrier(cl_mem_fence_flags flags) { __samite_barrier(); }
void SAM_OVER work_group_barrier(cl_mem_fence_flags flags) { __samite_barrier(); }
void SAM_OVER work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) { __samite_barrier(); }
void SAM_OVER mem_fence(cl_mem_fence_flags flags) { __samite_fence(); }
void SAM_OVER read_mem_fence(cl_mem_fence_flags flags) { __samite_fence(); }
void SAM_OVER write_mem_fence(cl_mem_fence_flags flags) { __samite_fence(); }

/* --- copies: each work-item takes its share, also in a smaller group; the wait is a barrier */
static uint sam_group_size(void) { return __samite_group_size(0) * __samite_group_size(1) * __samite_group_size(2); }
#define SAM_COPY(N, T, D, S) \
    event_t SAM_OVER async_work_group_copy(D T##N *to, const S T##N *from, size_t count, event_t event) \
    { for (size_t i = get_local_linear_id(); i < count; i += sam_group_size()) to[i] = from[i]; return event; }
#define SAM_COPIES(T, _) \
    SAM_SIZES(SAM_COPY, T, __local, __global) SAM_SIZES(SAM_COPY, T, __global, __local) SAM_SIZES(SAM_COPY_STRIDED, T)
#define SAM_COPY_STRIDED(N, T) \
    event_t SAM_OVER async_work_group_strided_copy(__local T##N *to, const __global T##N *from, size_t count, \
                                                   size_t stride, event_t event) \
    { for (size_t i = get_local_linear_id(); i < count; i += sam_group_size()) to[i] = from[i * stride]; return event; } \
    event_t SAM_OVER async_work_group_strided_copy(__global T##N *to, const __local T##N *from, size_t count, \
                                                   size_t stride, event_t event) \
    { for (size_t i = get_local_linear_id(); i < count; i += sam_group_size()) to[i * stride] = from[i]; return event; } \
    void SAM_OVER prefetch(const __global T##N *p, size_t count) {}
SAM_ELEMENT_TYPES(SAM_COPIES, )
void SAM_OVER wait_group_events(int count, __private event_t *events) { __samite_barrier(); }
void SAM_OVER wait_group_events(int count, __generic event_t *events) { __samite_barrier(); }
