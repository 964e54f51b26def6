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
  describe.each(cases)(`${name}: %s`, (call, inputs, message, types) => {
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

test.each(BACKENDS)("%s takes integers of 64 bits without sign", async (backend) => {
  const call = SYMBOLIC("4611686018427387904", "%r = aten.add.Scalar(%x, %m)");
  const given = await outcome(backend, { call, inputs: ["i64[3] 1 2 3"], types: ["i64[s0]"] });
  expect(given).toContain("-4611686018427387903, -4611686018427387902");
});
