#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# editors/: the grammars are what the command says, the extension's files are sound and packed, and
# Vim highlights by them.
. "$SAMITE_SOURCE/tests/project/tap.sh"
cd "$SAMITE_SOURCE" || exit 1

has() {
    command -v "$1" >/dev/null
}

current() {
    python3 tools/editor-grammars.py --samite "$SAMITE" "$scratch/editors"
    for file in $(cd "$scratch/editors" && find . -type f); do
        cmp "$scratch/editors/$file" "editors/$file"
    done
}

sound() {
    node --check editors/vscode/extension.js
    node tests/project/extension.js
}

packed() {
    tools/vsix.sh "$scratch/a.vsix"
    tools/vsix.sh "$scratch/b.vsix"
    cmp "$scratch/a.vsix" "$scratch/b.vsix"
    unzip -q "$scratch/a.vsix" -d "$scratch/vsix"
    cmp "$scratch/vsix/extension/package.json" editors/vscode/package.json
    [ -f "$scratch/vsix/extension.vsixmanifest" ]
    [ -f "$scratch/vsix/[Content_Types].xml" ]
}

# group FILE LINE WORD: the group of the word's first character.
group() {
    vim -N -u NONE -i NONE -es --not-a-term -c "set rtp^=$SAMITE_SOURCE/editors/vim" -c 'filetype on' \
        -c 'syntax on' -c "edit $1" -c "call cursor($2, 1)" -c "call search('$3', 'c', line('.'))" \
        -c "call writefile([synIDattr(synID(line('.'), col('.'), 1), 'name')], '$scratch/group')" -c 'qa!' || true
    cat "$scratch/group"
}

highlighted() {
    cat >"$scratch/a.s" <<'END'
k:      vadd.vx v1, v1, t2   # comment
        .word 0x10
END
    cat >"$scratch/a.pto" <<'END'
%d = pto.tcolmin %s : !pto.tile<vec, 16x16xf32> -> !pto.tile<vec, 1x16xf32>
END
    [ "$(group "$scratch/a.s" 1 'vadd')" = samiteMnemonic ]
    [ "$(group "$scratch/a.s" 1 't2')" = samiteRegister ]
    [ "$(group "$scratch/a.s" 1 'comment')" = samiteComment ]
    [ "$(group "$scratch/a.s" 1 'k:')" = samiteLabel ]
    [ "$(group "$scratch/a.s" 2 '.word')" = samiteDirective ]
    [ "$(group "$scratch/a.pto" 1 'pto.tcolmin')" = ptoOperation ]
    [ "$(group "$scratch/a.pto" 1 '%s')" = ptoName ]
    [ "$(group "$scratch/a.pto" 1 '!pto.tile')" = ptoType ]
}

if has python3; then
    check "the grammars are current" current
else
    skip "the grammars are current" "no python3"
fi
if has node; then
    check "the extension checks, explains and finds" sound
else
    skip "the extension checks, explains and finds" "no node"
fi
if has zip && has unzip; then
    check "the extension is packed" packed
else
    skip "the extension is packed" "no zip"
fi
if has vim; then
    check "Vim highlights" highlighted
else
    skip "Vim highlights" "no vim"
fi
finish
