#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A bill of materials: the libraries that the command and the shared library link, as CycloneDX 1.5.

    tools/sbom.py BUILD FILE

For each library its Debian package with version, architecture and source package, and the licences that occur in that,
where its copyright file lists them for machines. xxHash, whose header is compiled in, is there as well. Without a time
and a serial number, so that the same libraries give the same file.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
COMPILED_IN = ["libxxhash-dev"]
ROOT = ""  # of the system that the files are for, with dpkg's records; tools/wheel.py sets it


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def products(build):
    """The shared library and the command in a build folder."""
    libraries = [path for path in build.glob("libsamite.so.*")
                 if re.fullmatch(r"libsamite\.so\.[\d.]+", path.name) and not path.is_symlink()]
    if len(libraries) != 1 or not (build / "samite").is_file():
        sys.exit(f"{build}: {len(libraries)} libraries libsamite.so.*: expected one, and the command (./dev build)")
    return [libraries[0], build / "samite"]


def linked(files):
    """The libraries that files need, directly or not: name -> path on this machine."""
    found, rest = {}, list(files) if ROOT else []
    for file in rest:
        for name in re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "--dynamic", "--wide", file)):
            if name not in found:
                paths = [path for path in pathlib.Path(ROOT).glob(f"**/lib/*/{name}") if path.is_file()]
                found[name] = paths[0].resolve() if paths else sys.exit(f"{ROOT}: no {name}")
                rest.append(found[name])
    for file in files if not ROOT else ():
        for name, path in re.findall(r"^\s*(\S+) => (/\S+) \(", run("ldd", file), re.M):
            found[name] = pathlib.Path(os.path.realpath(path))
    return found


def records():
    return [f"--admindir={ROOT}/var/lib/dpkg"] if ROOT else []


def package_of(path):
    """The Debian package of a library. dpkg may know it by its path before /usr was merged."""
    path = str(path).removeprefix(ROOT)
    for name in (path, re.sub("^/usr", "", path), f"/usr{path}"):
        done = subprocess.run(["dpkg-query", *records(), "-S", name], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    return sys.exit(f"{path}: no Debian package has it")


def licences_of(package):
    """The licences of all files of the source package, as its copyright file states them; many have several."""
    path = pathlib.Path(f"{ROOT}/usr/share/doc/{package}/copyright")
    text = path.read_text(errors="replace") if path.is_file() else ""
    stated = re.findall(r"^Files: (?:.*\n)+?License: *(.+)$", text, re.M)
    return sorted(set(name.strip() for name in stated))


def component(package):
    fields = "${Version}\t${Architecture}\t${source:Package}\t${source:Version}"
    said = run("dpkg-query", *records(), "-W", "-f", fields + "\n", package).splitlines()[0]
    version, architecture, source, source_version = said.split("\t")
    row = {"type": "library", "bom-ref": package, "name": package, "version": version,
           "purl": f"pkg:deb/debian/{package}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}",
           "properties": [{"name": "debian:source", "value": f"{source} {source_version}"}]}
    licences = licences_of(package)
    if licences:
        row["evidence"] = {"licenses": [{"license": {"name": name}} for name in licences]}
    return row


def bill(files):
    """The document for what these files link."""
    version = re.search(r"^ *version: '([\d.]+)',$", (TOP / "meson.build").read_text(), re.M)[1]
    packages = {package_of(path) for path in linked(files).values()} | set(COMPILED_IN)
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": "samite", "name": "samite", "version": version,
                                   "licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": [component(package) for package in sorted(packages)],
        "dependencies": [{"ref": "samite", "dependsOn": sorted(packages)}],
    }


def write(files, path):
    pathlib.Path(path).write_text(json.dumps(bill(files), indent=2) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: tools/sbom.py BUILD FILE")
    write(products(pathlib.Path(sys.argv[1])), sys.argv[2])
