# SPDX-License-Identifier: Apache-2.0
"""Structs, constants and functions of libsamite, as far as the package uses them.

Made from include/samite/*.h by tools/python-abi.py: do not edit.
"""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int,
                    c_size_t, c_uint, c_uint32, c_uint64, c_uint8, c_void_p)
from enum import IntEnum

SAM_CODE_BASE = 0x80000000
SAM_ERR_INPUT = 4
SAM_ERR_IO = 2
SAM_ERR_MEMORY = 1
SAM_ERR_STOPPED = 6
SAM_ERR_TRAP = 5
SAM_ERR_USAGE = 3
SAM_EXT_XMATRIX = 256
SAM_GPUTIME_JSON = 1
SAM_GPUTIME_TEXT = 0
SAM_HART_CODE_BASE = 0x80000000
SAM_LDS_BASE = 0x70000000
SAM_LDS_SIZE = 0x10000000
SAM_MAX_LANES = 32
SAM_MAX_RANK = 8
SAM_NETWORK_HUFFMAN = 1
SAM_NETWORK_JSON = 1
SAM_NETWORK_RAW = 0
SAM_NETWORK_TEXT = 0
SAM_NETWORK_WINDOW = 2
SAM_OK = 0
SAM_OPAQUE = 0
SAM_SCHEDULE_RR1 = 1
SAM_SCHEDULE_RUN = 0
SAM_SCOPE_ALL = 0
SAM_SCOPE_WARP = 2
SAM_SCOPE_WORKGROUP = 1
SAM_SESSION_WATCH = 2
SAM_STEP_ACCESSES = 128
SAM_SYSTEM_CODE_BASE = 0x40000000
SAM_SYSTEM_END_TRAP = 1
SAM_SYSTEM_JSON = 1
SAM_SYSTEM_TEXT = 0
SAM_SYSTEM_TRAPS_END = 0
SAM_SYSTEM_TRAPS_REPORT = 1
SAM_TILE_NAN_FIRST = 2
SAM_TILE_NAN_NUMBER = 0
SAM_TILE_NAN_PROPAGATE = 1
SAM_TILE_PAD_KEEP = 0
SAM_TILE_PAD_VALUE = 1
SAM_TILE_PAGE = 0
SAM_TILE_SPEC = 1
SAM_TILE_SUM_RISING = 0
SAM_TILE_SUM_SYSTEM = 1
SAM_TRAP_STORE_FAULT = 7
SAM_WEIGHTS_NPY = 1
SAM_WEIGHTS_RAW = 0
SAM_WEIGHTS_SAFETENSORS = 2
SAM_WEIGHT_RANK = 16


class sam_cc_space(IntEnum):
    SAM_CC_VALUE = 0
    SAM_CC_GLOBAL = 1
    SAM_CC_CONSTANT = 2
    SAM_CC_LOCAL = 3


class sam_dtype(IntEnum):
    SAM_OPAQUE = 0
    SAM_BF16 = 1
    SAM_F16 = 2
    SAM_F32 = 3
    SAM_E4M3 = 4
    SAM_E5M2 = 5
    SAM_E8M0 = 6
    SAM_E2M1 = 7
    SAM_I4 = 8
    SAM_U8 = 9
    SAM_I8 = 10
    SAM_U16 = 11
    SAM_I16 = 12
    SAM_U32 = 13
    SAM_I32 = 14
    SAM_U64 = 15
    SAM_I64 = 16
    SAM_F64 = 17
    SAM_BOOL = 18
    SAM_E3M4 = 19
    SAM_E1M2 = 20
    SAM_E3M0 = 21
    SAM_TF32 = 22
    SAM_HF32 = 23
    SAM_HIF8 = 24
    SAM_E3M2 = 25
    SAM_E2M3 = 26
    SAM_DTYPES = 27


class sam_hart_end(IntEnum):
    SAM_HART_EXIT = 0
    SAM_HART_EBREAK = 1
    SAM_HART_UNTIL = 2
    SAM_HART_TRAP = 3
    SAM_HART_BUDGET = 4
    SAM_HART_STOPPED = 5
    SAM_HART_STEPPED = 6
    SAM_HART_DEADLOCK = 7


class sam_mxu_mac(IntEnum):
    SAM_MXU_MAC_I8 = 0
    SAM_MXU_MAC_I16 = 1
    SAM_MXU_MAC_F16 = 2
    SAM_MXU_MAC_F32 = 3
    SAM_MXU_MAC_F64 = 4
    SAM_MXU_MACS = 5


class sam_session_reason(IntEnum):
    SAM_SESSION_DONE = 0
    SAM_SESSION_BREAK = 1
    SAM_SESSION_WATCH = 2
    SAM_SESSION_TRAP = 3
    SAM_SESSION_RELEASED = 4
    SAM_SESSION_WAITS = 5
    SAM_SESSION_COUNT = 6
    SAM_SESSION_ASKED = 7
    SAM_SESSION_STOPPED = 8
    SAM_SESSION_EBREAK = 9
    SAM_SESSION_START = 10


class sam_step_kind(IntEnum):
    SAM_STEP_RAN = 0
    SAM_STEP_PREFIX = 1
    SAM_STEP_BARRIER = 2
    SAM_STEP_RELEASED = 3
    SAM_STEP_WAITS = 4
    SAM_STEP_ENDED = 5
    SAM_STEP_TRAPPED = 6
    SAM_STEP_HANDLED = 7


class sam_trap_kind(IntEnum):
    SAM_TRAP_NONE = 0
    SAM_TRAP_ILLEGAL = 1
    SAM_TRAP_FETCH = 2
    SAM_TRAP_FETCH_MISALIGNED = 3
    SAM_TRAP_LOAD_MISALIGNED = 4
    SAM_TRAP_STORE_MISALIGNED = 5
    SAM_TRAP_LOAD_FAULT = 6
    SAM_TRAP_STORE_FAULT = 7
    SAM_TRAP_FETCH_PAGE = 8
    SAM_TRAP_LOAD_PAGE = 9
    SAM_TRAP_STORE_PAGE = 10
    SAM_TRAP_PRIVATE_RANGE = 11
    SAM_TRAP_STACK_OVERFLOW = 12
    SAM_TRAP_ENDPRG_DIVERGED = 13
    SAM_TRAP_BARRIER_DIVERGED = 14
    SAM_TRAP_DEADLOCK = 15
    SAM_TRAP_BUDGET = 16
    SAM_TRAP_PRINT_FULL = 17
    SAM_TRAP_SPIN = 18


class sam_warp_state(IntEnum):
    SAM_WARP_READY = 0
    SAM_WARP_WAITS = 1
    SAM_WARP_ENDED = 2


class sam_array(Structure):
    _fields_ = [
        ("dtype", c_int), ("rank", c_size_t), ("shape", c_uint64 * 8), ("count", c_size_t),
        ("size", c_size_t), ("data", c_void_p)
    ]


class sam_isa(Structure):
    _fields_ = [
        ("xlen", c_uint), ("extensions", c_uint)
    ]


class sam_asm_options(Structure):
    _fields_ = [
        ("size", c_size_t), ("isa", sam_isa), ("base", c_uint64), ("defines", POINTER(c_char_p)),
        ("define_count", c_size_t), ("include_paths", POINTER(c_char_p)),
        ("include_count", c_size_t), ("max_expanded", c_uint64), ("listing", POINTER(c_void_p)),
        ("reads", CFUNCTYPE(None, c_void_p, c_char_p)), ("reads_context", c_void_p),
        ("lines", c_bool), ("prologue", c_char_p), ("prologue_name", c_char_p)
    ]


class sam_section(Structure):
    _fields_ = [
        ("name", c_char_p), ("address", c_uint64), ("size", c_uint64), ("data_size", c_uint64),
        ("data", POINTER(c_uint8)), ("execute", c_bool), ("write", c_bool),
        ("load_offset", c_uint64)
    ]


class sam_symbol(Structure):
    _fields_ = [
        ("name", c_char_p), ("value", c_uint64), ("size", c_uint64), ("global", c_bool),
        ("function", c_bool), ("section_relative", c_bool), ("repeated", c_bool)
    ]


class sam_image(Structure):
    _fields_ = [
        ("xlen", c_uint), ("compressed", c_bool), ("entry", c_uint64),
        ("sections", POINTER(sam_section)), ("section_count", c_size_t),
        ("symbols", POINTER(sam_symbol)), ("symbol_count", c_size_t), ("resources", c_void_p),
        ("resource_count", c_size_t), ("files", POINTER(c_void_p)), ("file_count", c_size_t),
        ("lines", c_void_p), ("line_count", c_size_t), ("lines_problem", c_char_p),
        ("float_abi", c_uint), ("arch", c_char_p), ("debug", POINTER(sam_section)),
        ("debug_count", c_size_t)
    ]


class sam_error(Structure):
    _fields_ = [
        ("status", c_int), ("text", c_char * 1024)
    ]


class sam_cc_options(Structure):
    _fields_ = [
        ("size", c_size_t), ("defines", POINTER(c_char_p)), ("define_count", c_size_t),
        ("include_paths", POINTER(c_char_p)), ("include_count", c_size_t), ("standard", c_char_p),
        ("optimize", c_uint), ("no_cache", c_bool), ("variables", c_bool),
        ("flags", POINTER(c_char_p)), ("flag_count", c_size_t), ("text", c_char_p)
    ]


class sam_cc_argument(Structure):
    _fields_ = [
        ("space", c_int), ("size", c_uint32), ("offset", c_uint32), ("type", c_char * 64),
        ("name", c_char * 64)
    ]


class sam_csr_entry(Structure):
    _fields_ = [
        ("name", c_char_p), ("meaning", c_char_p), ("address", c_uint), ("extensions", c_char * 64),
        ("aliases", c_char * 96)
    ]


class sam_energy_config(Structure):
    _fields_ = [
        ("each", c_uint32 * 18)
    ]


class sam_engines_config(Structure):
    _fields_ = [
        ("bytes", c_uint32 * 4), ("latency", c_uint32 * 4), ("queue", c_uint32 * 4),
        ("slice_cycles", c_uint32), ("pipelined", c_uint32), ("issue", c_uint32),
        ("scalar_cpi", c_uint32), ("energy", sam_energy_config)
    ]


class sam_launch(Structure):
    _fields_ = [
        ("start", c_uint32), ("metadata", c_uint32), ("grid", c_uint32 * 3), ("lanes", c_uint32),
        ("warps", c_uint32), ("lds_size", c_uint32), ("pds_size", c_uint32), ("pds_base", c_uint32),
        ("args", c_uint32), ("args_size", c_uint32), ("image", POINTER(sam_image))
    ]


class sam_trap(Structure):
    _fields_ = [
        ("kind", c_int), ("workgroup", c_uint32), ("group", c_uint32 * 3), ("warp", c_uint32),
        ("lane", c_uint32), ("lanes", c_uint32), ("pc", c_uint32), ("word", c_uint32),
        ("tval", c_uint64)
    ]


class sam_branch_stats(Structure):
    _fields_ = [
        ("pc", c_uint32), ("word", c_uint32), ("executed", c_uint64), ("diverged", c_uint64)
    ]


class sam_mix_row(Structure):
    _fields_ = [
        ("mnemonic", c_char_p), ("warp_insns", c_uint64)
    ]


class sam_gpu_stats(Structure):
    _fields_ = [
        ("warp_insns", c_uint64), ("seconds", c_double), ("workgroups", c_uint64),
        ("warps", c_uint64), ("scalar_insns", c_uint64), ("vector_insns", c_uint64),
        ("lane_insns", c_uint64), ("vector_lanes", c_uint64), ("vector_slots", c_uint64),
        ("barriers", c_uint64), ("memory_insns", c_uint64), ("memory_accesses", c_uint64),
        ("lines", c_uint64), ("global_insns", c_uint64), ("lds_insns", c_uint64),
        ("lds_conflicts", c_uint64), ("simt_depth", c_uint64),
        ("branches", POINTER(sam_branch_stats)), ("branch_count", c_size_t),
        ("mix", POINTER(sam_mix_row)), ("mix_count", c_size_t)
    ]


class sam_gpu_result(Structure):
    _fields_ = [
        ("trap", sam_trap), ("stats", sam_gpu_stats), ("places", c_void_p),
        ("place_count", c_size_t)
    ]


class sam_sink(Structure):
    _fields_ = [
        ("write", CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t)), ("context", c_void_p)
    ]


class sam_gpu_progress(Structure):
    _fields_ = [
        ("done", c_uint64), ("workgroups", c_uint64), ("warp_insns", c_uint64)
    ]


class sam_lds_range(Structure):
    _fields_ = [
        ("base", c_uint32), ("size", c_uint32)
    ]


class sam_gputime_config(Structure):
    _fields_ = [
        ("sms", c_uint32), ("warps", c_uint32), ("groups", c_uint32), ("threads", c_uint32),
        ("sgprs", c_uint32), ("vgprs", c_uint32), ("lds_bytes", c_uint32),
        ("dispatch_cycles", c_uint32), ("dispatch_high_first", c_uint32),
        ("warp_start_cycles", c_uint32), ("start_latency", c_uint32), ("request_latency", c_uint32),
        ("reply_latency", c_uint32), ("skip_first", c_uint32), ("fetch_ports", c_uint32),
        ("fetch_keeps", c_uint32), ("fetch_width", c_uint32), ("ibuffer", c_uint32),
        ("redirect_latency", c_uint32), ("decode_latency", c_uint32), ("icache_bytes", c_uint32),
        ("icache_ways", c_uint32), ("icache_line_bytes", c_uint32), ("icache_latency", c_uint32),
        ("icache_mshrs", c_uint32), ("icache_fill_latency", c_uint32), ("icache_retry", c_uint32),
        ("icache_ahead", c_uint32), ("issue_streams", c_uint32), ("issue_early", c_uint32),
        ("groups_wait", c_uint32), ("fold_prefix", c_uint32), ("score_x0", c_uint32),
        ("score_stores", c_uint32), ("score_masks", c_uint32), ("endprg_waits", c_uint32),
        ("barrier_blocks", c_uint32), ("barrier_sm", c_uint32), ("wakeup_latency", c_uint32),
        ("collectors", c_uint32), ("collectors_warp", c_uint32), ("collector_free", c_uint32),
        ("collect_none", c_uint32), ("collect_request", c_uint32), ("collect_read", c_uint32),
        ("emit_latency", c_uint32), ("banks", c_uint32), ("banks_shared", c_uint32),
        ("banks_by_warp", c_uint32), ("bank_ports", c_uint32), ("bank_echo", c_uint32),
        ("salu_latency", c_uint32), ("salu_interval", c_uint32), ("valu_latency", c_uint32),
        ("valu_interval", c_uint32), ("csr_latency", c_uint32), ("csr_interval", c_uint32),
        ("mul_latency", c_uint32), ("mul_interval", c_uint32), ("fadd_latency", c_uint32),
        ("fma_latency", c_uint32), ("fcvt_latency", c_uint32), ("fpu_interval", c_uint32),
        ("sfu_units", c_uint32), ("sfu_float_cycles", c_uint32), ("sfu_int_cycles", c_uint32),
        ("sfu_extra", c_uint32), ("sfu_interval", c_uint32), ("tensor_latency", c_uint32),
        ("tensor_step", c_uint32), ("tensor_interval", c_uint32), ("branch_latency", c_uint32),
        ("simt_latency", c_uint32), ("join_latency", c_uint32), ("barrier_latency", c_uint32),
        ("write_ports", c_uint32), ("write_mul_first", c_uint32), ("memory_perfect", c_uint32),
        ("perfect_latency", c_uint32), ("perfect_interval", c_uint32), ("lsu_queue", c_uint32),
        ("lsu_latency", c_uint32), ("lsu_interval", c_uint32), ("lsu_return", c_uint32),
        ("lsu_warp", c_uint32), ("lsu_all", c_uint32), ("line_bytes", c_uint32),
        ("l1_sets", c_uint32), ("l1_ways", c_uint32), ("l1_latency", c_uint32),
        ("l1_mshrs", c_uint32), ("l1_merges", c_uint32), ("l1_wshrs", c_uint32),
        ("l1_miss_latency", c_uint32), ("l1_fill_latency", c_uint32), ("lds_latency", c_uint32),
        ("lds_banks", c_uint32), ("lds_cached", c_uint32), ("lds_write_gap", c_uint32),
        ("l2_sets", c_uint32), ("l2_ways", c_uint32), ("l2_line_bytes", c_uint32),
        ("l2_write_allocate", c_uint32), ("l2_write_reads", c_uint32), ("l2_mshrs", c_uint32),
        ("l2_latency", c_uint32), ("l2_miss_latency", c_uint32), ("l2_interval", c_uint32),
        ("mem_latency", c_uint32), ("mem_outstanding", c_uint32), ("mem_recovery", c_uint32),
        ("mem_bytes", c_uint32), ("energy", sam_energy_config)
    ]


class sam_gputime_cache(Structure):
    _fields_ = [
        ("reads", c_uint64), ("writes", c_uint64), ("read_hits", c_uint64),
        ("write_hits", c_uint64), ("merges", c_uint64), ("refusals", c_uint64),
        ("evictions", c_uint64), ("dirty", c_uint64)
    ]


class sam_gputime_result(Structure):
    _fields_ = [
        ("cycles", c_uint64), ("launch_cycles", c_uint64), ("insns", c_uint64),
        ("counted_insns", c_uint64), ("sms", c_uint32), ("slots", c_uint32), ("sm", c_void_p),
        ("warp_slots", POINTER(c_uint64 * 20)), ("rows", c_void_p), ("row_count", c_size_t),
        ("l2", sam_gputime_cache), ("l2_busy", c_uint64), ("dram_reads", c_uint64),
        ("dram_writes", c_uint64), ("dram_bytes_read", c_uint64), ("dram_bytes_written", c_uint64),
        ("dram_busy", c_uint64), ("groups_resident", c_uint32), ("limit", c_int)
    ]


class sam_gpu_timing(Structure):
    _fields_ = [
        ("size", c_size_t), ("config", POINTER(sam_gputime_config)), ("sgprs", c_uint32),
        ("vgprs", c_uint32), ("perfetto", sam_sink), ("konata", sam_sink),
        ("result", sam_gputime_result)
    ]


class sam_gpu_options(Structure):
    _fields_ = [
        ("size", c_size_t), ("jobs", c_uint), ("schedule", c_int), ("loose_bounds", c_bool),
        ("shared_pds", c_bool), ("collect_stats", c_bool), ("print_prefix", c_bool),
        ("max_insns", c_uint64), ("simt_stack_limit", c_uint), ("sv39", c_bool), ("ptbr", c_uint64),
        ("log", sam_sink), ("print", sam_sink), ("stop", POINTER(c_int)),
        ("progress", CFUNCTYPE(None, c_void_p, POINTER(sam_gpu_progress))),
        ("progress_context", c_void_p), ("fit_pds", c_bool), ("pds_room", c_uint64),
        ("strict_lds", c_bool), ("lds_ranges", POINTER(sam_lds_range)),
        ("lds_range_count", c_size_t), ("profile", c_void_p), ("sanitizer", c_void_p),
        ("timing", POINTER(sam_gpu_timing)), ("past_end", POINTER(sam_trap)), ("log_apart", c_bool)
    ]


class sam_kernel(Structure):
    _fields_ = [
        ("name", c_char_p), ("grid", c_uint32 * 3), ("block", c_uint32 * 3), ("lanes", c_uint32),
        ("pds_size", c_uint32), ("args", c_void_p), ("args_size", c_size_t),
        ("print_size", c_uint32)
    ]


class sam_prepare_options(Structure):
    _fields_ = [
        ("size", c_size_t), ("global", c_uint32 * 3), ("offset", c_uint32 * 3),
        ("lds_size", c_uint32)
    ]


class sam_gputime_report_options(Structure):
    _fields_ = [
        ("size", c_size_t), ("config", POINTER(sam_gputime_config)), ("image", POINTER(sam_image))
    ]


class sam_mxu_config(Structure):
    _fields_ = [
        ("mlen", c_uint), ("mpara", c_uint), ("npara", c_uint), ("elewidth", c_uint),
        ("rows_m_block", c_uint), ("rows_n_block", c_uint), ("step_m", c_uint), ("slots", c_uint),
        ("tree_stages", c_uint), ("acc_latency", c_uint), ("wb_bypass", c_bool),
        ("ld_queue", c_uint), ("st_queue", c_uint), ("mem_latency", c_uint), ("ooo_window", c_uint),
        ("beat_cycles", c_uint), ("merge_cycles", c_uint), ("l2_kib", c_uint),
        ("miss_latency", c_uint), ("ports", c_bool), ("stall", c_uint), ("seed", c_uint64),
        ("load_widen", c_int)
    ]


class sam_mxu_stats(Structure):
    _fields_ = [
        ("cycles", c_uint64), ("buckets", c_uint64 * 10 * 7), ("instructions", c_uint64),
        ("scalar", c_uint64), ("mma_uops", c_uint64), ("pw_uops", c_uint64),
        ("load_uops", c_uint64), ("store_uops", c_uint64), ("zero_uops", c_uint64),
        ("mask_bits", c_uint64), ("cut_uops", c_uint64), ("macs", c_uint64),
        ("full_uops", c_double), ("peak_macs", c_uint64), ("read_requests", c_uint64),
        ("write_requests", c_uint64), ("full_lines", c_uint64), ("read_beats", c_uint64),
        ("write_beats", c_uint64), ("bytes_loaded", c_uint64), ("bytes_stored", c_uint64),
        ("l2_hits", c_uint64), ("l2_misses", c_uint64), ("port_blocks", c_uint64 * 6),
        ("last_write_back", c_uint64), ("macs_of", c_uint64 * 5)
    ]


class sam_engine_report(Structure):
    _fields_ = [
        ("instructions", c_uint64), ("bytes", c_uint64), ("cycles", c_uint64 * 9),
        ("queued", c_uint64), ("queue_peak", c_uint32)
    ]


class sam_engines_report(Structure):
    _fields_ = [
        ("cycles", c_uint64), ("instructions", c_uint64), ("issue", c_uint64 * 11),
        ("engine", sam_engine_report * 4)
    ]


class sam_engines_watch(Structure):
    _fields_ = [
        ("slice", CFUNCTYPE(c_bool, c_void_p, c_void_p)),
        ("queue", CFUNCTYPE(c_bool, c_void_p, c_uint, c_uint64, c_uint32)), ("context", c_void_p)
    ]


class sam_hart_progress(Structure):
    _fields_ = [
        ("instructions", c_uint64), ("limit", c_uint64), ("pc", c_uint64)
    ]


class sam_hart_options(Structure):
    _fields_ = [
        ("size", c_size_t), ("isa", sam_isa), ("mlen", c_uint), ("fp_tree", c_bool),
        ("max_insns", c_uint64), ("l1m", c_uint64 * 2), ("l0m", c_uint64 * 2),
        ("ebreak_traps", c_bool), ("collect_stats", c_bool), ("trace", sam_sink),
        ("engines", POINTER(sam_engines_config)), ("watch", sam_engines_watch),
        ("timeline", sam_sink), ("cycles", POINTER(sam_mxu_config)), ("konata", sam_sink),
        ("vcd", sam_sink), ("bus", sam_sink), ("stop", POINTER(c_int)),
        ("progress", CFUNCTYPE(None, c_void_p, POINTER(sam_hart_progress))),
        ("progress_context", c_void_p), ("hostio", c_void_p), ("profile", c_void_p),
        ("acc_regs", c_uint32)
    ]


class sam_hart_result(Structure):
    _fields_ = [
        ("end", c_int), ("exit_code", c_uint64), ("instructions", c_uint64), ("pc", c_uint64),
        ("cause", c_uint), ("tval", c_uint64), ("word", c_uint32), ("text", c_char * 512)
    ]


class sam_hart_stats(Structure):
    _fields_ = [
        ("instructions", c_uint64), ("classes", c_uint64 * 22), ("tl_bytes_loaded", c_uint64),
        ("tl_bytes_stored", c_uint64), ("m_bytes_loaded", c_uint64), ("m_bytes_stored", c_uint64),
        ("m_macs", c_uint64), ("traps", c_uint64)
    ]


class sam_hostio_options(Structure):
    _fields_ = [
        ("size", c_size_t), ("folder", c_char_p), ("arguments", POINTER(c_char_p)),
        ("argument_count", c_size_t), ("output", sam_sink), ("errors", sam_sink),
        ("input", CFUNCTYPE(c_size_t, c_void_p, c_void_p, c_size_t)), ("input_context", c_void_p)
    ]


class sam_network_step(Structure):
    _fields_ = [
        ("nodes", c_char_p), ("kind", c_char_p), ("seconds", c_double), ("cycles", c_uint64),
        ("raw_cycles", c_uint64), ("instructions", c_uint64), ("macs", c_uint64),
        ("packed", c_uint64), ("raw", c_uint64), ("read", c_uint64), ("written", c_uint64),
        ("bound", c_uint64), ("busiest", c_char_p), ("waits", c_char_p), ("waiting", c_uint64)
    ]


class sam_network_figures(Structure):
    _fields_ = [
        ("steps", c_void_p), ("step_count", c_size_t), ("sum", sam_network_step), ("timed", c_bool)
    ]


class sam_network_tensor(Structure):
    _fields_ = [
        ("name", c_char_p), ("dtype", c_int), ("rank", c_size_t), ("shape", c_uint64 * 8)
    ]


class sam_network_dim(Structure):
    _fields_ = [
        ("name", c_char_p), ("size", c_uint64)
    ]


class sam_network_shape(Structure):
    _fields_ = [
        ("input", c_char_p), ("rank", c_size_t), ("shape", c_uint64 * 8)
    ]


class sam_network_options(Structure):
    _fields_ = [
        ("size", c_size_t), ("dims", POINTER(sam_network_dim)), ("dim_count", c_size_t),
        ("shapes", POINTER(sam_network_shape)), ("shape_count", c_size_t),
        ("keep", POINTER(c_char_p)), ("keep_count", c_size_t), ("weights", c_int),
        ("unfused", c_bool)
    ]


class sam_network_array(Structure):
    _fields_ = [
        ("name", c_char_p), ("array", POINTER(sam_array))
    ]


class sam_network_run_options(Structure):
    _fields_ = [
        ("size", c_size_t), ("system", c_bool), ("sum_order", c_int), ("timing", c_bool),
        ("raw_weights", c_bool), ("config", c_void_p), ("stop", POINTER(c_int)),
        ("progress", CFUNCTYPE(None, c_void_p, c_size_t, c_size_t)), ("context", c_void_p)
    ]


class sam_codec_options(Structure):
    _fields_ = [
        ("size", c_size_t), ("dense", c_bool), ("bit_planes", c_bool), ("threads", c_uint),
        ("level", c_int), ("allocator", c_void_p), ("restart", c_bool), ("window", c_bool),
        ("trusted", c_bool)
    ]


class sam_packed_stat(Structure):
    _fields_ = [
        ("packed", c_uint64), ("blocks", c_uint64), ("verbatim", c_uint64), ("planes", c_uint),
        ("coded", c_uint), ("layout", c_char_p)
    ]


class sam_weight(Structure):
    _fields_ = [
        ("name", c_char_p), ("type", c_int), ("rank", c_size_t), ("shape", c_uint64 * 16),
        ("offset", c_uint64), ("size", c_uint64)
    ]


class sam_weights(Structure):
    _fields_ = [
        ("kind", c_int), ("file_size", c_uint64), ("header_size", c_uint64),
        ("tensors", POINTER(sam_weight)), ("count", c_size_t), ("names", c_char_p),
        ("out_of_order", c_bool)
    ]


class sam_shape(Structure):
    _fields_ = [
        ("rank", c_uint), ("dim", c_uint64 * 8)
    ]


class sam_plan_figures(Structure):
    _fields_ = [
        ("regions", c_uint64), ("blocks", c_uint64), ("loads", c_uint64), ("stores", c_uint64),
        ("concats", c_uint64), ("xposes", c_uint64), ("addis", c_uint64),
        ("bytes_loaded", c_uint64), ("bytes_stored", c_uint64), ("bound_loaded", c_uint64),
        ("bound_stored", c_uint64)
    ]


class sam_im2col(Structure):
    _fields_ = [
        ("kernel", c_uint64 * 2), ("stride", c_uint64 * 2), ("dilation", c_uint64 * 2),
        ("pad", c_uint64 * 4), ("nchw", c_bool)
    ]


class sam_plan_options(Structure):
    _fields_ = [
        ("size", c_size_t), ("stop", POINTER(c_int)), ("engines", POINTER(sam_engines_config)),
        ("report", POINTER(sam_engines_report)), ("energy", c_void_p)
    ]


class sam_session_break(Structure):
    _fields_ = [
        ("pc", c_uint64), ("has_workgroup", c_bool), ("has_warp", c_bool), ("workgroup", c_uint32),
        ("warp", c_uint32), ("lanes", c_uint32),
        ("when", CFUNCTYPE(c_bool, c_void_p, c_void_p, c_uint32, c_uint32)), ("context", c_void_p)
    ]


class sam_session_stop(Structure):
    _fields_ = [
        ("reason", c_int), ("workgroup", c_uint32), ("warp", c_uint32), ("pc", c_uint64),
        ("instructions", c_uint64), ("id", c_uint), ("access_pc", c_uint64), ("address", c_uint64),
        ("size", c_uint32), ("store", c_bool), ("before", c_uint64), ("after", c_uint64),
        ("trap", sam_trap), ("exit_code", c_uint64)
    ]


class sam_session_watch(Structure):
    _fields_ = [
        ("address", c_uint64), ("size", c_uint64), ("loads", c_bool), ("stores", c_bool),
        ("has_workgroup", c_bool), ("has_warp", c_bool), ("workgroup", c_uint32),
        ("warp", c_uint32),
        ("when", CFUNCTYPE(c_bool, c_void_p, c_void_p, POINTER(sam_session_stop))),
        ("context", c_void_p)
    ]


class sam_step_csr(Structure):
    _fields_ = [
        ("address", c_uint), ("value", c_uint64)
    ]


class sam_stack_entry(Structure):
    _fields_ = [
        ("rpc", c_uint32), ("pc", c_uint32), ("mask", c_uint32)
    ]


class sam_step_access(Structure):
    _fields_ = [
        ("address", c_uint64), ("value", c_uint64), ("size", c_uint32), ("lane", c_uint32),
        ("load", c_bool), ("store", c_bool)
    ]


class sam_step(Structure):
    _fields_ = [
        ("kind", c_int), ("workgroup", c_uint32), ("warp", c_uint32), ("time", c_uint64),
        ("pc", c_uint64), ("next_pc", c_uint64), ("word", c_uint32), ("prefix", c_uint32),
        ("x", c_uint), ("x_count", c_uint), ("x_value", c_uint64 * 2), ("vector", c_bool),
        ("lanes", c_uint32 * 2), ("v", c_uint), ("v_count", c_uint), ("v_value", c_uint32 * 32 * 2),
        ("tl_count", c_uint), ("tl", c_uint * 2), ("m", c_uint), ("m_count", c_uint),
        ("csr_count", c_uint), ("csr", sam_step_csr * 4), ("fflags", c_uint),
        ("mask_before", c_uint32), ("mask_after", c_uint32), ("depth_before", c_uint32),
        ("depth_after", c_uint32), ("popped", sam_stack_entry), ("pushed", sam_stack_entry * 2),
        ("access_count", c_uint), ("access", sam_step_access * 128), ("trap", sam_trap),
        ("cause", c_uint), ("tval", c_uint64), ("exit_code", c_uint64)
    ]


class sam_session_run(Structure):
    _fields_ = [
        ("size", c_size_t), ("scope", c_int), ("workgroup", c_uint32), ("warp", c_uint32),
        ("instructions", c_uint64), ("to_release", c_bool), ("ignore_stops", c_bool),
        ("each", CFUNCTYPE(c_bool, c_void_p, c_void_p, POINTER(sam_step))), ("context", c_void_p)
    ]


class sam_session_shape(Structure):
    _fields_ = [
        ("isa", sam_isa), ("workgroups", c_uint64), ("warps", c_uint32), ("lanes", c_uint32),
        ("x_count", c_uint), ("v_count", c_uint), ("image", POINTER(sam_image))
    ]


class sam_session_warp(Structure):
    _fields_ = [
        ("state", c_int), ("pc", c_uint64), ("prefix", c_uint32), ("mask", c_uint32),
        ("depth", c_uint32), ("instructions", c_uint64)
    ]


class sam_system_roofline(Structure):
    _fields_ = [
        ("peak", c_double), ("slope", c_double), ("intensity", c_double), ("done", c_double),
        ("bound", c_double), ("memory_bound", c_bool)
    ]


class sam_energy(Structure):
    _fields_ = [
        ("config", sam_energy_config), ("count", c_uint64 * 18)
    ]


class sam_system_figures(Structure):
    _fields_ = [
        ("cycles", c_uint64), ("instructions", c_uint64), ("rows", c_void_p),
        ("row_count", c_size_t), ("bytes", c_void_p), ("byte_count", c_size_t),
        ("levels", c_void_p), ("level_count", c_size_t), ("launches", c_void_p),
        ("launch_count", c_size_t), ("records", c_uint64), ("packed", c_uint64), ("raw", c_uint64),
        ("macs", c_uint64), ("roofline", sam_system_roofline), ("busiest", c_char_p),
        ("busiest_cycles", c_uint64), ("energy", sam_energy), ("pipes", c_void_p),
        ("pipe_count", c_size_t), ("operations", c_void_p), ("operation_count", c_size_t)
    ]


class sam_system_launch(Structure):
    _fields_ = [
        ("number", c_uint64), ("record", c_uint32), ("launch", POINTER(sam_launch)),
        ("kernel", c_char_p), ("result", POINTER(sam_gpu_result))
    ]


class sam_system_timing(Structure):
    _fields_ = [
        ("size", c_size_t), ("config", c_void_p), ("raw_weights", c_bool), ("running", c_bool),
        ("wave", sam_sink)
    ]


class sam_system_options(Structure):
    _fields_ = [
        ("size", c_size_t), ("hart", POINTER(sam_hart_options)), ("gpu", POINTER(sam_gpu_options)),
        ("l1m_size", c_uint64), ("l0m_size", c_uint64), ("heap_size", c_uint64), ("sms", c_uint),
        ("gpu_traps", c_int), ("launched", CFUNCTYPE(None, c_void_p, POINTER(sam_system_launch))),
        ("launched_context", c_void_p), ("weight_ended", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("weight_ended_context", c_void_p), ("check_races", c_bool),
        ("timing", POINTER(sam_system_timing))
    ]


class sam_system_result(Structure):
    _fields_ = [
        ("end", c_int), ("hart", sam_hart_result), ("trap", sam_trap), ("trapped_launch", c_uint64)
    ]


class sam_system_stats(Structure):
    _fields_ = [
        ("launches", c_uint64), ("failed_launches", c_uint64), ("weight_records", c_uint64),
        ("failed_records", c_uint64), ("register_loads", c_uint64), ("register_stores", c_uint64),
        ("console_bytes", c_uint64)
    ]


class sam_tile_op_text(Structure):
    _fields_ = [
        ("name", c_char_p), ("sources", c_char_p), ("dtypes", c_char_p), ("meaning", c_char_p)
    ]


class sam_tile_argument(Structure):
    _fields_ = [
        ("array", POINTER(sam_array)), ("is_scalar", c_bool), ("dtype", c_int), ("bits", c_uint64),
        ("name", c_char_p), ("output", c_bool), ("inout", c_bool), ("packed", c_char_p),
        ("address", c_uint64)
    ]


class sam_tile_options(Structure):
    _fields_ = [
        ("size", c_size_t), ("profile", c_int), ("nan", c_int), ("outside", c_int),
        ("max_ops", c_uint64), ("plain", c_bool), ("stop", POINTER(c_int)), ("trace", c_void_p),
        ("sum_order", c_int), ("dialect", c_int)
    ]


class sam_tile_count(Structure):
    _fields_ = [
        ("ops", c_uint64), ("elements", c_uint64)
    ]


class sam_tile_stats(Structure):
    _fields_ = [
        ("ops", c_uint64), ("tile_ops", c_uint64), ("elements", c_uint64), ("loaded", c_uint64),
        ("stored", c_uint64), ("highest", c_uint64 * 5), ("by_op", sam_tile_count * 112),
        ("by_pipe", sam_tile_count * 4)
    ]


# name: (result, arguments)
FUNCTIONS = {
    "sam_array_free": (None, (POINTER(sam_array),)),
    "sam_assemble": (c_int, (POINTER(sam_asm_options), c_char_p, c_char_p, c_size_t,
        POINTER(POINTER(sam_image)), POINTER(c_void_p), POINTER(sam_error))),
    "sam_cc_compile": (c_int, (POINTER(sam_cc_options), c_char_p, POINTER(c_void_p),
        POINTER(c_size_t), POINTER(c_void_p), POINTER(sam_error))),
    "sam_cc_is_source": (c_bool, (c_char_p,)),
    "sam_cc_kernel_argument": (c_bool, (POINTER(sam_image), c_char_p, c_size_t,
        POINTER(sam_cc_argument))),
    "sam_cc_kernel_described": (c_bool, (POINTER(sam_image), c_char_p, POINTER(c_uint32))),
    "sam_csr_entry_find": (c_bool, (POINTER(sam_isa), c_char_p, POINTER(sam_csr_entry))),
    "sam_disassemble": (c_bool, (POINTER(sam_isa), c_uint32, c_uint64, c_uint32, POINTER(sam_image),
        c_char_p, c_size_t)),
    "sam_disassemble_image": (c_int, (POINTER(sam_isa), POINTER(sam_image), POINTER(c_void_p),
        POINTER(sam_error))),
    "sam_dtype_bits": (c_size_t, (c_int,)),
    "sam_dtype_name": (c_char_p, (c_int,)),
    "sam_dtype_parse": (c_bool, (c_char_p, POINTER(c_int))),
    "sam_dtype_parse_value": (c_bool, (c_int, c_char_p, c_void_p)),
    "sam_dtype_safetensors": (c_char_p, (c_int,)),
    "sam_elf_parse": (c_int, (c_void_p, c_size_t, c_char_p, POINTER(POINTER(sam_image)),
        POINTER(sam_error))),
    "sam_engine_cycle_name": (c_char_p, (c_uint,)),
    "sam_engine_name": (c_char_p, (c_uint,)),
    "sam_engines_defaults": (None, (POINTER(sam_engines_config),)),
    "sam_engines_parse": (c_int, (c_char_p, POINTER(sam_engines_config), POINTER(sam_error))),
    "sam_gpu_alloc": (c_int, (c_void_p, c_uint32, POINTER(c_uint32), POINTER(sam_error))),
    "sam_gpu_free": (None, (c_void_p,)),
    "sam_gpu_launch": (c_int, (c_void_p, POINTER(sam_launch), POINTER(sam_gpu_result),
        POINTER(sam_error))),
    "sam_gpu_load": (c_int, (c_void_p, POINTER(sam_image), POINTER(sam_error))),
    "sam_gpu_new": (c_int, (POINTER(sam_gpu_options), POINTER(c_void_p), POINTER(sam_error))),
    "sam_gpu_prepare_with": (c_int, (c_void_p, POINTER(sam_image), POINTER(sam_kernel),
        POINTER(sam_prepare_options), POINTER(sam_launch), POINTER(sam_error))),
    "sam_gpu_read": (c_int, (c_void_p, c_uint32, c_void_p, c_size_t, POINTER(sam_error))),
    "sam_gpu_result_free": (None, (POINTER(sam_gpu_result),)),
    "sam_gpu_set_options": (c_int, (c_void_p, POINTER(sam_gpu_options), POINTER(sam_error))),
    "sam_gpu_start_code": (c_char_p, ()),
    "sam_gpu_unmap": (c_int, (c_void_p, c_uint32, POINTER(sam_error))),
    "sam_gpu_write": (c_int, (c_void_p, c_uint32, c_void_p, c_size_t, POINTER(sam_error))),
    "sam_gputime_config_check": (c_int, (POINTER(sam_gputime_config), POINTER(sam_error))),
    "sam_gputime_config_init": (None, (POINTER(sam_gputime_config),)),
    "sam_gputime_config_set": (c_int, (POINTER(sam_gputime_config), c_char_p, POINTER(sam_error))),
    "sam_gputime_report": (c_int, (POINTER(sam_gputime_result), c_int,
        POINTER(sam_gputime_report_options), POINTER(c_void_p), POINTER(sam_error))),
    "sam_gputime_result_free": (None, (POINTER(sam_gputime_result),)),
    "sam_hart_alloc": (c_int, (c_void_p, c_uint64, POINTER(c_uint64), POINTER(sam_error))),
    "sam_hart_class_name": (c_char_p, (c_int,)),
    "sam_hart_configure": (c_int, (c_char_p, POINTER(sam_engines_config), POINTER(sam_mxu_config),
        POINTER(sam_error))),
    "sam_hart_cycles": (POINTER(sam_mxu_stats), (c_void_p,)),
    "sam_hart_engines": (c_bool, (c_void_p, POINTER(sam_engines_report))),
    "sam_hart_free": (None, (c_void_p,)),
    "sam_hart_load": (c_int, (c_void_p, POINTER(sam_image), POINTER(sam_error))),
    "sam_hart_map": (c_int, (c_void_p, c_uint64, c_uint64, POINTER(sam_error))),
    "sam_hart_new": (c_int, (POINTER(sam_hart_options), POINTER(c_void_p), POINTER(sam_error))),
    "sam_hart_parse_acc_regs": (c_int, (c_char_p, POINTER(c_uint32), POINTER(sam_error))),
    "sam_hart_pc": (c_uint64, (c_void_p,)),
    "sam_hart_read": (c_int, (c_void_p, c_uint64, c_void_p, c_size_t, POINTER(sam_error))),
    "sam_hart_register": (c_int, (c_char_p,)),
    "sam_hart_run": (c_int, (c_void_p, POINTER(sam_hart_result), POINTER(sam_error))),
    "sam_hart_set_pc": (None, (c_void_p, c_uint64)),
    "sam_hart_set_x": (None, (c_void_p, c_uint, c_uint64)),
    "sam_hart_stats": (POINTER(sam_hart_stats), (c_void_p,)),
    "sam_hart_write": (c_int, (c_void_p, c_uint64, c_void_p, c_size_t, POINTER(sam_error))),
    "sam_hart_x": (c_uint64, (c_void_p, c_uint)),
    "sam_hostio_free": (None, (c_void_p,)),
    "sam_hostio_new": (c_int, (POINTER(sam_hostio_options), POINTER(c_void_p), POINTER(sam_error))),
    "sam_image_describe": (None, (POINTER(sam_image), c_uint64, c_char_p, c_size_t)),
    "sam_image_find": (POINTER(sam_symbol), (POINTER(sam_image), c_char_p)),
    "sam_image_free": (None, (POINTER(sam_image),)),
    "sam_isa_parse": (c_int, (c_char_p, POINTER(sam_isa), POINTER(sam_error))),
    "sam_issue_cycle_name": (c_char_p, (c_uint,)),
    "sam_mxu_config_check": (c_int, (POINTER(sam_mxu_config), POINTER(sam_error))),
    "sam_mxu_config_init": (None, (POINTER(sam_mxu_config), c_uint)),
    "sam_mxu_state_name": (c_char_p, (c_int,)),
    "sam_mxu_unit_name": (c_char_p, (c_int,)),
    "sam_network_close": (None, (c_void_p,)),
    "sam_network_figures_free": (None, (POINTER(sam_network_figures),)),
    "sam_network_input": (c_bool, (c_void_p, c_size_t, POINTER(sam_network_tensor))),
    "sam_network_keep_state": (c_int, (c_void_p, c_char_p, c_char_p, POINTER(sam_error))),
    "sam_network_list": (c_int, (c_void_p, POINTER(c_void_p), POINTER(sam_error))),
    "sam_network_open": (c_int, (c_char_p, POINTER(sam_network_options), POINTER(c_void_p),
        POINTER(sam_error))),
    "sam_network_output": (c_bool, (c_void_p, c_size_t, POINTER(sam_network_tensor))),
    "sam_network_report": (c_int, (POINTER(sam_network_figures), c_char_p, c_int, POINTER(c_void_p),
        POINTER(sam_error))),
    "sam_network_run": (c_int, (c_void_p, POINTER(sam_network_array), c_size_t,
        POINTER(sam_network_run_options), POINTER(POINTER(sam_network_figures)),
        POINTER(sam_error))),
    "sam_network_value": (c_bool, (c_void_p, c_size_t, POINTER(sam_network_tensor))),
    "sam_output_abort": (None, (c_void_p,)),
    "sam_output_commit": (c_int, (c_void_p, POINTER(sam_error))),
    "sam_output_failed": (c_bool, (c_void_p,)),
    "sam_output_open": (c_int, (c_char_p, POINTER(c_void_p), POINTER(sam_error))),
    "sam_output_open_like": (c_int, (c_char_p, c_char_p, POINTER(c_void_p), POINTER(sam_error))),
    "sam_output_write": (c_bool, (c_void_p, c_void_p, c_size_t)),
    "sam_packed_close": (None, (c_void_p,)),
    "sam_packed_header": (c_void_p, (c_void_p,)),
    "sam_packed_open": (c_int, (c_void_p, c_size_t, POINTER(sam_codec_options), POINTER(c_void_p),
        POINTER(sam_error))),
    "sam_packed_read": (c_int, (c_void_p, c_size_t, c_uint64, c_uint64, c_void_p,
        POINTER(sam_error))),
    "sam_packed_stat": (c_int, (c_void_p, c_size_t, POINTER(sam_packed_stat), POINTER(sam_error))),
    "sam_packed_weights": (POINTER(sam_weights), (c_void_p,)),
    "sam_packer_close": (None, (c_void_p,)),
    "sam_packer_finish": (c_int, (c_void_p, POINTER(sam_error))),
    "sam_packer_open": (c_int, (POINTER(sam_weights), POINTER(sam_codec_options), sam_sink,
        POINTER(c_void_p), POINTER(sam_error))),
    "sam_packer_stat": (c_int, (c_void_p, c_size_t, POINTER(sam_packed_stat), POINTER(sam_error))),
    "sam_packer_weights": (POINTER(sam_weights), (c_void_p,)),
    "sam_packer_write": (c_int, (c_void_p, c_void_p, c_size_t, POINTER(sam_error))),
    "sam_plan_addresses": (None, (c_void_p, POINTER(c_uint64), POINTER(c_uint64))),
    "sam_plan_compress": (c_int, (POINTER(sam_shape), c_uint, c_uint, POINTER(c_uint8),
        POINTER(c_void_p), POINTER(sam_error))),
    "sam_plan_concat": (c_int, (POINTER(sam_shape), c_size_t, c_uint, c_uint, POINTER(c_void_p),
        POINTER(sam_error))),
    "sam_plan_count": (None, (c_void_p, POINTER(sam_plan_figures))),
    "sam_plan_describe": (c_int, (c_void_p, POINTER(c_void_p), POINTER(sam_error))),
    "sam_plan_free": (None, (c_void_p,)),
    "sam_plan_im2col": (c_int, (POINTER(sam_shape), c_uint, POINTER(sam_im2col), POINTER(c_void_p),
        POINTER(sam_error))),
    "sam_plan_pad": (c_int, (POINTER(sam_shape), c_uint, POINTER(c_uint64), POINTER(c_uint64),
        c_void_p, POINTER(c_void_p), POINTER(sam_error))),
    "sam_plan_program": (c_int, (c_void_p, POINTER(c_uint64), c_uint64, POINTER(c_void_p),
        POINTER(sam_error))),
    "sam_plan_reshape": (c_int, (POINTER(sam_shape), c_uint, POINTER(sam_shape), POINTER(c_void_p),
        POINTER(sam_error))),
    "sam_plan_run": (c_int, (c_void_p, POINTER(c_void_p), c_void_p, POINTER(sam_plan_options),
        POINTER(sam_error))),
    "sam_plan_shape": (POINTER(sam_shape), (c_void_p,)),
    "sam_plan_transpose": (c_int, (POINTER(sam_shape), c_uint, POINTER(c_uint), POINTER(c_void_p),
        POINTER(sam_error))),
    "sam_session_add_break": (c_int, (c_void_p, POINTER(sam_session_break), POINTER(c_uint),
        POINTER(sam_error))),
    "sam_session_add_watch": (c_int, (c_void_p, POINTER(sam_session_watch), POINTER(c_uint),
        POINTER(sam_error))),
    "sam_session_back": (c_int, (c_void_p, POINTER(sam_session_stop), POINTER(sam_error))),
    "sam_session_close": (None, (c_void_p,)),
    "sam_session_csr": (c_int, (c_void_p, c_uint32, c_uint32, c_uint, POINTER(c_uint64),
        POINTER(sam_error))),
    "sam_session_finish": (c_int, (c_void_p, POINTER(sam_gpu_result), POINTER(sam_error))),
    "sam_session_goto": (c_int, (c_void_p, c_uint64, POINTER(sam_error))),
    "sam_session_open": (c_int, (c_void_p, POINTER(sam_launch), c_void_p, POINTER(c_void_p),
        POINTER(sam_error))),
    "sam_session_read": (c_int, (c_void_p, c_uint32, c_uint64, c_void_p, c_size_t,
        POINTER(sam_error))),
    "sam_session_record": (c_int, (c_void_p, c_uint64, POINTER(sam_error))),
    "sam_session_remove": (c_int, (c_void_p, c_uint, POINTER(sam_error))),
    "sam_session_restore": (c_int, (c_void_p, c_uint, POINTER(sam_error))),
    "sam_session_run": (c_int, (c_void_p, POINTER(sam_session_run), POINTER(sam_session_stop),
        POINTER(sam_error))),
    "sam_session_set_pc": (c_int, (c_void_p, c_uint32, c_uint32, c_uint64, POINTER(sam_error))),
    "sam_session_set_v": (c_int, (c_void_p, c_uint32, c_uint32, c_uint, c_uint32, POINTER(c_uint32),
        POINTER(sam_error))),
    "sam_session_set_x": (c_int, (c_void_p, c_uint32, c_uint32, c_uint, c_uint64,
        POINTER(sam_error))),
    "sam_session_shape": (c_int, (c_void_p, POINTER(sam_session_shape), POINTER(sam_error))),
    "sam_session_snapshot": (c_int, (c_void_p, POINTER(c_uint), POINTER(sam_error))),
    "sam_session_stack": (c_int, (c_void_p, c_uint32, c_uint32, POINTER(sam_stack_entry), c_size_t,
        POINTER(c_size_t), POINTER(sam_error))),
    "sam_session_step": (c_int, (c_void_p, c_uint32, c_uint32, POINTER(sam_step),
        POINTER(sam_error))),
    "sam_session_time": (c_uint64, (c_void_p,)),
    "sam_session_v": (c_int, (c_void_p, c_uint32, c_uint32, c_uint, POINTER(c_uint32),
        POINTER(sam_error))),
    "sam_session_warp": (c_int, (c_void_p, c_uint32, c_uint32, POINTER(sam_session_warp),
        POINTER(sam_error))),
    "sam_session_write": (c_int, (c_void_p, c_uint32, c_uint64, c_void_p, c_size_t,
        POINTER(sam_error))),
    "sam_session_x": (c_int, (c_void_p, c_uint32, c_uint32, c_uint, POINTER(c_uint64),
        POINTER(sam_error))),
    "sam_system_alloc": (c_int, (c_void_p, c_uint64, POINTER(c_uint64), POINTER(sam_error))),
    "sam_system_config_free": (None, (c_void_p,)),
    "sam_system_config_new": (c_int, (POINTER(c_void_p), POINTER(sam_error))),
    "sam_system_config_set": (c_int, (c_void_p, c_char_p, POINTER(sam_error))),
    "sam_system_figures_free": (None, (POINTER(sam_system_figures),)),
    "sam_system_free": (None, (c_void_p,)),
    "sam_system_gpu_stats": (POINTER(sam_gpu_stats), (c_void_p,)),
    "sam_system_hart": (c_void_p, (c_void_p,)),
    "sam_system_load": (c_int, (c_void_p, POINTER(sam_image), POINTER(sam_error))),
    "sam_system_load_gpu": (c_int, (c_void_p, POINTER(sam_image), POINTER(sam_error))),
    "sam_system_load_weights": (c_int, (c_void_p, c_void_p, c_size_t, c_uint64,
        POINTER(sam_error))),
    "sam_system_map": (c_int, (c_void_p, c_uint64, c_uint64, POINTER(sam_error))),
    "sam_system_measure": (c_int, (c_void_p, POINTER(POINTER(sam_system_figures)),
        POINTER(sam_error))),
    "sam_system_new": (c_int, (POINTER(sam_system_options), POINTER(c_void_p), POINTER(sam_error))),
    "sam_system_print_races": (c_int, (c_void_p, c_uint, POINTER(c_void_p), POINTER(sam_error))),
    "sam_system_read": (c_int, (c_void_p, c_uint64, c_void_p, c_size_t, POINTER(sam_error))),
    "sam_system_report": (c_int, (POINTER(sam_system_figures), POINTER(sam_system_figures), c_int,
        POINTER(c_void_p), POINTER(sam_error))),
    "sam_system_run": (c_int, (c_void_p, POINTER(sam_system_result), POINTER(sam_error))),
    "sam_system_stats": (POINTER(sam_system_stats), (c_void_p,)),
    "sam_system_write": (c_int, (c_void_p, c_uint64, c_void_p, c_size_t, POINTER(sam_error))),
    "sam_text_free": (None, (c_char_p,)),
    "sam_tile_argument_count": (c_size_t, (c_void_p, c_size_t)),
    "sam_tile_argument_name": (c_char_p, (c_void_p, c_size_t, c_size_t)),
    "sam_tile_check": (c_int, (c_void_p, c_int, POINTER(c_void_p), POINTER(sam_error))),
    "sam_tile_function_count": (c_size_t, (c_void_p,)),
    "sam_tile_function_name": (c_char_p, (c_void_p, c_size_t)),
    "sam_tile_loc_name": (c_char_p, (c_int,)),
    "sam_tile_op_describe": (c_bool, (c_size_t, POINTER(sam_tile_op_text))),
    "sam_tile_parse": (c_int, (c_char_p, c_char_p, c_size_t, POINTER(c_void_p), POINTER(c_void_p),
        POINTER(sam_error))),
    "sam_tile_pipe_name": (c_char_p, (c_int,)),
    "sam_tile_profile_parse": (c_bool, (c_char_p, POINTER(c_int))),
    "sam_tile_program_free": (None, (c_void_p,)),
    "sam_tile_run": (c_int, (c_void_p, c_size_t, POINTER(sam_tile_argument), c_size_t,
        POINTER(sam_tile_options), POINTER(sam_tile_stats), POINTER(sam_error))),
    "sam_unpacker_close": (None, (c_void_p,)),
    "sam_unpacker_finish": (c_int, (c_void_p, POINTER(sam_error))),
    "sam_unpacker_open": (c_int, (POINTER(sam_codec_options), sam_sink, POINTER(c_void_p),
        POINTER(sam_error))),
    "sam_unpacker_write": (c_int, (c_void_p, c_void_p, c_size_t, POINTER(sam_error))),
    "sam_version": (c_char_p, ()),
    "sam_weights_free": (None, (POINTER(sam_weights),)),
    "sam_weights_kind_of": (c_int, (c_void_p, c_size_t, c_char_p)),
    "sam_weights_parse": (c_int, (c_int, c_void_p, c_size_t, c_uint64, c_char_p,
        POINTER(sam_weights), POINTER(c_size_t), POINTER(sam_error))),
}
