/** @file Values that calls do not take: a built module refuses what the backend `wasm` refuses. */
import { wasmBackend } from "@sconce/backend-wasm";
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { type DType, Storage, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { bitsOf, leavesOf, moduleTensor, withModule } from "./built-modules.fixture.js";

/** Types of the operands, the calls, and operands that are taken and refused. */
interface Case {
  readonly types: readonly string[];
  readonly lines: readonly string[];
  readonly taken: readonly (readonly Tensor[])[];
  readonly refused: readonly (readonly [code: string, message: string, operands: readonly Tensor[]])[];
}

const floats = (...values: number[]): Tensor => Tensor.from(values, { dtype: "float32" });
const zeroDivision = (operands: readonly Tensor[]) =>
  ["DIVISION_BY_ZERO", "ZeroDivisionError", operands] as const;

/** A division of integers by a tensor, which zeros stop. */
const division = (call: string, short: string, dtype: DType): Case => {
  const tensor = (...values: number[]): Tensor => Tensor.from(values, { dtype });
  return {
    types: [`${short}[3]`, `${short}[3]`],
    lines: [`%q: ${short}[3] = ${call}`, `%out: ${short}[3] = aten.add.Tensor(%q, %x0)`],
    taken: [[tensor(7, 5, 9), tensor(2, 3, 4)]],
    refused: [
      zeroDivision([tensor(7, 5, 9), tensor(2, 0, 4)]),
      zeroDivision([tensor(0, 0, 0), tensor(0, 0, 0)]),
    ],
  };
};
const DTYPES: readonly (readonly [string, DType])[] = [
  ["i64", "int64"],
  ["i32", "int32"],
  ["i16", "int16"],
  ["u8", "uint8"],
];
const DIVISIONS: readonly string[] = [
  "aten.floor_divide.default(%x0, %x1)",
  "aten.remainder.Tensor(%x0, %x1)",
  "aten.fmod.Tensor(%x0, %x1)",
  'aten.div.Tensor_mode(%x0, %x1, rounding_mode="trunc")',
  'aten.div.Tensor_mode(%x0, %x1, rounding_mode="floor")',
];

const probability = (name: string) => `all elements of ${name} should be between 0 and 1`;
const CASES: readonly (readonly [string, Case])[] = [
  [
    "binary_cross_entropy",
    {
      types: ["f32[2]", "f32[2]"],
      lines: ["%out: f32[] = aten.binary_cross_entropy.default(%x0, %x1)"],
      taken: [[floats(0.5, 0.25), floats(0, 1)]],
      refused: [
        ["INVALID_ARGUMENT", probability("target"), [floats(0.5, 0.5), floats(0, 2)]],
        ["INVALID_ARGUMENT", probability("input"), [floats(0.5, 1.5), floats(0, 1)]],
        ["INVALID_ARGUMENT", probability("input"), [floats(0.5, Number.NaN), floats(0, 1)]],
      ],
    },
  ],
  [
    "binary_cross_entropy of what kernels compute",
    {
      types: ["f32[2]", "f32[2]"],
      lines: [
        "%s: f32[2] = aten.sigmoid.default(%x0)",
        "%d: f32[2] = aten.mul.Scalar(%x1, 2)",
        "%l: f32[] = aten.binary_cross_entropy.default(%s, %d)",
        "%out: f32[] = aten.mul.Scalar(%l, 3)",
      ],
      taken: [[floats(3, -4), floats(0, 0.5)]],
      refused: [["INVALID_ARGUMENT", probability("target"), [floats(3, -4), floats(0, 1)]]],
    },
  ],
  [
    "quantile",
    {
      types: ["f32[4]", "f32[1]"],
      lines: ["%out: f32[1] = aten.quantile.default(%x0, %x1)"],
      taken: [[floats(4, 1, 3, 2), floats(0.5)]],
      refused: [
        [
          "INVALID_ARGUMENT",
          "quantile() q values must be in the range [0, 1]",
          [floats(4, 1, 3, 2), floats(2)],
        ],
      ],
    },
  ],
  [
    "log_sigmoid_backward with a buffer of one element",
    {
      types: ["f32[3]", "f32[3]", "f32[1]"],
      lines: ["%out: f32[3] = aten.log_sigmoid_backward.default(%x0, %x1, %x2)"],
      taken: [[floats(1, 2, 3), floats(-1, 0, 1), floats(0.5)]],
      refused: [],
    },
  ],
  [
    "log_sigmoid_backward with an empty buffer",
    {
      types: ["f32[3]", "f32[3]", "f32[0]"],
      lines: ["%out: f32[3] = aten.log_sigmoid_backward.default(%x0, %x1, %x2)"],
      taken: [],
      refused: [
        [
          "SHAPE_MISMATCH",
          "The size of tensor a (3) must match the size of tensor b (0) at non-singleton dimension 0",
          [floats(1, 2, 3), floats(-1, 0, 1), Tensor.empty([0], "float32")],
        ],
      ],
    },
  ],
  ...DTYPES.flatMap(([short, dtype]) =>
    DIVISIONS.map((call) => [`${call} of ${dtype}`, division(call, short, dtype)] as const),
  ),
];

function programOf({ types, lines }: Case): ExportedProgram {
  const names = types.map((_, at) => `x${at}`);
  const result = /^%out: (.*) = /.exec(lines.at(-1)!)![1]!;
  expect(result).toContain("[");
  return parseIr(
    [
      'program "ATEN" {',
      ...names.map((name) => `  input %${name}: USER_INPUT`),
      "  output %out: USER_OUTPUT",
      `  call "" ((${names.map(() => "*").join(", ")}), {}) -> * names [${names.map((name) => `"${name}"`).join(", ")}]`,
      "}",
      `graph(${names.map((name, at) => `%${name}: ${types[at]!}`).join(", ")}) {`,
      ...lines.map((line) => `  ${line}`),
      "  return (%out)",
      "}",
      "",
    ].join("\n"),
    { tensors: new Map() },
  );
}

describe.each(["wasm", "js"] as const)("a module of %s", (target) => {
  test.for(CASES)("has the words of the backend: %s", async ([, one]) => {
    const program = programOf(one);
    using executable = await wasmBackend({ threads: 1 }).compile(program);
    await withModule(program, { targets: [target] }, async ({ load, ModelError }) => {
      const model = await load();
      const run = (operands: readonly Tensor[]): Promise<unknown> =>
        model.run(Object.fromEntries(operands.map((tensor, at) => [`x${at}`, moduleTensor(tensor)])));
      for (const operands of one.taken)
        expect(leavesOf(await run(operands)).map(bitsOf)).toEqual(
          (await executable.run(operands)).map(bitsOf),
        );
      for (const [code, message, operands] of one.refused) {
        const byBackend: unknown = await executable.run(operands).catch((error: unknown) => error);
        if (!isSconceError(byBackend, code)) throw new Error("the backend takes it", { cause: byBackend });
        expect(byBackend.message).toContain(message);
        const byModule: unknown = await run(operands).catch((error: unknown) => error);
        expect(byModule).toBeInstanceOf(ModelError);
        expect(byModule).toMatchObject({ code, message });
      }
    });
  });
});

test("threads give the words of the program, too", async () => {
  const count = 1 << 20;
  const dtype = "int32";
  const [x0, x1] = [7, 2].map((value) => {
    const storage = new Storage(new Uint8Array(new Int32Array(count).fill(value).buffer));
    return new Tensor({ dtype, shape: [count], storage });
  }) as [Tensor, Tensor];
  const program = programOf({
    types: [`i32[${count}]`, `i32[${count}]`],
    lines: [`%out: i32[${count}] = aten.remainder.Tensor(%x0, %x1)`],
    taken: [],
    refused: [],
  });
  await withModule(program, { threads: true }, async ({ load }) => {
    const model = await load({ threads: 2 });
    const run = () => model.run({ x0: moduleTensor(x0), x1: moduleTensor(x1) });
    try {
      expect(model.threads).toBe(2);
      for (const at of [0, count - 1]) {
        (x1.data as Int32Array)[at] = 0;
        await expect(run()).rejects.toMatchObject({ code: "DIVISION_BY_ZERO", message: "ZeroDivisionError" });
        (x1.data as Int32Array)[at] = 2;
      }
      expect((leavesOf(await run())[0] as { data: Int32Array }).data.every((one) => one === 1)).toBe(true);
    } finally {
      model.dispose();
    }
  });
});
