#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# onnxruntime.sh WRITE VALUES: random networks in ONNX Runtime, where node and its package onnxruntime-node are
# installed (NODE_PATH), and by the reference. Another seed or number of networks: SAMITE_SEED, SAMITE_CASES.
. "$SAMITE_SOURCE/tests/project/tap.sh"
write=$1
values=$2
seed=${SAMITE_SEED:-1}

agrees() {
    echo "SAMITE_SEED=$seed"
    mkdir "$scratch/graphs"
    "$write" "$scratch/graphs" "${SAMITE_CASES:-100}" "$seed"
    node "$SAMITE_SOURCE/tools/onnx-check.mjs" "$scratch/graphs" --run "$values"
}

if command -v node >/dev/null && (cd "$SAMITE_SOURCE/tools" && node -e 'require("onnxruntime-node")') 2>/dev/null; then
    check 'random networks agree with ONNX Runtime' agrees
else
    skip 'random networks agree with ONNX Runtime' 'onnxruntime-node is not installed'
fi
finish
