# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/python.md and of the README print what the pages show."""
import contextlib
import io
import os
import re
import shutil

import pytest

import samite
from conftest import KERNELS, SOURCE
from test_network import write_model

PAGE = SOURCE / "docs" / "python.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```\n```text\n(.*?)^```$", PAGE.read_text(), re.M | re.S)


def test_there_are_examples():
    assert len(EXAMPLES) >= 5 and PAGE.read_text().count("```python") == len(EXAMPLES)


def test_examples_print_what_is_shown(tmp_path, monkeypatch):
    """One after the other, in one folder and with one set of names, as a reader types them."""
    monkeypatch.chdir(tmp_path)
    os.symlink(KERNELS, "kernels")
    write_model(tmp_path / "model.onnx")
    names = {}
    for number, (code, expected) in enumerate(EXAMPLES):
        if "samite.cc(" in code and not shutil.which(os.environ.get("SAMITE_CLANG", "clang")):
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, f"{PAGE.name}, example {number + 1}", "exec"), names)
        assert printed.getvalue() == expected, code


@pytest.mark.parametrize("name", samite.__all__)
def test_everything_public_is_documented(name):
    thing = getattr(samite, name)
    assert name == "__version__" or thing.__doc__
    if isinstance(thing, type):
        for method, value in vars(thing).items():
            if not method.startswith("_") and callable(value):
                assert value.__doc__, f"{name}.{method}"


def test_functions_of_the_page_exist():
    for name in set(re.findall(r"(?<!lib)samite\.(\w+)", PAGE.read_text())):
        assert hasattr(samite, name), name
