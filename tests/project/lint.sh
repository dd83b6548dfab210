#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The checks of layers and of prefixes find what they are there to find.
. "$SAMITE_SOURCE/tests/project/tap.sh"
cd "$scratch" || exit 1

arrows() { # FILE INCLUDE
    mkdir -p "$(dirname "$1")"
    printf '#include <stdio.h>\n#include "%s"\n' "$2" >"$1"
    awk -f "$SAMITE_SOURCE/tools/arrows.awk" "$1"
}

refused() { # FILE INCLUDE
    if arrows "$@" >said; then
        return 1
    fi
    grep -q "^$1:2: " said || { cat said && return 1; }
}

check 'asm includes isa' arrows src/asm/a.c isa/isa.h
check 'machine includes isa' arrows src/machine/a.c isa/isa.h
check 'simt includes machine' arrows src/simt/a.c machine/machine.h
check 'own folder' arrows src/base/a.c base/base.h
check 'own folder, plain name' arrows cli/a.c cli.h
check 'public header' arrows cli/a.c samite/isa.h
check 'tests include anything' arrows tests/isa/a.c simt/simt.h
check 'the core of tile includes its checker' arrows src/tile/core/a.c tile/check/plan.h
check 'a folder within tile includes its face' arrows src/tile/text/a.c tile/tile.h
check 'the text of tile includes its core' refused src/tile/text/b.c tile/core/core.h
check 'the face of tile includes its core' refused src/tile/a.c tile/core/core.h
check 'the hart includes the cycles of the matrix unit' arrows src/hart/a.c matrix/cycle/cycle.h
check 'the cycles include their face' arrows src/matrix/cycle/a.c matrix/matrix.h
check 'the matrix unit includes its cycles' refused src/matrix/a.c matrix/cycle/cycle.h
check 'the hart includes tile' refused src/hart/b.c tile/tile.h
check 'base includes isa' refused src/base/a.c isa/isa.h
check 'isa includes machine' refused src/isa/a.def machine/machine.h
check 'isa includes asm' refused src/isa/b.c asm/asm.h
check 'format includes isa' refused src/format/a.c isa/isa.h
check 'siblings: trace and format' refused src/trace/a.c format/format.h
check 'machine includes simt' refused src/machine/a.h simt/simt.h
check 'cli includes src' refused cli/a.c base/base.h
check 'examples include src' refused examples/a.c isa/isa.h
check 'relative path' refused src/isa/a.c ../machine/machine.h
check 'config.h in the command' refused cli/b.c config.h
unknown_folder() { ! arrows src/other/a.c base/base.h; }
check 'unknown folder' unknown_folder

prose() { # COMMENT: and one after it
    printf 'int a; %s\n/* The next one. */\n' "$1" >a.c
    awk -f "$SAMITE_SOURCE/tools/prose.awk" a.c
}
odd() { # LINE COMMENT
    if prose "$2" >said; then
        return 1
    fi
    [ "$(cut -d: -f1,2 said)" = "a.c:$1" ] || { cat said && return 1; }
}
check 'prose: a noun' prose '/* The operands that a row names: what follows is free, and nobodys. */'
check 'prose: a relative clause' odd 1 '/* What a row names. */'
check 'prose: in the second sentence' odd 1 '/* Rows. Whoever reads them
 * begins here. */'
check 'prose: words' odd 1 '/* The hart is
 * told. */'

prefixes() { # DECLARATION: declared in a folder after another has declared sam_memory_new
    mkdir -p src/machine src/simt
    printf '/* a note */\nstruct sam_memory *sam_memory_new(void);\n#define SAM_PAGE 4\n' >src/machine/machine.h
    printf '%s\n' "$1" >src/simt/simt.h
    awk -f "$SAMITE_SOURCE/tools/prefixes.awk" src/machine/machine.h src/simt/simt.h
}

taken() { # DECLARATION
    if prefixes "$1" >said; then
        return 1
    fi
    grep -q '^src/simt/simt.h:1: .* belongs to src/machine' said || { cat said && return 1; }
}

check 'a prefix of its own' prefixes 'bool sam_warp_add(struct sam_memory *memory);'
check 'a type of another folder' prefixes 'struct sam_memory;'
check 'a function under a taken prefix' taken 'void sam_memory_dump(void);'
check 'a type under a taken prefix' taken 'struct sam_memory_page {'
check 'a macro under a taken prefix' taken '#define SAM_PAGE_OPS(x) (x)'
check 'a variable under a taken prefix' taken 'extern const int sam_memory_rows[];'
finish
