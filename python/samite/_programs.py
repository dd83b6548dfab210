# SPDX-License-Identifier: Apache-2.0
"""Programs: assembly text and ELF files as images that a machine loads."""
from __future__ import annotations

import os
import tempfile
from ctypes import POINTER, byref, c_char_p, c_size_t, c_uint32, c_void_p, cast, create_string_buffer
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Union

from . import _abi as abi
from ._library import Owner, SourceError, check, lib, name_bytes, options, take_messages, take_text

MOST = 256 << 20  # bytes of a program


@dataclass(frozen=True)
class KernelArgument:
    """An argument of a kernel in OpenCL C."""

    name: str
    type: str  # as in the source
    space: str  # "value", or what it points to: "global", "constant", "local"
    size: int  # bytes of the argument buffer
    offset: int = 0  # where they are in it


class Program(Owner):
    """A program in memory: what the assembler made, or an ELF file holds. Machines keep theirs alive."""

    def __init__(self, image: Any, name: str) -> None:
        self._image = image
        self.name = name

    def __del__(self) -> None:
        image, self._image = getattr(self, "_image", None), None
        if image:
            lib.sam_image_free(image)

    def __repr__(self) -> str:
        return f"<samite.Program {self.name}: RV{self.xlen}, entry {self.entry:#x}>"

    @property
    def image(self) -> Any:
        return self._image

    @property
    def xlen(self) -> int:
        """32 or 64."""
        return self._struct().xlen

    @property
    def entry(self) -> int:
        """Address of the first instruction."""
        return self._struct().entry

    @property
    def symbols(self) -> dict[str, int]:
        """Addresses by name; of several with one name, the first."""
        image = self._struct()
        found: dict[str, int] = {}
        for i in range(image.symbol_count):
            symbol: abi.sam_symbol = image.symbols[i]
            found.setdefault(symbol.name.decode("utf-8", "replace"), symbol.value)
        return found

    @property
    def kernels(self) -> dict[str, tuple[KernelArgument, ...]]:
        """Kernels of a program in OpenCL C, by name, with their arguments; of others, none."""
        found = ((name, self._takes(name)) for name in self.symbols)
        return {name: takes for name, takes in found if takes is not None}

    def _takes(self, kernel: str) -> Optional[tuple[KernelArgument, ...]]:
        """The arguments of a kernel; None where the program does not say."""
        rows: list[KernelArgument] = []
        row, name = abi.sam_cc_argument(), kernel.encode()
        while lib.sam_cc_kernel_argument(self._image, name, len(rows), byref(row)):
            space = abi.sam_cc_space(row.space).name[len("SAM_CC_"):].lower()
            rows.append(KernelArgument(row.name.decode(), row.type.decode(), space, row.size, row.offset))
        return tuple(rows) if rows or lib.sam_cc_kernel_described(self._image, name, None) else None

    @property
    def end(self) -> int:
        """The first address after the program's sections."""
        image = self._struct()
        ends = [0]
        for i in range(image.section_count):
            section: abi.sam_section = image.sections[i]
            ends.append(section.address + section.size)
        return max(ends)

    def describe(self, address: int) -> str:
        """An address as people read it: "vecadd+0x1c"."""
        text = create_string_buffer(256)
        lib.sam_image_describe(self._image, address, text, len(text))
        return text.value.decode("utf-8", "replace")

    def disassemble(self, isa: str = "ventus") -> str:
        """The program as assembly text."""
        text = c_void_p()
        check(lib.sam_disassemble_image, byref(parse_isa(isa)), self._image, byref(text))
        return take_text(text)

    def _struct(self) -> abi.sam_image:
        return cast(self._image, POINTER(abi.sam_image)).contents


def parse_isa(text: str) -> abi.sam_isa:
    isa = abi.sam_isa()
    check(lib.sam_isa_parse, name_bytes(text, "isa"), byref(isa))
    return isa


def acc_regs_of(text: str) -> int:
    found = c_uint32()
    check(lib.sam_hart_parse_acc_regs, name_bytes(text, "acc_regs"), byref(found))
    return found.value


def _texts(values: Sequence[bytes]) -> Any:
    return (c_char_p * len(values))(*values) if values else None


def assemble(text: Union[str, bytes], *, isa: str = "ventus", base: int = abi.SAM_CODE_BASE, name: str = "<text>",
             defines: Optional[Mapping[str, Any]] = None, include_paths: Sequence[Any] = (),
             prologue: Optional[str] = None) -> Program:
    """Assemble a text.

    isa            "ventus", "tensor" or a RISC-V ISA string
    base           address of .text
    name           in messages
    defines        symbols by name, as .equ before line 1
    include_paths  folders that .include searches
    prologue       text that is assembled before it

    SourceError: the text has errors; all of them are in its `messages`.
    """
    source = text.encode() if isinstance(text, str) else bytes(text)
    words = [name_bytes(f"{key}={value}", "a define") for key, value in (defines or {}).items()]
    paths = [os.fsencode(path) for path in include_paths]
    settings = options(abi.sam_asm_options, isa=parse_isa(isa), base=base, define_count=len(words),
                       include_count=len(paths), lines=True)
    lists = [_texts(words), _texts(paths)]
    settings.defines, settings.include_paths = (cast(rows, POINTER(c_char_p)) for rows in lists)
    if prologue is not None:
        settings.prologue, settings.prologue_name = prologue.encode(), b"<start code>"
    image, messages, error = POINTER(abi.sam_image)(), c_void_p(), abi.sam_error()
    status = lib.sam_assemble(byref(settings), name_bytes(name, "name"), source, len(source), byref(image),
                              byref(messages), byref(error))
    take_messages(status, messages, error)
    return Program(image, name)


def parse_elf(data: bytes, name: str) -> Program:
    image = POINTER(abi.sam_image)()
    check(lib.sam_elf_parse, data, len(data), name_bytes(name, "name"), byref(image))
    return Program(image, name)


def compile_kernels(path: Path, defines: Optional[Mapping[str, Any]], include_paths: Sequence[Any],
                    flags: Sequence[bytes] = (), **more: Any) -> bytes:
    """OpenCL C to assembly, by clang; SourceError has clang's messages."""
    words = [name_bytes(f"{key}={value}", "a define") for key, value in (defines or {}).items()]
    paths = [os.fsencode(path) for path in include_paths]
    settings = options(abi.sam_cc_options, define_count=len(words), include_count=len(paths), flag_count=len(flags),
                       **more)
    lists = [_texts(words), _texts(paths), _texts(list(flags))]
    settings.defines, settings.include_paths, settings.flags = (cast(rows, POINTER(c_char_p)) for rows in lists)
    text, size, messages, error = c_void_p(), c_size_t(), c_void_p(), abi.sam_error()
    status = lib.sam_cc_compile(byref(settings), os.fsencode(path), byref(text), byref(size), byref(messages),
                                byref(error))
    take_messages(status, messages, error)
    return take_text(text).encode()


def cc(source: Union[str, "os.PathLike[str]"], *, text: bool = False, defines: Optional[Mapping[str, Any]] = None,
       include_paths: Sequence[Any] = (), standard: str = "CL1.2", optimize: int = 2, variables: bool = False,
       flags: Sequence[str] = (), base: int = abi.SAM_CODE_BASE) -> Program:
    """Compile kernels in OpenCL C to a Program that Gpu.load takes; its `kernels` are their arguments.

    source         path of a file, or with `text` the text itself
    defines        macros by name
    include_paths  folders that #include searches
    standard       "CL1.1", "CL1.2", "CL2.0" or "CL3.0"
    optimize       1 to 3, as -O of clang
    variables      describe variables, for debuggers
    flags          build options of OpenCL, such as "-cl-fast-relaxed-math"

    It needs clang. SourceError: the text has errors, or something that the compiler rejects; ValueError: an option
    that cannot be.
    """
    if optimize not in (1, 2, 3):
        raise ValueError(f"optimize={optimize!r}: expected 1 to 3")
    words: dict[str, Any] = dict(standard=name_bytes(standard, "standard"), optimize=optimize, variables=variables,
                                 flags=[name_bytes(flag, "a flag") for flag in flags])
    if text:
        if not isinstance(source, str):
            raise TypeError(f"a text must be a str, not {type(source).__name__}")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "text.cl"
            path.write_text(source, encoding="utf-8")
            try:
                assembly = compile_kernels(path, defines, include_paths, **words)
            except SourceError as error:
                # Of a working folder above the file clang names only the rest of the path.
                short = f"{path.parent.name}/{path.name}"
                raise SourceError(*(words.replace(str(path), "<text>").replace(short, "<text>")
                                    for words in (str(error), error.messages))) from None
        name = "<text>"
    else:
        path = Path(os.fspath(source))
        with open(path, "rb"):  # OSError
            pass
        assembly, name = compile_kernels(path, defines, include_paths, **words), str(path)
    return assemble(assembly, base=base, name=name, prologue=lib.sam_gpu_start_code().decode())


Source = Union[str, "os.PathLike[str]", Program]


def read_program(source: Source, *, isa: str, base: int, defines: Optional[Mapping[str, Any]] = None,
                 include_paths: Sequence[Any] = (), kernels: bool = False) -> Program:
    """A Program as it is; a path: an ELF file, or assembly. `kernels`: with start code, where it has none."""
    if isinstance(source, Program):
        return source
    path = Path(os.fspath(source))
    if kernels and lib.sam_cc_is_source(os.fsencode(path)):
        return assemble(compile_kernels(path, defines, include_paths), base=base, name=str(path),
                        prologue=lib.sam_gpu_start_code().decode())
    with open(path, "rb") as file:
        data = file.read(MOST + 1)
    if len(data) > MOST:
        raise ValueError(f"{path}: larger than {MOST} bytes: expected a program")
    if data[:4] == b"\x7fELF":
        return parse_elf(data, str(path))
    words: dict[str, Any] = dict(isa=isa, base=base, name=str(path), defines=defines, include_paths=include_paths)
    return assemble_kernels(data, **words) if kernels else assemble(data, **words)


def assemble_kernels(text: Any, **words: Any) -> Program:
    """Assemble kernels: start code of the manual goes in front of a text without a _start."""
    program = assemble(text, **words)
    if "_start" in program.symbols:
        return program
    return assemble(text, prologue=lib.sam_gpu_start_code().decode(), **words)


__all__ = ["KernelArgument", "Program", "Source", "acc_regs_of", "assemble", "assemble_kernels", "cc", "parse_elf",
           "parse_isa", "read_program"]
