// SPDX-License-Identifier: Apache-2.0
// A toy core to be checked: one warp, the integer instructions of RV32I on words, one instruction a
// cycle, and endprg. It stands where your own hardware would stand. With `bug`, sltu compares its
// operands as signed numbers.
module core #(
    parameter int CODE_WORDS = 256,
    parameter int DATA_WORDS = 256,
    parameter string CODE = "program.hex"
) (
    input  logic        clock,
    input  logic        reset,
    input  logic        bug,
    output logic        committed,  // in this cycle, what follows describes an instruction
    output logic [31:0] pc,
    output logic [31:0] word,
    output logic        writes,
    output logic [4:0]  index,
    output logic [31:0] value,
    output logic        ended
);
    localparam logic [31:0] CODE_BASE = 32'h8000_0000;
    localparam logic [31:0] ENDPRG = 32'h0000_400b;

    logic [31:0] code[CODE_WORDS];
    logic [31:0] data[DATA_WORDS];
    logic [31:0] x[32];
    logic [31:0] next, here, result, a, b;
    /* verilator lint_off UNUSEDSIGNAL */
    logic [31:0] address;  // only the bits that the memory has
    /* verilator lint_on UNUSEDSIGNAL */
    logic [31:0] imm_i, imm_s, imm_b, imm_u, imm_j;
    logic        write, taken, less, less_u;

    initial $readmemh(CODE, code);

    assign here = code[(next - CODE_BASE) >> 2];
    assign imm_i = {{20{here[31]}}, here[31:20]};
    assign imm_s = {{20{here[31]}}, here[31:25], here[11:7]};
    assign imm_b = {{20{here[31]}}, here[7], here[30:25], here[11:8], 1'b0};
    assign imm_u = {here[31:12], 12'b0};
    assign imm_j = {{12{here[31]}}, here[19:12], here[20], here[30:21], 1'b0};
    assign a = x[here[19:15]];
    assign b = here[6:2] == 5'b00100 ? imm_i : x[here[24:20]];
    assign less = $signed(a) < $signed(b);
    assign less_u = bug ? less : a < b;
    assign address = a + (here[5] ? imm_s : imm_i);

    always_comb begin
        taken = 0;
        unique case (here[14:12])
            3'b000: taken = a == b;
            3'b001: taken = a != b;
            3'b100: taken = less;
            3'b101: taken = !less;
            3'b110: taken = a < b;
            3'b111: taken = a >= b;
            default: ;
        endcase
    end

    always_comb begin
        write = 1;
        result = 0;
        unique case (here[6:2])
            5'b01101: result = imm_u;
            5'b00101: result = next + imm_u;
            5'b11011, 5'b11001: result = next + 4;
            5'b00000: result = data[address[2 +: $clog2(DATA_WORDS)]];
            5'b00100, 5'b01100:
                unique case (here[14:12])
                    3'b000: result = here[5] && here[30] ? a - b : a + b;
                    3'b001: result = a << b[4:0];
                    3'b010: result = {31'b0, less};
                    3'b011: result = {31'b0, less_u};
                    3'b100: result = a ^ b;
                    3'b101: result = here[30] ? $signed(a) >>> b[4:0] : a >> b[4:0];
                    3'b110: result = a | b;
                    3'b111: result = a & b;
                endcase
            default: write = 0;
        endcase
    end

    always_ff @(posedge clock) begin
        committed <= 0;
        if (reset) begin
            next <= CODE_BASE;
            ended <= 0;
            for (int i = 0; i < 32; i++) x[i] <= 0;
        end else if (!ended) begin
            committed <= 1;
            pc <= next;
            word <= here;
            writes <= write;
            index <= here[11:7];
            value <= result;
            next <= next + 4;
            if (write && here[11:7] != 0) x[here[11:7]] <= result;
            unique case (here[6:2])
                5'b11011: next <= next + imm_j;
                5'b11001: next <= (a + imm_i) & ~32'd1;
                5'b11000: if (taken) next <= next + imm_b;
                5'b01000: data[address[2 +: $clog2(DATA_WORDS)]] <= x[here[24:20]];
                default: ;
            endcase
            if (here == ENDPRG) ended <= 1;
        end
    end
endmodule
