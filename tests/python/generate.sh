#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# generate.sh LLM PYTHON: the language model as ONNX on the host, and as one tile program, give the same characters; a few on the
# system too. Where torch, which writes the ONNX model, is installed.
. "$SAMITE_SOURCE/tests/project/tap.sh"
llm=$1
python=$2
weights=$SAMITE_SOURCE/examples/llm/kjv.safetensors

characters() { # COUNT OPTION...: after "In the beginning"
    count=$1
    shift
    "$python" "$SAMITE_SOURCE/examples/generate.py" "$scratch/step.onnx" 'In the beginning' --tokens "$count" "$@"
}

exports() {
    "$python" "$SAMITE_SOURCE/tools/llm-train.py" "$weights" --onnx "$scratch/step.onnx"
}

agrees() {
    "$llm" --tokens 200 'In the beginning' >"$scratch/program"
    characters 200 >"$scratch/network"
    cmp -n 216 "$scratch/program" "$scratch/network"
}

agrees_on_the_system() {
    characters 2 --cycles --weights window >"$scratch/system"
    cmp -n 18 "$scratch/network" "$scratch/system"
    grep -q 'cycles per character' "$scratch/system"
}

if "$python" -c 'import torch, numpy' 2>/dev/null; then
    check 'the step as ONNX' exports
    check '200 characters' agrees
    check 'some on the system' agrees_on_the_system
else
    skip '200 characters' 'torch for Python is not installed'
fi
finish
