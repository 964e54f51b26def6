/** @file Calls that PyTorch refuses for their dtypes, sizes and numbers, on every backend. */
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { type DType, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const session = createSconce({
  backends: [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")],
});
const BACKENDS = ["cpu", "wasm", "gpujs:cpu"];
const TYPES: Readonly<Record<string, DType>> = {
  ...({ f64: "float64", f32: "float32", f16: "float16", bf16: "bfloat16", c64: "complex64" } as const),
  ...({ i64: "int64", i32: "int32", i16: "int16", u8: "uint8", b8: "bool" } as const),
};

/** A tensor by its type, of ones or with elements: `i64[2] 0 -1`. */
function tensorOf(text: string): Tensor {
  const [type, ...values] = text.split(" ");
  const [, dtype, sizes] = /^(\w+)\[(.*)\]$/.exec(type!)!;
  const shape = sizes!.split(",").filter(Boolean).map(Number);
  const count = shape.reduce((a, b) => a * b, 1);
  const given = values.length > 0 ? values.map(Number) : new Array<number>(count).fill(1);
  return Tensor.from(given, shape, TYPES[dtype!]!);
}

interface Call {
  /** Statements that give `%r`, or a call that does. */
  readonly call: string;
  /** Inputs `%x`, `%y`, `%z`, `%w`. */
  readonly inputs: readonly string[];
  /** Their types in the program, where these have symbols. */
  readonly types?: readonly string[];
}

/** What a backend gives for a program: values, or the message of an error. */
async function outcome(backend: string, { call, inputs, types }: Call): Promise<string> {
  const names = ["%x", "%y", "%z", "%w"].slice(0, inputs.length);
  const typed = names.map((name, i) => `${name}: ${types?.[i] ?? inputs[i]!.split(" ")[0]}`);
  const body = call.includes("%r =") ? call : `%r = aten.${call}`;
  try {
    const program = session.transform(
      session.parseIr(`sconce-ir 1
program "TRAINING" {
  ${names.map((name) => `input ${name}: USER_INPUT`).join("\n  ")}
  output %r: USER_OUTPUT
}
graph(${typed.join(", ")}) {
  ${body.split("; ").join("\n  ")}
  return (%r)
}`),
      "propagate-shapes",
    );
    using executable = await session.compile(program, backend);
    const [result] = await executable.run(inputs.map(tensorOf));
    return String(result);
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message}`;
  }
}

const SYMBOLIC = (factor: string, rest: string): string =>
  `%n = aten.sym_size.int(%x, 0); %m = operator.mul(%n, ${factor}); ${rest}`;

type Case = readonly [call: string, inputs: readonly string[], message: RegExp, types?: readonly string[]];

function refuse(name: string, cases: readonly Case[]): void {
  describe.each(cases.map((one) => [one[0], one] as const))(`${name}: %s`, (_, one) => {
    const [call, inputs, message, types] = one;
    test.each(BACKENDS)("%s", async (backend) => {
      expect(await outcome(backend, { call, inputs, ...(types && { types }) })).toMatch(message);
    });
  });
}

refuse("dtypes of other names", [
  ["__or__.Tensor(%x, %x)", ["f32[3]"], /"bitwise_or_cpu" not implemented for 'Float'/],
  ["__ixor__.Scalar(%x, 1)", ["f64[3]"], /"bitwise_xor_cpu" not implemented for 'Double'/],
  ["bitwise_right_shift_.Tensor_Scalar(%x, 1)", ["f32[3]"], /"rshift_cpu" not implemented for 'Float'/],
  ["arctan_.default(%x)", ["i16[3]"], /can't be cast to the desired output type int16/],
  ["float_power_.Scalar(%x, 2)", ["f16[3]"], /the base given to float_power_ has dtype Half/],
]);

refuse("dtypes of outputs", [
  ["ceil.out(%x, out=%y)", ["f32[3]", "f16[3]"], /Found dtype Half but expected Float/],
  ["isinf.out(%x, out=%y)", ["f32[3]", "f64[3]"], /Expected out tensor to have dtype bool/],
  ["sum.out(%x, out=%y)", ["f32[3]", "i16[]"], /Expected out tensor to have dtype float/],
  ["mean.dtype_out(%x, out=%y)", ["i32[3]", "f32[]"], /mean\(\): could not infer output dtype/],
  ["where.self_out(%x, %x, %x, out=%y)", ["b8[3]", "i32[3]"], /Expected out type to be Bool but got Int/],
  ["special_expit.out(%x, out=%y)", ["f32[3]", "i64[3]"], /result type Float can't be cast/],
]);

refuse("integers beyond 64 bits", [
  [
    SYMBOLIC("4611686018427387904", "%r = aten.slice.Tensor(%x, 0, 0, %m)"),
    ["f32[3]"],
    /"end" must be SymInt/,
    ["f32[s0]"],
  ],
  [
    SYMBOLIC("4611686018427387904", "%r = aten.tril.default(%x, %m)"),
    ["f32[3,3]"],
    /"diagonal" must be SymInt/,
    ["f32[s0,s1]"],
  ],
  [
    SYMBOLIC("2305843009213693952", "%r = aten.embedding.default(%x, %y, %m)"),
    ["f32[4,2]", "i64[2]"],
    /"padding_idx" must be SymInt/,
    ["f32[s0,2]", "i64[2]"],
  ],
  [
    SYMBOLIC("18446744073709551616", "%r = aten.add.Scalar(%x, %m)"),
    ["i64[3]"],
    /int too big to convert/,
    ["i64[s0]"],
  ],
  [
    SYMBOLIC("-18446744073709551616", "%r = aten.mul.Tensor(%x, %m)"),
    ["f32[3]"],
    /can't convert negative int to unsigned/,
    ["f32[s0]"],
  ],
]);

const FIRST = (call: string, at = 0): string => `%c = aten.${call}; %r = operator.getitem(%c, ${at})`;

refuse("settings and sizes", [
  ["index_select.default(%x, 0, %y)", ["f32[]", "i64[0]"], /can have only 1 value, got 0 value/],
  [
    "index_select.default(%x, 0, %y)",
    ["f32[]", "i64[3] 0 0 0"],
    /can have only 1 value, got 3 value/,
    ["f32[]", "i64[s0]"],
  ],
  [
    "index_add.default(%x, 0, %y, %z)",
    ["f32[]", "i64[0]", "f32[0]"],
    /Got self.shape = \[\] source.shape = \[0\]/,
  ],
  ["index_fill.int_Scalar(%x, 0, %y, 1)", ["f32[3]", "i32[1] 0"], /Expected dtype int64 for index/],
  ["movedim.int(%x, 5, 5)", ["f32[]"], /Dimension out of range/],
  ["linalg_vander.default(%x, N=1)", ["f32[3]"], /N must be greater than 1/],
  ["special_polygamma.default(-1, %x)", ["f32[3]"], /does not support negative n/],
  ["special_multigammaln.default(%x, 0)", ["f32[3]"], /p has to be greater than or equal to 1/],
  ["chain_matmul.default([%x])", ["f32[2,2,2]"], /Tensor dimension is 3, expected 2 instead/],
  ["adaptive_avg_pool1d.default(%x, [2, 2])", ["f32[2,3]"], /should contain one int \(got 2\)/],
  [
    "conv_transpose1d.default(%x, %y, None, [1], [0], [1])",
    ["f32[1,2,4]", "f32[2,2,2]"],
    /output padding must be smaller than either stride or dilation/,
  ],
  [
    "fake_quantize_per_tensor_affine.default(%x, 0.1, 300, 0, 255)",
    ["f32[3]"],
    /must be between `quant_min`/,
  ],
  [
    "fake_quantize_per_tensor_affine.tensor_qparams(%x, %y, %z, 0, 255)",
    ["f32[3]", "f32[2]", "i32[2]"],
    /a Tensor with 2 elements cannot be converted to Scalar/,
  ],
  ["leaky_relu_backward.default(%x, %x, -0.5, True)", ["f32[3]"], /triggered with a negative slope/],
  [
    "rnn_tanh_cell.default(%x, %y, %z, %z)",
    ["f32[1,2]", "f32[2]", "f32[2,2]"],
    /doesn't match hidden0 batch size 2/,
  ],
  ["_trilinear.default(%x, %x, %x, [], [], [], [0], 2)", ["f32[3,3]"], /unroll_dim must be in \[0,1\]/],
  ["max_unpool2d.default(%x, %y, [4, 4])", ["f32[1,0,2,2]", "i64[1,0,2,2]"], /dimension 1 being empty/],
  [FIRST("unique_dim.default(%x, 0)"), ["f32[0,0]"], /Number of zero sized dimensions is more than one/],
  ["as_strided_scatter.default(%x, %y, [2, 2], [0, 1])", ["f32[4]", "f32[2,2]"], /single memory location/],
  [
    "avg_pool3d.default(%x, [3, 3, 3], [2, 2, 2], [0, 0, 0], True)",
    ["f32[1,1,2,4,4]"],
    /smaller than kernel size/,
    ["f32[1,1,s0,s1,s2]"],
  ],
  ["fft_rfft.default(%x)", ["f32[2,0]"], /Invalid number of data points \(0\)/, ["f32[2,s0]"]],
  ["fft_rfftn.default(%x)", ["f32[2,0]"], /Invalid number of data points \(0\)/, ["f32[2,s0]"]],
  [
    SYMBOLIC("-1", "%r = aten.pow.Tensor_Scalar(%x, %m)"),
    ["i64[3]"],
    /Integers to negative integer powers are not allowed/,
    ["i64[s0]"],
  ],
  [FIRST("nll_loss_forward.default(%x, %y, None, 1, -100)", 1), ["f32[3,1]", "i64[3] 0 5 0"], /5 is out of/],
  ["index_put.default(%x, [None, %y], %z)", ["b8[4,4]", "i64[3] 0 1 2", "b8[1,1,1]"], /cannot be broadcast/],
  [
    "index_put_.default(%x, [%y], %z)",
    ["f32[1,1]", "i64[] 0", "f32[1,1]"],
    /cannot be broadcast to indexing result/,
  ],
  [
    "%p = aten.permute.default(%y, [0, 3, 1, 2]); %r = aten.nll_loss2d_backward.default(%x, %p, %z, None, 1, -100, %w)",
    ["f32[]", "f32[1,2,2,3]", "i64[1,2,2] 0 0 0 0", "f32[] 4"],
    /grad_input must be contiguous/,
  ],
  ["empty_strided.default([2, 2], [8589934592, 1])", ["f32[1]"], /^OUT_OF_MEMORY/],
]);

test.each(BACKENDS)("%s takes inputs whose elements share places", async (backend) => {
  const call =
    "%p = aten.expand.default(%y, [2, 2, 1, 1]); %r = aten.nll_loss2d_backward.default(%x, %p, %z, None, 1, -100, %w)";
  const inputs = ["f32[]", "f32[1,2,1,1]", "i64[2,1,1] 0 1", "f32[] 2"];
  expect(await outcome(backend, { call, inputs })).toContain("-0.5");
});

test.each(BACKENDS)("%s takes integers of 64 bits without sign", async (backend) => {
  const call = SYMBOLIC("4611686018427387904", "%r = aten.add.Scalar(%x, %m)");
  const given = await outcome(backend, { call, inputs: ["i64[3] 1 2 3"], types: ["i64[s0]"] });
  expect(given).toContain("-4611686018427387903, -4611686018427387902");
});
