// SPDX-License-Identifier: Apache-2.0
// Runs the toy core and Samite in lockstep: every commit of the core is compared. Reads sort.hex, and
// sort.elf or +program=FILE; +bug breaks the core.
module testbench;
    import samite_pkg::*;

    logic clock = 0, reset = 1, bug = 0;
    logic committed, writes, ended;
    logic [31:0] pc, word, value;
    logic [4:0] index;
    chandle samite;
    string program_path;
    int commits = 0;

    core #(.CODE("sort.hex")) dut (.*);

    initial forever #5 clock = !clock;

    // Everything that can go wrong has been told on standard error.
    function automatic void require(input int ok);
        if (ok == 0) $fatal(1, "stopped after %0d commits", commits);
    endfunction

    initial begin
        if (!$value$plusargs("program=%s", program_path)) program_path = "sort.elf";
        samite = samite_dpi_open();
        require(samite_dpi_program(samite, program_path));
        require(samite_dpi_map(samite, 32'h9000_0000, 1024));
        require(samite_dpi_start(samite, 32'h8000_0000, 0, 1, 1, 1, 4, 1, 0, 0));
        if ($test$plusargs("bug") != 0) bug = 1;
        repeat (2) @(negedge clock);
        reset = 0;
    end

    always @(negedge clock) begin
        if (committed) begin
            if (writes) require(samite_dpi_commit_x(samite, 0, 0, pc, word, {27'b0, index}, value));
            else require(samite_dpi_commit(samite, 0, 0, pc, word));
            commits <= commits + 1;
            if (ended) begin
                require(samite_dpi_finish(samite));
                $display("%0d commits agree", commits + 1);
                samite_dpi_close(samite);
                $finish;
            end
        end
    end
endmodule
