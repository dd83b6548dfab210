# SPDX-License-Identifier: Apache-2.0
"""The structs that ctypes has are those that the compiler makes of the headers."""
import ctypes
import os
import shutil
import subprocess
import sys

import pytest

from conftest import SOURCE
from samite import _abi, _library

TOOL = SOURCE / "tools" / "python-abi.py"
COMPILER = os.environ.get("CC", "cc").split()
needs_compiler = pytest.mark.skipif(not shutil.which(COMPILER[0]), reason="no C compiler")


def run(*words):
    return subprocess.run([sys.executable, str(TOOL), *words], capture_output=True, text=True)


@needs_compiler
def test_generated_file_is_up_to_date():
    done = run("--check")
    assert done.returncode == 0, f"run tools/python-abi.py:\n{done.stdout}{done.stderr}"


@needs_compiler
def test_layout_is_the_compilers(tmp_path):
    source = tmp_path / "layout.c"
    source.write_text(run("--layout").stdout)
    program = tmp_path / "layout"
    subprocess.run([*COMPILER, "-I", str(SOURCE / "include"), str(source), "-o", str(program)], check=True)
    rows = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.split("\n")
    seen = {"struct": 0, "field": 0, "constant": 0}
    constants = dict(vars(_abi))
    for kind in list(constants.values()):
        if isinstance(kind, type) and hasattr(kind, "__members__"):
            constants.update(kind.__members__)
    for row in rows:
        kind, *words = row.split() or [""]
        if kind == "struct":
            assert ctypes.sizeof(getattr(_abi, words[0])) == int(words[1]), row
        elif kind == "field":
            field = getattr(getattr(_abi, words[0]), words[1])
            assert (field.offset, field.size) == (int(words[2]), int(words[3])), row
        elif kind == "constant":
            assert constants[words[0]] == int(words[1]), row
        else:
            continue
        seen[kind] += 1
    structs = [s for s in vars(_abi).values() if isinstance(s, type) and issubclass(s, ctypes.Structure)]
    structs.remove(ctypes.Structure)
    assert seen["struct"] == len(structs) > 0
    assert seen["field"] == sum(len(s._fields_) for s in structs)
    assert seen["constant"] > 0


def test_version_is_that_of_the_project():
    project = (SOURCE / "meson.build").read_text()
    package = (SOURCE / "python" / "pyproject.toml").read_text()
    assert f"version: '{_library.VERSION}'" in project
    assert f'version = "{_library.VERSION}"' in package
    assert _library.version() == _library.VERSION


@pytest.mark.parametrize("name, expected", [("nowhere.so", "nowhere.so"), ("text.so", "text.so")])
def test_library_that_cannot_be_loaded(tmp_path, name, expected):
    (tmp_path / "text.so").write_text("no library")
    environment = {**os.environ, "SAMITE_LIBRARY": str(tmp_path / name)}
    done = subprocess.run([sys.executable, "-c", "import samite"], capture_output=True, text=True, env=environment)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and last.startswith("ImportError: SAMITE_LIBRARY=") and expected in last


def test_library_beside_the_package(tmp_path):
    shutil.copytree(SOURCE / "python" / "samite", tmp_path / "samite", ignore=shutil.ignore_patterns("__pycache__"))
    library = os.environ["SAMITE_LIBRARY"]
    os.symlink(os.path.abspath(library), tmp_path / "samite" / _library._NAMES[0])
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    del environment["SAMITE_LIBRARY"]
    done = subprocess.run([sys.executable, "-c", "import samite; print(samite.__file__, samite.version())"],
                          capture_output=True, text=True, env=environment)
    assert done.stdout == f"{tmp_path}/samite/__init__.py {_library.VERSION}\n", done.stderr
