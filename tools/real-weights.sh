#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# real-weights.sh FOLDER: weights of published networks, fetched once with npm (pack), none of which
# is part of this project. Prints FILE:TYPE of each, for `./dev bench codec --real`.
set -eu
folder=$1
mkdir -p "$folder"
cd "$folder"

fetch() { # PACKAGE@VERSION TYPE FILE...
    package=$1
    type=$2
    shift 2
    name=$(printf '%s' "$package" | tr -c 'A-Za-z0-9.\n' _)
    if [ ! -d "$name" ]; then
        archive=$(npm pack --silent "$package" | tail -n 1)
        mkdir "$name.new"
        tar -xzf "$archive" -C "$name.new"
        rm -f "$archive"
        mv "$name.new" "$name"
    fi
    for file in "$@"; do
        printf '%s\n' "$folder/$name/package/$file:$type"
    done
}

fetch @upscalerjs/esrgan-medium@1.0.0 f32 models/x4/group1-shard1of1.bin models/x8/group1-shard1of1.bin
fetch @vladmandic/human@3.3.6 f16 models/faceres.bin models/movenet-lightning.bin
