# SPDX-License-Identifier: Apache-2.0
"""pip installs the package, and what it installs works on its own."""
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import SOURCE
from samite import _library

missing = [name for name in ("pip", "setuptools", "wheel") if not importlib.util.find_spec(name)]
pytestmark = pytest.mark.skipif(bool(missing), reason=f"no {', '.join(missing)}")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the package, installed by pip from a copy of the sources."""
    copy, target = tmp_path_factory.mktemp("source") / "python", tmp_path_factory.mktemp("site")
    shutil.copytree(SOURCE / "python", copy, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
                           "--no-index", "--disable-pip-version-check", "--target", str(target), str(copy)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target


def run(installed, code):
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)


def test_every_module_is_installed(installed):
    names = {path.name for path in (SOURCE / "python" / "samite").iterdir() if path.is_file()}
    assert names == {path.name for path in (installed / "samite").iterdir() if path.is_file()}
    assert "py.typed" in names


def test_installed_package_packs_and_launches(installed):
    code = (SOURCE / "debian" / "tests" / "python").read_text()
    kernel = code.partition("kernel.s <<'END'\n")[2].partition("END\n")[0]
    script = code.partition("python3 - <<'END'\n")[2].partition("END\n")[0]
    Path(installed / "kernel.s").write_text(kernel)
    done = run(installed, f"import os; os.chdir({str(installed)!r})\n{script}\nprint(samite.__file__)")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(installed / "samite" / "__init__.py")


def test_metadata(installed):
    done = run(installed, "import importlib.metadata as m; d = m.metadata('samite'); "
                          "print(d['Version'], d['Requires-Python'], *m.requires('samite'), sep='\\n')")
    version, python, numpy, *_ = done.stdout.splitlines()
    assert (version, python) == (_library.VERSION, ">=3.9") and numpy.startswith("numpy")
