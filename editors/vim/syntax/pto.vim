" SPDX-License-Identifier: Apache-2.0
" Made by tools/editor-grammars.py.
if exists("b:current_syntax")
  finish
endif
syn case match
syn iskeyword @,48-57,_,.
syn keyword ptoOperation alloc_tile barrier gmov make_tensor_view mgather mgather_cas mgather_mask mscatter mscatter_mask
syn keyword ptoOperation partition_view prefetch pto.alloc_tile pto.barrier pto.gmov pto.make_tensor_view pto.mgather
syn keyword ptoOperation pto.mgather_cas pto.mgather_mask pto.mscatter pto.mscatter_mask pto.partition_view pto.prefetch
syn keyword ptoOperation pto.record_event pto.set_validshape pto.subset pto.tabs pto.tadd pto.tadds pto.tand pto.tands
syn keyword ptoOperation pto.tassign pto.taxpy pto.tci pto.tcmp pto.tcmps pto.tcolargmax pto.tcolargmin pto.tcolexpand
syn keyword ptoOperation pto.tcolexpandadd pto.tcolexpanddiv pto.tcolexpandexpdif pto.tcolexpandmax pto.tcolexpandmin
syn keyword ptoOperation pto.tcolexpandmul pto.tcolexpandsub pto.tcolmax pto.tcolmin pto.tcolprod pto.tcolsum pto.tconcat
syn keyword ptoOperation pto.tcvt pto.tdequant pto.tdiv pto.tdivs pto.texp pto.texpands pto.textract pto.tfillpad pto.tfma
syn keyword ptoOperation pto.tgather pto.tgemv pto.tgemv_acc pto.tgemv_bias pto.tgemv_mx pto.tgemv_mx_acc pto.tgemv_mx_bias
syn keyword ptoOperation pto.thistogram pto.timg2col pto.tinsert pto.tload pto.tlog pto.tlrelu pto.tmatmul pto.tmatmul_acc
syn keyword ptoOperation pto.tmatmul_bias pto.tmatmul_mx pto.tmatmul_mx_acc pto.tmatmul_mx_bias pto.tmax pto.tmaxs pto.tmin
syn keyword ptoOperation pto.tmins pto.tmov pto.tmrgsort pto.tmul pto.tmuls pto.tneg pto.tnot pto.tor pto.tors pto.tpartadd
syn keyword ptoOperation pto.tpartmax pto.tpartmin pto.tpartmul pto.tprelu pto.tquant pto.trecip pto.trelu pto.trem pto.trems
syn keyword ptoOperation pto.treshape pto.trowargmax pto.trowargmin pto.trowexpand pto.trowexpandadd pto.trowexpanddiv
syn keyword ptoOperation pto.trowexpandexpdif pto.trowexpandmax pto.trowexpandmin pto.trowexpandmul pto.trowexpandsub
syn keyword ptoOperation pto.trowmax pto.trowmin pto.trowprod pto.trowsum pto.trsqrt pto.tscatter pto.tsel pto.tsels pto.tshl
syn keyword ptoOperation pto.tshls pto.tshr pto.tshrs pto.tsort pto.tsqrt pto.tstore pto.tsub pto.tsubs pto.tsubview
syn keyword ptoOperation pto.tsync pto.ttrans pto.ttri pto.txor pto.txors pto.wait_event record_event set_validshape subset
syn keyword ptoOperation tabs tadd tadds tand tands tassign taxpy tci tcmp tcmps tcolargmax tcolargmin tcolexpand
syn keyword ptoOperation tcolexpandadd tcolexpanddiv tcolexpandexpdif tcolexpandmax tcolexpandmin tcolexpandmul tcolexpandsub
syn keyword ptoOperation tcolmax tcolmin tcolprod tcolsum tconcat tcvt tdequant tdiv tdivs texp texpands textract tfillpad
syn keyword ptoOperation tfma tgather tgemv tgemv_acc tgemv_bias tgemv_mx tgemv_mx_acc tgemv_mx_bias thistogram timg2col
syn keyword ptoOperation tinsert tload tlog tlrelu tmatmul tmatmul_acc tmatmul_bias tmatmul_mx tmatmul_mx_acc tmatmul_mx_bias
syn keyword ptoOperation tmax tmaxs tmin tmins tmov tmrgsort tmul tmuls tneg tnot tor tors tpartadd tpartmax tpartmin
syn keyword ptoOperation tpartmul tprelu tquant trecip trelu trem trems treshape trowargmax trowargmin trowexpand
syn keyword ptoOperation trowexpandadd trowexpanddiv trowexpandexpdif trowexpandmax trowexpandmin trowexpandmul trowexpandsub
syn keyword ptoOperation trowmax trowmin trowprod trowsum trsqrt tscatter tsel tsels tshl tshls tshr tshrs tsort tsqrt tstore
syn keyword ptoOperation tsub tsubs tsubview tsync ttrans ttri txor txors wait_event
syn keyword ptoControl arith.addi arith.cmpi arith.constant arith.divsi arith.index_cast arith.muli arith.remsi
syn keyword ptoControl arith.select arith.subi func.func module return scf.for scf.if scf.yield
syn keyword ptoKey addr blayout cmp cols dtype else fractal ins iter_args loc offsets outs pad round rows shape sizes
syn keyword ptoKey slayout step strides to v_col v_row valid valid_col valid_row
syn keyword ptoConstant acc ceil col_major eq floor ge gt le left lt mat matrix ne none_box right rint row_major trunc vec
syn keyword ptoConstant vector
syn match ptoType /!pto\.[a-z_]\+\|\<\%([0-9?]\+x\)*\%(f32\|f16\|bf16\|i8\|ui8\|i16\|ui16\|i32\|ui32\|i64\|ui64\|f64\|tf32\|hf32\|hif8\|e5m2\|e4m3\|e3m2\|e2m3\|e8m0\|e2m1\|e1m2\|i1\|index\)\>/
syn match ptoName /%[A-Za-z0-9_$.]\+/
syn match ptoFunction /@[A-Za-z0-9_$.]\+/
syn match ptoNumber /\<\%(0[xX]\x\+\|\d\+\%(\.\d\+\)\?\)\>/
syn match ptoComment /\/\/.*$/
syn match ptoComment /\%(^\|\s\)#\%(\s.*\)\?$/
hi def link ptoOperation Statement
hi def link ptoControl Keyword
hi def link ptoKey Label
hi def link ptoConstant Constant
hi def link ptoType Type
hi def link ptoName Identifier
hi def link ptoFunction Function
hi def link ptoNumber Number
hi def link ptoComment Comment
let b:current_syntax = "pto"
