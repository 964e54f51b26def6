/**
 * @file What PyTorch refuses for its values or options is refused on every backend: lowering must
 * not lose the check.
 */
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { type DType, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { sampled } from "../../../.config/sampled.js";

const session = createSconce({
  backends: [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")],
});
const TYPES: Readonly<Record<string, DType>> = {
  ...({ i32: "int32", f64: "float64", f32: "float32", f16: "float16", i64: "int64", i8: "int8" } as const),
  ...({ u8: "uint8", b8: "bool" } as const),
};

/** A tensor by its type and elements: `i64[2] 0 -1`. */
function tensorOf(text: string): Tensor {
  const [type, ...values] = text.split(" ");
  const [, dtype, sizes] = /^(\w+)\[(.*)\]$/.exec(type!)!;
  const shape = sizes!.split(",").filter(Boolean).map(Number);
  return Tensor.from(values.map(Number), shape, TYPES[dtype!]!);
}

/** Runs a call of `%x`, `%y` and `%z`. */
async function run(backend: string, call: string, type: string, args: readonly string[]): Promise<string> {
  const names = ["%x", "%y", "%z"].slice(0, args.length);
  const isList = type.startsWith("(");
  const first = /[a-z]\w*\[[^\]]*\]/.exec(type)![0];
  const program = session.parseIr(`sconce-ir 1
program "TRAINING" {
  ${names.map((name) => `input ${name}: USER_INPUT`).join(" ")}
  output %r: USER_OUTPUT
}
graph(${names.map((name, i) => `${name}: ${args[i]!.split(" ")[0]}`).join(", ")}) {
  %c: ${type} = aten.${call}
  %r: ${first} = ${isList ? "operator.getitem(%c, 0)" : "aten.alias.default(%c)"}
  return (%r)
}`);
  using executable = await session.compile(program, backend);
  const [result] = await executable.run(args.map(tensorOf));
  return String(result);
}

const THREE = "f32[3] 1 2 3";
const ROWS = "f32[3,2] 1 2 3 4 5 6";
/** Call, type of its result, inputs; a part of PyTorch's message. */
const REFUSED: readonly (readonly [call: string, type: string, args: readonly string[], message: string])[] =
  [
    ["repeat_interleave.Tensor(%x)", "i64[u0]", ["i64[3] -1 3 1"], "repeats can not be negative"],
    [
      "repeat_interleave.self_Tensor(%x, %y)",
      "f32[u0]",
      ["f32[3] 1 2 3", "i64[3] -1 1 1"],
      "repeats can not be negative",
    ],
    ["constant_pad_nd.default(%x, [-4, 4])", "f32[3]", [THREE], "narrow(): length must be non-negative."],
    ["constant_pad_nd.default(%x, [2, -4])", "f32[1]", [THREE], "narrow(): length must be non-negative."],
    ["pad.default(%x, [-1, 1, 4, -4])", "f32[3,2]", [ROWS], "narrow(): length must be non-negative."],
    ["constant_pad_nd.default(%x, [2, -1])", "f32[1]", ["f32[0]"], "narrow(): length must be non-negative."],
    ["histc.default(%x, 4)", "f32[4]", ["f32[3] 1 NaN 2"], "is not finite"],
    ["histc.default(%x, 4)", "f32[4]", ["f32[2] Infinity 1"], "range of [1, inf] is not finite"],
    [
      "index_add.default(%x, 0, %y, %z)",
      "f32[3]",
      [THREE, "i64[1] -1", "f32[1] 5"],
      "index out of range in self",
    ],
    [
      "index_add_.default(%x, 0, %y, %z)",
      "f32[3]",
      [THREE, "i64[1] -1", "f32[1] 5"],
      "index out of range in self",
    ],
    [
      "index_copy.default(%x, 0, %y, %z)",
      "f32[3]",
      [THREE, "i64[1] -1", "f32[1] 5"],
      "index -1 is out of bounds",
    ],
    ["bernoulli.default(%x)", "f32[3]", ["f32[3] 0.5 2 0"], "Expected p_in >= 0 && p_in <= 1"],
    [
      "binary_cross_entropy.default(%x, %y)",
      "f32[]",
      ["f32[2] 0.5 2", "f32[2] 0 1"],
      "all elements of input",
    ],
    [
      "binary_cross_entropy.default(%x, %y)",
      "f32[]",
      ["f32[2] 0.5 0.2", "f32[2] 0 2"],
      "all elements of target",
    ],
    [
      "embedding_bag.default(%x, %y, %z)",
      "(f32[2, 2], i64[0], i64[2], i64[2])",
      [ROWS, "i64[2] 0 1", "i64[2] 0 5"],
      "offsets[-1] can not be greater than input's length 2 but got offsets[-1] of 5",
    ],
    [
      "embedding_bag.default(%x, %y, %z)",
      "(f32[3, 2], i64[0], i64[3], i64[3])",
      [ROWS, "i64[3] 0 1 2", "i64[3] 0 2 1"],
      "offsets of bags decrease",
    ],
    ["multilabel_margin_loss.default(%x, %y)", "f32[]", ["f32[1,3] 1 2 3", "i64[1,3] 0 7 -1"], "out of "],
    [
      "searchsorted.Tensor(%x, %x, sorter=%y)",
      "i64[3]",
      [THREE, "i64[3] 0 1 9"],
      "sorter index out of range",
    ],
    [
      "huber_loss.default(%x, %x, 1, 0.0)",
      "f32[]",
      [THREE],
      "does not support non-positive values for delta",
    ],
    ["celu.default(%x, 0)", "f32[3]", [THREE], "alpha cannot be 0"],
    ["softshrink.default(%x, -1)", "f32[3]", [THREE], "lambda must be"],
    ["renorm.default(%x, 0, 0, 1)", "f32[3, 2]", [ROWS], "non-positive norm"],
    ["clamp.default(%x, 300)", "u8[2]", ["u8[2] 1 2"], "cannot be converted to type uint8_t"],
    ["index_fill.int_Scalar(%x, 0, %y, 300)", "u8[2]", ["u8[2] 1 2", "i64[1] 0"], "to type uint8_t"],
    ["scatter.value(%x, 0, %y, 300)", "u8[2]", ["u8[2] 1 2", "i64[1] 0"], "to type uint8_t"],
    ["full.default([2], 1e39)", "f32[2]", [THREE], "cannot be converted to type float without overflow"],
    ["full.default([2], 65519.0, dtype=float16)", "f16[2]", [THREE], "to type c10::Half"],
    ["full.default([2], 3.4e38, dtype=bfloat16)", "bf16[2]", [THREE], "to type c10::BFloat16"],
    ["full.default([2], nan, dtype=int32)", "i32[2]", [THREE], "to type int without"],
    ["full.default([2], -1.0, dtype=uint8)", "u8[2]", [THREE], "to type uint8_t"],
    ["full_like.default(%x, -1e39)", "f32[3]", [THREE], "to type float"],
    ["new_full.default(%x, [2], 1e39)", "f32[2]", [THREE], "to type float"],
    ["scalar_tensor.default(1e39)", "f32[]", [THREE], "to type float"],
    ["fill_.Scalar(%x, 1e39)", "f32[3]", [THREE], "to type float"],
    ["masked_fill.Scalar(%x, %y, 70000)", "f16[2]", ["f16[2] 1 2", "b8[2] 1 0"], "to type c10::Half"],
    ["masked_fill.Tensor(%x, %y, %z)", "i8[2]", ["i8[2] 1 2", "b8[2] 1 0", "i64[] 300"], "to type int8_t"],
    ["masked_fill_.Tensor(%x, %y, %z)", "f32[3]", [THREE, "b8[3] 1 0 1", "f64[] 1e39"], "to type float"],
    [
      "index_fill.int_Tensor(%x, 0, %y, %z)",
      "i8[2]",
      ["i8[2] 1 2", "i64[1] 0", "i64[] 300"],
      "to type int8_t",
    ],
    ["where.ScalarOther(%y, %x, 1e39)", "f32[3]", [THREE, "b8[3] 1 0 1"], "to type float"],
    ["threshold.default(%x, 2, 1e39)", "f32[3]", [THREE], "to type float"],
    ["add.Tensor(%x, %x, alpha=1e39)", "f32[3]", [THREE], "to type float"],
    ["elu.default(%x, 1e39)", "f16[2]", ["f16[2] 1 2"], "to type float"],
    ["constant_pad_nd.default(%x, [1, 1], 1e39)", "f32[5]", [THREE], "to type float"],
    ["subtract.Tensor(%x, %x, alpha=300)", "i8[2]", ["i8[2] 1 2"], "to type int8_t"],
  ];
/** The same operators with values that PyTorch takes. */
const TAKEN: readonly (readonly [call: string, type: string, args: readonly string[], result: string])[] = [
  ["index_add.default(%x, 0, %y, %z)", "f32[3]", [THREE, "i64[1] 2", "f32[1] 5"], "tensor([1., 2., 8.])"],
  ["index_copy.default(%x, 0, %y, %z)", "f32[3]", [THREE, "i64[1] 1", "f32[1] 5"], "tensor([1., 5., 3.])"],
  ["index_fill.int_Scalar(%x, 0, %y, 9)", "f32[3]", [THREE, "i64[1] -1"], "tensor([1., 2., 9.])"],
  ["binary_cross_entropy.default(%x, %y)", "f32[]", ["f32[2] 0.5 0.5", "f32[2] 0 1"], "tensor(0.6931)"],
  ["constant_pad_nd.default(%x, [-3, 4])", "f32[4]", [THREE], "tensor([0., 0., 0., 0.])"],
  // Steps of float32 that overflow.
  ["addcdiv.default(%x, %x, %x, value=2)", "f32[1]", ["f32[1] 3.4e38"], "tensor([inf])"],
  ["addcmul.default(%x, %x, %y, value=2)", "f32[1]", ["f32[1] 3.4e38", "f32[1] 1e-30"], "tensor([inf])"],
  ["addcdiv.default(%x, %x, %y, value=1)", "f32[1]", ["f32[1] 1e38", "f32[1] 1e-3"], "tensor([inf])"],
  [
    "_linalg_slogdet.default(%x)",
    "(f32[], f32[], f32[2,2], i32[2])",
    ["f32[2,2] NaN NaN NaN NaN"],
    "tensor(0.)",
  ],
  ["full.default([1], 1e39, dtype=float16)", "f16[1]", [THREE], "tensor([inf], dtype=torch.float16)"],
  ["full.default([2], -1, dtype=uint8)", "u8[2]", [THREE], "tensor([255, 255], dtype=torch.uint8)"],
  ["full.default([2], inf)", "f32[2]", [THREE], "tensor([inf, inf])"],
  [
    "addcmul.default(%x, %x, %x, value=-2.5)",
    "i32[3]",
    ["i32[3] 1 2 3"],
    "tensor([ -1,  -6, -15], dtype=torch.int32)",
  ],
  ["mul.Tensor(%x, 1e39)", "f32[3]", [THREE], "tensor([inf, inf, inf])"],
  ["constant_pad_nd.default(%x, [0, -1], 1e39)", "f32[2]", [THREE], "tensor([1., 2.])"],
  [
    "masked_fill.Tensor(%x, %y, %z)",
    "i8[2]",
    ["i8[2] 1 2", "b8[2] 1 0", "i64[] 100"],
    "tensor([100,   2], dtype=torch.int8)",
  ],
];

describe.each(["cpu", "wasm", "gpujs:cpu", "auto"])("%s", (backend) => {
  test.each(sampled(REFUSED, 2))("refuses %s", async (call, type, args, message) => {
    await expect(run(backend, call, type, args)).rejects.toMatchObject({
      code: expect.stringMatching(/^(INVALID_ARGUMENT|INDEX_OUT_OF_RANGE)$/),
      message: expect.stringContaining(message),
    });
  });
  test.each(sampled(TAKEN, 2))("takes %s", async (call, type, args, result) => {
    expect(await run(backend, call, type, args)).toBe(result);
  });
});

test.each([
  ["addcmul", "i32", "1.5", "value argument of type float cannot be safely cast to type int32!"],
  ["addcmul", "b8", "1", "value argument of type int cannot be safely cast to type bool!"],
  [
    "addcdiv",
    "f32",
    "complex(1, 1)",
    "value argument of type complex cannot be safely cast to type float32!",
  ],
] as const)("%s of %s with the factor %s is not lowered", (name, dtype, value, message) => {
  const program = session.parseIr(`sconce-ir 1
program "TRAINING" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: ${dtype}[3]) {
  %y: ${dtype}[3] = aten.${name}.default(%x, %x, %x, value=${value})
  return (%y)
}`);
  expect(() => session.runDecompositions(program)).toThrow(message);
});

test("addcmul and addcdiv of bools are exported, and refused when they run", async () => {
  for (const name of ["addcmul", "addcdiv"]) {
    const program = session.transform(
      session.parseIr(`sconce-ir 1
program "TRAINING" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: b8[3]) {
  %y = aten.${name}.default(%x, %x, %x, value=true)
  return (%y)
}`),
      "propagate-shapes",
    );
    for (const backend of ["cpu", "wasm", "gpujs:cpu"]) {
      using executable = await session.compile(program, backend);
      await expect(executable.run([tensorOf("b8[3] 1 0 1")])).rejects.toMatchObject({
        code: "DTYPE_MISMATCH",
      });
    }
  }
});

test.each(["cpu", "wasm", "gpujs:cpu"])("%s refuses symbolic numbers that do not fit", async (backend) => {
  const program = (call: string, dtype: string, number: string) =>
    session.transform(
      session.parseIr(`sconce-ir 1
program "TRAINING" { input %x: USER_INPUT input %k: USER_INPUT output %y: USER_OUTPUT }
graph(%x: ${dtype}[s0], %k: ${number}[]) {
  %n = aten.sym_size.int(%x, 0)
  %u = aten.item.default(%k)
  %m: b8[s0] = aten.ne.Scalar(%x, 5)
  %y = ${call}
  return (%y)
}`),
      "propagate-shapes",
    );
  for (const [call, dtype, number, fits, large, length] of [
    ["aten.full_like.default(%x, %n)", "i8", "i64", "0", "0", 200],
    ["aten.masked_fill.Scalar(%x, %m, %u)", "i8", "i64", "7", "300", 2],
    ["aten.add.Tensor(%x, %x, alpha=%u)", "i8", "i64", "7", "300", 2],
    ["aten.full_like.default(%x, %u)", "f16", "i64", "7", "70000", 2],
    ["aten.masked_fill.Scalar(%x, %m, %u)", "f16", "f64", "7", "70000", 2],
    ["aten.threshold.default(%x, 9, %u)", "f32", "f64", "7", "1e39", 2],
  ] as const) {
    using executable = await session.compile(program(call, dtype, number), backend);
    const ones = (size: number): Tensor => tensorOf(`${dtype}[${size}] ${"1 ".repeat(size).trim()}`);
    const [taken] = await executable.run([ones(2), tensorOf(`${number}[] ${fits}`)]);
    expect(String(taken)).toMatch(call.includes("%n") ? /\[2, 2\]/ : /\[(7|7\.|8), (7|7\.|8)\]/);
    await expect(executable.run([ones(length), tensorOf(`${number}[] ${large}`)])).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("without overflow"),
    });
  }
});

test.each(["cpu", "wasm", "gpujs:cpu"])(
  "%s refuses to cut off more than a symbolic size",
  async (backend) => {
    const program = session.parseIr(`sconce-ir 1
program "TRAINING" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[s0]) {
  %m: f32[s0] = aten.mul.Tensor(%x, 2)
  %p: f32[s0 + 2] = aten.pad.default(%m, [5, -3])
  %y: f32[s0 + 2] = aten.add.Tensor(%p, 1)
  return (%y)
}`);
    using executable = await session.compile(program, backend);
    expect(String((await executable.run([tensorOf("f32[4] 1 2 3 4")]))[0])).toBe(
      "tensor([1., 1., 1., 1., 1., 3.])",
    );
    for (const short of ["f32[2] 1 2", "f32[0]", "f32[1] 7"])
      await expect(executable.run([tensorOf(short)]), short).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining("narrow(): length must be non-negative."),
      });
  },
);

test("two inputs that share memory, of which one is written to, are PyTorch's or an error", async () => {
  const program = session.parseIr(`sconce-ir 1
program "TRAINING" { input %x: USER_INPUT input %y: USER_INPUT output %z: USER_OUTPUT }
graph(%x: f32[2], %y: f32[2]) {
  %a: f32[2] = aten.add_.Tensor(%x, 1)
  %z: f32[2] = aten.add.Tensor(%a, %y)
  return (%z)
}`);
  const both = Tensor.from([1, 1, 1, 1], [4], "float32");
  const part = (from: number): Tensor => both.asStrided([2], [1], from);
  for (const backend of ["wasm", "gpujs:cpu", "auto"]) {
    using executable = await session.compile(program, backend);
    await expect(executable.run([part(0), part(1)])).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: "x and the input y share memory, and the program writes to x",
    });
    const [sum] = await executable.run([part(0), part(2)]);
    expect(String(sum)).toBe("tensor([3., 3.])");
    both.data.fill(1 as never);
  }
  using interpreter = await session.compile(program, "cpu");
  expect(String((await interpreter.run([part(0), part(1)]))[0])).toBe("tensor([4., 3.])");
});

test("an input that shares memory with a buffer that is written to is PyTorch's or an error", async () => {
  const text = `sconce-ir 1
program "TRAINING" {
  buffer "c": f32[2]
  input %c: BUFFER "c"
  input %x: USER_INPUT
  output %a: USER_OUTPUT
  output %z: USER_OUTPUT
}
graph(%c: f32[2], %x: f32[2]) {
  %a: f32[2] = aten.add_.Tensor(%c, 1)
  %z: f32[2] = aten.mul.Tensor(%x, 10)
  return (%a, %z)
}`;
  const results: string[][] = [];
  for (const backend of ["wasm", "gpujs:cpu", "auto", "cpu"]) {
    const tensors = new Map([["c", Tensor.from([0, 0], [2], "float32")]]);
    using executable = await session.compile(session.parseIr(text, { tensors }), backend);
    const [own] = await executable.run([Tensor.from([1, 1], [2], "float32")]);
    results.push(
      await executable.run([own!]).then(
        (values) => values.map(String),
        ({ code, message }) => [code, message],
      ),
    );
  }
  const refused = ["INVALID_ARGUMENT", "c and the input x share memory, and the program writes to c"];
  expect(results).toEqual([refused, refused, refused, ["tensor([2., 2.])", "tensor([20., 20.])"]]);
});

test("an expanded input that is written to is refused, as PyTorch refuses it", async () => {
  const program = session.parseIr(`sconce-ir 1
program "TRAINING" { input %x: USER_INPUT input %y: USER_INPUT output %a: USER_OUTPUT }
graph(%x: f32[3], %y: f32[3]) { %a: f32[3] = aten.add_.Tensor(%x, %y) return (%a) }`);
  const one = Tensor.from([1], [1], "float32");
  for (const backend of ["wasm", "gpujs:cpu", "auto", "cpu"]) {
    using executable = await session.compile(program, backend);
    const run = executable.run([one.asStrided([3], [0]), Tensor.from([1, 2, 3], [3], "float32")]);
    await expect(run).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("more than one element of the written-to tensor"),
    });
    expect(String(one)).toBe("tensor([1.])");
  }
});

test("toDevice refuses what is not a tensor", async () => {
  const program = session.parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %a: USER_OUTPUT }
graph(%x: f32[3]) { %a: f32[3] = aten.sin.default(%x) return (%a) }`);
  using executable = await session.compile(program, "wasm");
  await expect(executable.toDevice!(5 as never)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: "toDevice was given a number, not a tensor",
  });
});

test.each(["cpu", "wasm", "gpujs:cpu"])("%s refuses to subtract True and False", async (backend) => {
  const calls = [
    "sub.Tensor(%x, true)",
    "sub.Scalar(%x, false)",
    "rsub.Scalar(%x, true)",
    "sub_.Scalar(%x, true)",
  ];
  for (const call of [...calls, "subtract.Scalar(%x, true)", "sub_.Tensor(%x, false)", "sub.Tensor(%x, %b)"])
    for (const type of ["f32", "i64", "f16", "b8"]) {
      const program = session.parseIr(`sconce-ir 1
program "TRAINING" { input %x: USER_INPUT input %n: USER_INPUT output %c: USER_OUTPUT }
graph(%x: ${type}[2], %n: f32[s0]) {
  %s = aten.sym_size.int(%n, 0)
  %b = operator.gt(%s, 3)
  %c: ${type}[2] = aten.${call}
  return (%c)
}`);
      using executable = await session.compile(program, backend);
      const run = executable.run([tensorOf(`${type}[2] 1 0`), tensorOf("f32[2] 1 2")]);
      await expect(run.then(String), `${call} of ${type}`).rejects.toMatchObject({
        code: "DTYPE_MISMATCH",
        message: expect.stringContaining("Subtraction, the `-` operator"),
      });
    }
});

describe("a refused call after an accepted one that differs in a setting alone", () => {
  test.each([
    [
      "a dtype",
      "i64[2]",
      "cumsum.default(%x, 0, dtype=int8)",
      "i8[2]",
      "cumsum.default(%x, 0, dtype=bool)",
      "b8[2]",
    ],
    [
      "a dtype",
      "f32[2]",
      "cumprod.default(%x, 0, dtype=float64)",
      "f64[2]",
      "cumprod.default(%x, 0, dtype=bool)",
      "b8[2]",
    ],
    [
      "a complex number",
      "f32[2]",
      "full.default([2], complex(1, 2), dtype=complex64)",
      "c64[2]",
      "full.default([2], complex(1e39, 2), dtype=complex64)",
      "c64[2]",
    ],
  ])("%s", async (_, type, accepted, first, refused, second) => {
    const program = session.parseIr(`sconce-ir 1
program "TRAINING" { input %x: USER_INPUT output %a: USER_OUTPUT output %b: USER_OUTPUT }
graph(%x: ${type}) {
  %a: ${first} = aten.${accepted}
  %b: ${second} = aten.${refused}
  return (%a, %b)
}`);
    for (const backend of ["cpu", "wasm", "gpujs:cpu"]) {
      using executable = await session.compile(program, backend);
      const run = executable.run([Tensor.from([1, 2], [2], type === "i64[2]" ? "int64" : "float32")]);
      await expect(run.then(String), backend).rejects.toMatchObject({
        code: expect.stringMatching(/^(DTYPE_MISMATCH|INVALID_ARGUMENT)$/),
      });
    }
  });
});
