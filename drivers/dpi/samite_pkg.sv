// SPDX-License-Identifier: Apache-2.0
// Samite beside a hardware model of Ventus: import this package and link libsamite_dpi.
//
// A vector register is one packed value: lane i at [32*i +: 32]. What can fail says why on standard
// error and returns 0; docs/cosim.md shows a testbench.
package samite_pkg;
    typedef bit [1023:0] samite_vector_t;

    // A machine without memory; null when there is none to be had.
    import "DPI-C" function chandle samite_dpi_open();
    import "DPI-C" function void samite_dpi_close(input chandle h);

    // An ELF file into memory.
    import "DPI-C" function int samite_dpi_program(input chandle h, input string path);
    // A buffer, and 32-bit words into buffers.
    import "DPI-C" function int samite_dpi_map(input chandle h, input int unsigned address,
                                               input int unsigned bytes);
    import "DPI-C" function int samite_dpi_poke(input chandle h, input int unsigned address,
                                                input int unsigned value);
    // A word of memory as it is now: to compare at the end.
    import "DPI-C" function int samite_dpi_peek(input chandle h, input int unsigned address,
                                                output int unsigned value);

    // Begin a launch: every warp at `start`, CSR_KNL as given (0: no metadata).
    import "DPI-C" function int samite_dpi_start(input chandle h, input int unsigned start,
        input int unsigned knl, input int unsigned grid_x, input int unsigned grid_y,
        input int unsigned grid_z, input int unsigned lanes, input int unsigned warps,
        input int unsigned pds_bytes, input int unsigned pds_base);

    // A commit of the hardware: 1 when Samite does the same, 0 from the first difference on, which
    // is told once. `word` 0 is not compared.
    import "DPI-C" function int samite_dpi_commit(input chandle h, input int unsigned workgroup,
        input int unsigned warp, input int unsigned pc, input int unsigned word);
    import "DPI-C" function int samite_dpi_commit_x(input chandle h, input int unsigned workgroup,
        input int unsigned warp, input int unsigned pc, input int unsigned word,
        input int unsigned index, input int unsigned value);
    import "DPI-C" function int samite_dpi_commit_v(input chandle h, input int unsigned workgroup,
        input int unsigned warp, input int unsigned pc, input int unsigned word,
        input int unsigned index, input int unsigned lanes, input samite_vector_t values);

    // The pc at which Samite's warp goes on; all ones when it has ended.
    import "DPI-C" function int unsigned samite_dpi_next_pc(input chandle h,
        input int unsigned workgroup, input int unsigned warp);
    // The hardware has ended: 1 when Samite has as well and nothing differed.
    import "DPI-C" function int samite_dpi_finish(input chandle h);
endpackage
