#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev wheel`: the Python package as a wheel with the library and the command.

    tools/wheel.py BUILD FOLDER [ARCHITECTURE]

BUILD is a release build, or with ARCHITECTURE one by tools/cross.sh. setuptools makes a pure wheel of python/; this
script adds the library, the command, and the libraries that both need beyond glibc, with their licences and a bill
of materials, and packs the wheel again for that platform. Every added file finds the others relative to itself
($ORIGIN). Bundled libraries have a part of their hash in their name: a process can hold them and the system's
libraries of the same name.
"""
import glob
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import sbom  # noqa: E402
from sbom import linked, package_of, products, run, write  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parent.parent
# Present on every system with glibc (PEP 600). Everything else is bundled.
SYSTEM = re.compile(r"(ld-linux-[\w-]+|libc|libm|libdl|libpthread|librt)\.so\.\d+")
STRIP = "strip"
LAUNCHER = """#!python
# SPDX-License-Identifier: Apache-2.0
# Runs the command inside the package samite, without importing that.
import importlib.util
import os
import sys

found = importlib.util.find_spec("samite")
if found is None:
    sys.exit("samite: the package samite is not installed for " + sys.executable)
path = os.path.join(os.path.dirname(found.origin), "bin", "samite")
os.execv(path, [path, *sys.argv[1:]])
"""


def die(message):
    sys.exit(f"wheel: {message}")


def needed(path):
    """Names of the libraries that a file asks for, without those of glibc."""
    return [name for name in run("patchelf", "--print-needed", path).split() if not SYSTEM.fullmatch(name)]


def copy_stripped(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755)
    run(STRIP, "--strip-unneeded", target)


def add_files(build, tree):
    """Library, command, bundled libraries and licences, in the tree of the unpacked wheel."""
    built_library, built_command = products(build)
    library = tree / "samite" / run("patchelf", "--print-soname", built_library).strip()
    command = tree / "samite" / "bin" / "samite"
    copy_stripped(built_library, library)
    copy_stripped(built_command, command)
    rpaths = {library: "$ORIGIN/../samite.libs", command: "$ORIGIN/../../samite.libs"}
    found = {name: path for name, path in linked(products(build)).items() if not SYSTEM.fullmatch(name)}
    names = {}
    about = next(tree.glob("*.dist-info"))
    licences = about / "licenses"
    licences.mkdir(exist_ok=True)
    (about / "sboms").mkdir()
    write(products(build), about / "sboms" / "samite.cdx.json")  # where PEP 770 has it
    for name, path in sorted(found.items()):
        stem, dot, rest = name.partition(".so")
        names[name] = f"{stem}-{hashlib.sha256(path.read_bytes()).hexdigest()[:8]}{dot}{rest}"
        target = tree / "samite.libs" / names[name]
        copy_stripped(path, target)
        rpaths[target] = "$ORIGIN"
        package = package_of(path)
        shutil.copyfile(f"{sbom.ROOT}/usr/share/doc/{package}/copyright", licences / f"{package}.txt")
    for file, rpath in rpaths.items():  # patchelf does one kind of change per call, and adds a segment in each
        renamed = [word for name in needed(file) for word in ("--replace-needed", name, names[name])]
        if renamed:
            run("patchelf", *renamed, file)
        if file.parent.name == "samite.libs":
            run("patchelf", "--set-soname", file.name, file)
        run("patchelf", "--set-rpath", rpath, file)
    launcher = about.with_suffix(".data") / "scripts" / "samite"
    launcher.parent.mkdir(parents=True)
    launcher.write_text(LAUNCHER)
    launcher.chmod(0o755)
    return rpaths


def check(files, glibc):
    """Nothing is asked for that is neither bundled nor glibc's, in a version that the tag promises."""
    there = {file.name for file in files}
    for file in files:
        for name in needed(file):
            if name not in there:
                die(f"{file.name} needs {name}, which is not in the wheel")
        for minor in re.findall(r"\bGLIBC_2\.(\d+)", run("readelf", "--version-info", "--wide", file)):
            if int(minor) > glibc:
                die(f"{file.name} needs glibc 2.{minor}: the tag says 2.{glibc}")


def main():
    global STRIP
    if len(sys.argv) not in (3, 4):
        die("usage: tools/wheel.py BUILD FOLDER [ARCHITECTURE]")
    build, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    machine, version = os.uname().machine, os.confstr("CS_GNU_LIBC_VERSION") or ""
    if sys.argv[3:]:
        machine, sbom.ROOT, STRIP = sys.argv[3], str(build / "root"), f"{sys.argv[3]}-linux-gnu-strip"
        version = "glibc " + run("dpkg-query", *sbom.records(), "-W", "-f", "${Version}", "libc6").split("-")[0]
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if re.match(r"(\.\./)?(src|cli)/", entry["file"]) and re.search(r"-m(arch|cpu|tune)=native", entry["command"]):
            die(f"{entry['file']} is compiled for this processor alone (=native): a wheel runs on others")
    glibc = re.fullmatch(r"glibc 2\.(\d+)", version)
    if not glibc:
        die(f"this system has '{version}': expected glibc 2")
    tag = f"manylinux_2_{glibc[1]}_{machine}"
    os.environ.setdefault("SOURCE_DATE_EPOCH", run("git", "-C", TOP, "log", "-1", "--format=%ct").strip()
                          if (TOP / ".git").exists() else "1767225600")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        work = pathlib.Path(name)
        shutil.copytree(TOP / "python", work / "python",
                        ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        shutil.copyfile(TOP / "LICENSE", work / "python" / "LICENSE")
        run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index",
            "--disable-pip-version-check", "-w", work, work / "python")
        run(sys.executable, "-m", "wheel", "unpack", "-d", work, next(work.glob("*.whl")))
        tree = pathlib.Path(glob.glob(f"{work}/samite-*[0-9]")[0])
        files = add_files(build, tree)
        check(files, int(glibc[1]))
        described = next(tree.glob("*.dist-info")) / "WHEEL"
        text = described.read_text().replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
        described.write_text(re.sub(r"^Tag: .*$", f"Tag: py3-none-{tag}", text, flags=re.M))
        for old in folder.glob(f"samite-*_{machine}.whl"):
            old.unlink()
        run(sys.executable, "-m", "wheel", "pack", "-d", folder, tree)
    wheel = next(folder.glob(f"samite-*_{machine}.whl"))
    print(f"== {wheel.relative_to(pathlib.Path.cwd()) if wheel.is_relative_to(pathlib.Path.cwd()) else wheel}, "
          f"{wheel.stat().st_size} bytes, {len(files) - 2} bundled libraries")


main()
