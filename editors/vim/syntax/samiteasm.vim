" SPDX-License-Identifier: Apache-2.0
" Made by tools/editor-grammars.py.
if exists("b:current_syntax")
  finish
endif
syn case match
syn iskeyword @,48-57,_,.,$
syn keyword samiteMnemonic add addi addiw addw amoadd.w amoand.w amomax.w amomaxu.w amomin.w amominu.w amoor.w amoswap.w
syn keyword samiteMnemonic amoxor.w and andi auipc barrier barriersub beq beqz bge bgeu bgez bgt bgtu bgtz ble bleu blez blt
syn keyword samiteMnemonic bltu bltz bne bnez call csrc csrci csrr csrrc csrrci csrrs csrrsi csrrw csrrwi csrs csrsi csrw csrwi
syn keyword samiteMnemonic div divu divuw divw ebreak ecall endprg fabs.s fadd.s fclass.s fcvt.l.s fcvt.lu.s fcvt.s.l fcvt.s.lu
syn keyword samiteMnemonic fcvt.s.w fcvt.s.wu fcvt.w.s fcvt.wu.s fdiv.s fence fence.i fence.tso feq.s fge.s fgt.s fle.s flt.s
syn keyword samiteMnemonic flw fmadd.s fmax.s fmin.s fmmacc.d fmmacc.h fmmacc.s fmsub.s fmul.s fmv.s fmv.s.x fmv.w.x fmv.x.s
syn keyword samiteMnemonic fmv.x.w fneg.s fnmadd.s fnmsub.s frcsr frflags frrm frsr fscsr fsflags fsflagsi fsgnj.s fsgnjn.s
syn keyword samiteMnemonic fsgnjx.s fsqrt.s fsrm fsrmi fssr fsub.s fsw fwmmacc.h fwmmacc.s j jal jalr join jr jump la lb lbu ld
syn keyword samiteMnemonic lh lhu li lla lr.w lui lw lwu madd.d.mm madd.d.mv.i madd.d.mv.x madd.d.mx madd.s.mm madd.s.mv.i
syn keyword samiteMnemonic madd.s.mv.x madd.s.mx mcfg mcfgi mcfgk mcfgki mcfgm mcfgmi mcfgn mcfgni mld1mb mld1md mld1mh mld1mw
syn keyword samiteMnemonic mld2mb mld2md mld2mh mld2mw mld4mb mld4md mld4mh mld4mw mld8mb mld8md mld8mh mld8mw mldb mldd mldh
syn keyword samiteMnemonic mldw mmaqa.b mmaqa.h mmaqasu.b mmaqasu.h mmaqau.b mmaqau.h mmaqaus.b mmaqaus.h mmov.mm mmov.mv.i
syn keyword samiteMnemonic mmov.mv.x mmov.mx mmul.d.mm mmul.d.mv.i mmul.d.mv.x mmul.d.mx mmul.s.mm mmul.s.mv.i mmul.s.mv.x
syn keyword samiteMnemonic mmul.s.mx mmulh.d.mm mmulh.d.mv.i mmulh.d.mv.x mmulh.d.mx mmulh.s.mm mmulh.s.mv.i mmulh.s.mv.x
syn keyword samiteMnemonic mmulh.s.mx mn4clip.d.mm mn4clip.d.mv.i mn4clip.d.mv.x mn4clip.d.mx mn4clip.s.mm mn4clip.s.mv.i
syn keyword samiteMnemonic mn4clip.s.mv.x mn4clip.s.mx mn4clipu.d.mm mn4clipu.d.mv.i mn4clipu.d.mv.x mn4clipu.d.mx
syn keyword samiteMnemonic mn4clipu.s.mm mn4clipu.s.mv.i mn4clipu.s.mv.x mn4clipu.s.mx move mrelease mret msldb msldd msldh
syn keyword samiteMnemonic msldw msra.d.mm msra.d.mv.i msra.d.mv.x msra.d.mx msra.s.mm msra.s.mv.i msra.s.mv.x msra.s.mx msstb
syn keyword samiteMnemonic msstd mssth msstw mst1mb mst1md mst1mh mst1mw mst2mb mst2md mst2mh mst2mw mst4mb mst4md mst4mh
syn keyword samiteMnemonic mst4mw mst8mb mst8md mst8mh mst8mw mstb mstd msth mstw msub.d.mm msub.d.mv.i msub.d.mv.x msub.d.mx
syn keyword samiteMnemonic msub.s.mm msub.s.mv.i msub.s.mv.x msub.s.mx mul mulh mulhsu mulhu mulw mv neg negw nop not or ori
syn keyword samiteMnemonic pmmaqa.b pmmaqasu.b pmmaqau.b pmmaqaus.b rdcycle rdcycleh rdinstret rdinstreth rdtime rdtimeh regext
syn keyword samiteMnemonic regexti regpair regpairi rem remu remuw remw ret sb sbreak sc.w scall sd seqz setrpc sext.b sext.h
syn keyword samiteMnemonic sext.w sgt sgtu sgtz sh sll slli slliw sllw slt slti sltiu sltu sltz snez sra srai sraiw sraw srl
syn keyword samiteMnemonic srli srliw srlw sub subw sw tail tl.addi tl.concat.0 tl.concat.1 tl.concat.2 tl.load tl.merge.0
syn keyword samiteMnemonic tl.merge.1 tl.merge.2 tl.mload tl.mstore tl.store tl.xpose.01 tl.xpose.02 tl.xpose.03 tl.xpose.12
syn keyword samiteMnemonic tl.xpose.13 tl.xpose.23 tl.xpose.b.01 tl.xpose.b.02 tl.xpose.b.03 tl.xpose.b.12 tl.xpose.b.13
syn keyword samiteMnemonic tl.xpose.b.23 tl.xpose.d.01 tl.xpose.d.02 tl.xpose.d.03 tl.xpose.d.12 tl.xpose.d.13 tl.xpose.d.23
syn keyword samiteMnemonic tl.xpose.h.01 tl.xpose.h.02 tl.xpose.h.03 tl.xpose.h.12 tl.xpose.h.13 tl.xpose.h.23 tl.xpose.w.01
syn keyword samiteMnemonic tl.xpose.w.02 tl.xpose.w.03 tl.xpose.w.12 tl.xpose.w.13 tl.xpose.w.23 unimp vadc.vim vadc.vvm
syn keyword samiteMnemonic vadc.vxm vadd.vi vadd.vv vadd.vx vadd12.vi vand.vi vand.vv vand.vx vbeq vbge vbgeu vbgt vbgtu vble
syn keyword samiteMnemonic vbleu vblt vbltu vbne vdiv.vv vdiv.vx vdivu.vv vdivu.vx vfabs.v vfadd.vf vfadd.vv vfclass.v
syn keyword samiteMnemonic vfcvt.f.x.v vfcvt.f.xu.v vfcvt.rtz.x.f.v vfcvt.rtz.xu.f.v vfcvt.x.f.v vfcvt.xu.f.v vfdiv.vf vfdiv.vv
syn keyword samiteMnemonic vfexp.v vfmacc.vf vfmacc.vv vfmadd.vf vfmadd.vv vfmax.vf vfmax.vv vfmerge.vfm vfmin.vf vfmin.vv
syn keyword samiteMnemonic vfmsac.vf vfmsac.vv vfmsub.vf vfmsub.vv vfmul.vf vfmul.vv vfmv.f.s vfmv.s.f vfmv.v.f vfneg.v
syn keyword samiteMnemonic vfnmacc.vf vfnmacc.vv vfnmadd.vf vfnmadd.vv vfnmsac.vf vfnmsac.vv vfnmsub.vf vfnmsub.vv vfrdiv.vf
syn keyword samiteMnemonic vfrec7.v vfrece7.v vfrsqrt7.v vfrsqrte7.v vfrsub.vf vfsgnj.vf vfsgnj.vv vfsgnjn.vf vfsgnjn.vv
syn keyword samiteMnemonic vfsgnjx.vf vfsgnjx.vv vfsqrt.v vfsub.vf vfsub.vv vftta.vv vid.v vlb.v vlb12.v vlbu.v vlbu12.v
syn keyword samiteMnemonic vle16.v vle32.v vle8.v vlh.v vlh12.v vlhu.v vlhu12.v vloxei16.v vloxei32.v vloxei8.v vlse16.v
syn keyword samiteMnemonic vlse32.v vlse8.v vluxei16.v vluxei32.v vluxei8.v vlw.v vlw12.v vmacc.vv vmacc.vx vmadc.vi vmadc.vim
syn keyword samiteMnemonic vmadc.vv vmadc.vvm vmadc.vx vmadc.vxm vmadd.vv vmadd.vx vmand.mm vmandn.mm vmandnot.mm vmax.vv
syn keyword samiteMnemonic vmax.vx vmaxu.vv vmaxu.vx vmclr.m vmcpy.m vmerge.vim vmerge.vvm vmerge.vxm vmfeq.vf vmfeq.vv
syn keyword samiteMnemonic vmfge.vf vmfge.vv vmfgt.vf vmfgt.vv vmfle.vf vmfle.vv vmflt.vf vmflt.vv vmfne.vf vmfne.vv vmin.vv
syn keyword samiteMnemonic vmin.vx vminu.vv vminu.vx vmmv.m vmnand.mm vmnor.mm vmnot.m vmor.mm vmorn.mm vmornot.mm vmsbc.vv
syn keyword samiteMnemonic vmsbc.vvm vmsbc.vx vmsbc.vxm vmseq.vi vmseq.vv vmseq.vx vmset.m vmsge.vi vmsge.vv vmsge.vx vmsgeu.vi
syn keyword samiteMnemonic vmsgeu.vv vmsgeu.vx vmsgt.vi vmsgt.vv vmsgt.vx vmsgtu.vi vmsgtu.vv vmsgtu.vx vmsle.vi vmsle.vv
syn keyword samiteMnemonic vmsle.vx vmsleu.vi vmsleu.vv vmsleu.vx vmslt.vi vmslt.vv vmslt.vx vmsltu.vi vmsltu.vv vmsltu.vx
syn keyword samiteMnemonic vmsne.vi vmsne.vv vmsne.vx vmul.vv vmul.vx vmulh.vv vmulh.vx vmulhsu.vv vmulhsu.vx vmulhu.vv
syn keyword samiteMnemonic vmulhu.vx vmv.s.x vmv.v.i vmv.v.v vmv.v.x vmv.x.s vmxnor.mm vmxor.mm vneg.v vnmsac.vv vnmsac.vx
syn keyword samiteMnemonic vnmsub.vv vnmsub.vx vnot.v vor.vi vor.vv vor.vx vrem.vv vrem.vx vremu.vv vremu.vx vrsub.vi vrsub.vx
syn keyword samiteMnemonic vsb.v vsb12.v vsbc.vvm vsbc.vxm vse16.v vse32.v vse8.v vsetivli vsetvl vsetvli vsext.vf2 vsext.vf4
syn keyword samiteMnemonic vsh.v vsh12.v vsll.vi vsll.vv vsll.vx vsoxei16.v vsoxei32.v vsoxei8.v vsra.vi vsra.vv vsra.vx
syn keyword samiteMnemonic vsrl.vi vsrl.vv vsrl.vx vsse16.v vsse32.v vsse8.v vsub.vv vsub.vx vsub12.vi vsuxei16.v vsuxei32.v
syn keyword samiteMnemonic vsuxei8.v vsw.v vsw12.v vxor.vi vxor.vv vxor.vx vzext.vf2 vzext.vf4 wfi xor xori zext.b zext.h
syn keyword samiteMnemonic zext.w
syn keyword samiteCsr cycle cycleh fcsr fflags frm gdx gdy gdz gidx gidy gidz instret instreth knl lds marchid mcause
syn keyword samiteCsr mconfigptr mcountinhibit mcycle mcycleh mepc mhartid mhpmcounter10 mhpmcounter10h mhpmcounter11
syn keyword samiteCsr mhpmcounter11h mhpmcounter12 mhpmcounter12h mhpmcounter13 mhpmcounter13h mhpmcounter14
syn keyword samiteCsr mhpmcounter14h mhpmcounter15 mhpmcounter15h mhpmcounter16 mhpmcounter16h mhpmcounter17
syn keyword samiteCsr mhpmcounter17h mhpmcounter18 mhpmcounter18h mhpmcounter19 mhpmcounter19h mhpmcounter20
syn keyword samiteCsr mhpmcounter20h mhpmcounter21 mhpmcounter21h mhpmcounter22 mhpmcounter22h mhpmcounter23
syn keyword samiteCsr mhpmcounter23h mhpmcounter24 mhpmcounter24h mhpmcounter25 mhpmcounter25h mhpmcounter26
syn keyword samiteCsr mhpmcounter26h mhpmcounter27 mhpmcounter27h mhpmcounter28 mhpmcounter28h mhpmcounter29
syn keyword samiteCsr mhpmcounter29h mhpmcounter3 mhpmcounter30 mhpmcounter30h mhpmcounter31 mhpmcounter31h mhpmcounter3h
syn keyword samiteCsr mhpmcounter4 mhpmcounter4h mhpmcounter5 mhpmcounter5h mhpmcounter6 mhpmcounter6h mhpmcounter7
syn keyword samiteCsr mhpmcounter7h mhpmcounter8 mhpmcounter8h mhpmcounter9 mhpmcounter9h mhpmevent10 mhpmevent11
syn keyword samiteCsr mhpmevent12 mhpmevent13 mhpmevent14 mhpmevent15 mhpmevent16 mhpmevent17 mhpmevent18 mhpmevent19
syn keyword samiteCsr mhpmevent20 mhpmevent21 mhpmevent22 mhpmevent23 mhpmevent24 mhpmevent25 mhpmevent26 mhpmevent27
syn keyword samiteCsr mhpmevent28 mhpmevent29 mhpmevent3 mhpmevent30 mhpmevent31 mhpmevent4 mhpmevent5 mhpmevent6
syn keyword samiteCsr mhpmevent7 mhpmevent8 mhpmevent9 mie mimpid minstret minstreth mip misa mscratch mstatus mstatush
syn keyword samiteCsr mtval mtvec mvendorid numt numw pds print rpc tdata1 tdata2 tdata3 tid time timeh tload_stride0
syn keyword samiteCsr tload_stride1 tload_stride10 tload_stride11 tload_stride12 tload_stride13 tload_stride14
syn keyword samiteCsr tload_stride15 tload_stride16 tload_stride17 tload_stride18 tload_stride19 tload_stride2
syn keyword samiteCsr tload_stride20 tload_stride21 tload_stride22 tload_stride23 tload_stride24 tload_stride25
syn keyword samiteCsr tload_stride26 tload_stride27 tload_stride28 tload_stride29 tload_stride3 tload_stride30
syn keyword samiteCsr tload_stride31 tload_stride4 tload_stride5 tload_stride6 tload_stride7 tload_stride8 tload_stride9
syn keyword samiteCsr tload_width tmask_concat_1 tmask_concat_2 tmask_load tmask_store tselect tshape tstore_stride0
syn keyword samiteCsr tstore_stride1 tstore_stride10 tstore_stride11 tstore_stride12 tstore_stride13 tstore_stride14
syn keyword samiteCsr tstore_stride15 tstore_stride16 tstore_stride17 tstore_stride18 tstore_stride19 tstore_stride2
syn keyword samiteCsr tstore_stride20 tstore_stride21 tstore_stride22 tstore_stride23 tstore_stride24 tstore_stride25
syn keyword samiteCsr tstore_stride26 tstore_stride27 tstore_stride28 tstore_stride29 tstore_stride3 tstore_stride30
syn keyword samiteCsr tstore_stride31 tstore_stride4 tstore_stride5 tstore_stride6 tstore_stride7 tstore_stride8
syn keyword samiteCsr tstore_stride9 tstore_width ttype vl vlenb vstart vtype wgid wid xmcsr xmisa xmlenb xmregsize
syn keyword samiteCsr xmrstart xmsize xmxrm xmxsat
syn keyword samiteDirective .2byte .4byte .8byte .address .align .ascii .asciz .balign .bss .byte .comm .data .double .dword
syn keyword samiteDirective .else .elseif .endif .endm .endr .equ .equiv .error .exitm .file .fill .float .global .globl .half
syn keyword samiteDirective .hword .if .ifb .ifdef .ifeq .ifge .ifgt .ifle .iflt .ifnb .ifndef .ifne .ifnotdef .include .int
syn keyword samiteDirective .irp .irpc .lcomm .loc .long .macro .option .p2align .popsection .previous .pushsection .quad .rept
syn keyword samiteDirective .rodata .section .set .short .single .size .skip .space .string .text .type .warning .weak .word
syn keyword samiteDirective .zero
syn match samiteLabel /^\s*[A-Za-z0-9_.$]\+\ze\s*:/
syn keyword samiteRegister a0 a1 a2 a3 a4 a5 a6 a7 fp gp m0 m1 m2 m3 m4 m5 m6 m7 ra s0 s1 s10 s11 s2 s3 s4 s5 s6 s7 s8 s9 sp t0
syn keyword samiteRegister t1 t2 t3 t4 t5 t6 tl0 tl1 tl10 tl11 tl12 tl13 tl14 tl15 tl16 tl17 tl18 tl19 tl2 tl20 tl21 tl22 tl23
syn keyword samiteRegister tl24 tl25 tl26 tl27 tl28 tl29 tl3 tl30 tl31 tl4 tl5 tl6 tl7 tl8 tl9 tp v0 v1 v10 v100 v101 v102 v103
syn keyword samiteRegister v104 v105 v106 v107 v108 v109 v11 v110 v111 v112 v113 v114 v115 v116 v117 v118 v119 v12 v120 v121
syn keyword samiteRegister v122 v123 v124 v125 v126 v127 v128 v129 v13 v130 v131 v132 v133 v134 v135 v136 v137 v138 v139 v14
syn keyword samiteRegister v140 v141 v142 v143 v144 v145 v146 v147 v148 v149 v15 v150 v151 v152 v153 v154 v155 v156 v157 v158
syn keyword samiteRegister v159 v16 v160 v161 v162 v163 v164 v165 v166 v167 v168 v169 v17 v170 v171 v172 v173 v174 v175 v176
syn keyword samiteRegister v177 v178 v179 v18 v180 v181 v182 v183 v184 v185 v186 v187 v188 v189 v19 v190 v191 v192 v193 v194
syn keyword samiteRegister v195 v196 v197 v198 v199 v2 v20 v200 v201 v202 v203 v204 v205 v206 v207 v208 v209 v21 v210 v211 v212
syn keyword samiteRegister v213 v214 v215 v216 v217 v218 v219 v22 v220 v221 v222 v223 v224 v225 v226 v227 v228 v229 v23 v230
syn keyword samiteRegister v231 v232 v233 v234 v235 v236 v237 v238 v239 v24 v240 v241 v242 v243 v244 v245 v246 v247 v248 v249
syn keyword samiteRegister v25 v250 v251 v252 v253 v254 v255 v26 v27 v28 v29 v3 v30 v31 v32 v33 v34 v35 v36 v37 v38 v39 v4 v40
syn keyword samiteRegister v41 v42 v43 v44 v45 v46 v47 v48 v49 v5 v50 v51 v52 v53 v54 v55 v56 v57 v58 v59 v6 v60 v61 v62 v63
syn keyword samiteRegister v64 v65 v66 v67 v68 v69 v7 v70 v71 v72 v73 v74 v75 v76 v77 v78 v79 v8 v80 v81 v82 v83 v84 v85 v86
syn keyword samiteRegister v87 v88 v89 v9 v90 v91 v92 v93 v94 v95 v96 v97 v98 v99 x0 x1 x10 x11 x12 x13 x14 x15 x16 x17 x18 x19
syn keyword samiteRegister x2 x20 x21 x22 x23 x24 x25 x26 x27 x28 x29 x3 x30 x31 x32 x33 x34 x35 x36 x37 x38 x39 x4 x40 x41 x42
syn keyword samiteRegister x43 x44 x45 x46 x47 x48 x49 x5 x50 x51 x52 x53 x54 x55 x56 x57 x58 x59 x6 x60 x61 x62 x63 x7 x8 x9
syn keyword samiteRegister zero
syn match samiteNumber /\<\%(0[xX]\x\+\|0[bB][01]\+\|\d\+[fb]\?\|\d\+\.\d\+\)\>/
syn match samiteFunction /%\%(pcrel_\)\?\%(hi\|lo\)\>/
syn region samiteString start=/"/ skip=/\\./ end=/"/ oneline
syn match samiteComment /\%(\/\/\|#\).*$/
syn region samiteComment start=/\/\*/ end=/\*\//
hi def link samiteMnemonic Statement
hi def link samiteCsr Constant
hi def link samiteDirective PreProc
hi def link samiteLabel Function
hi def link samiteRegister Identifier
hi def link samiteNumber Number
hi def link samiteFunction Special
hi def link samiteString String
hi def link samiteComment Comment
let b:current_syntax = "samiteasm"
