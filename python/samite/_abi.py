# SPDX-License-Identifier: Apache-2.0
"""Structs, constants and functions of libsamite, as far as the package uses them.

Made from include/samite/*.h by tools/python-abi.py: do not edit.
"""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_int, c_size_t,
                    c_uint, c_uint32, c_uint64, c_void_p)
from enum import IntEnum

SAM_ERR_INPUT = 4
SAM_ERR_IO = 2
SAM_ERR_MEMORY = 1
SAM_ERR_STOPPED = 6
SAM_ERR_TRAP = 5
SAM_ERR_USAGE = 3
SAM_OK = 0
SAM_TRAP_STORE_FAULT = 7
SAM_WEIGHTS_NPY = 1
SAM_WEIGHTS_RAW = 0
SAM_WEIGHTS_SAFETENSORS = 2
SAM_WEIGHT_RANK = 16


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
    SAM_DTYPES = 23


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


class sam_error(Structure):
    _fields_ = [
        ("status", c_int), ("text", c_char * 1024)
    ]


class sam_codec_options(Structure):
    _fields_ = [
        ("size", c_size_t), ("dense", c_bool), ("bit_planes", c_bool), ("threads", c_uint),
        ("level", c_int), ("allocator", c_void_p)
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


class sam_sink(Structure):
    _fields_ = [
        ("write", CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t)), ("context", c_void_p)
    ]


class sam_trap(Structure):
    _fields_ = [
        ("kind", c_int), ("workgroup", c_uint32), ("group", c_uint32 * 3), ("warp", c_uint32),
        ("lane", c_uint32), ("lanes", c_uint32), ("pc", c_uint32), ("word", c_uint32),
        ("tval", c_uint64)
    ]


# name: (result, arguments)
FUNCTIONS = {
    "sam_dtype_bits": (c_size_t, (c_int,)),
    "sam_dtype_name": (c_char_p, (c_int,)),
    "sam_dtype_parse": (c_bool, (c_char_p, POINTER(c_int))),
    "sam_dtype_safetensors": (c_char_p, (c_int,)),
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
    "sam_text_free": (None, (c_char_p,)),
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
