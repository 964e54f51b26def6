/** @file Sizes that calls refuse in a run: modules refuse what the backend refuses. */
import { wasmBackend } from "@sconce/backend-wasm";
import { buildModule } from "@sconce/build";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { bitsOf, leavesOf, moduleTensor, withModule } from "./built-modules.fixture.js";

/** Calls of x: f32[s0, 3] and y: f32[s1, 3], and sizes for which they hold. */
const CALLS = [
  ["aten.slice_scatter.default(%x, %y, 0, 1, 9223372036854775807, 2)", [9, 4]],
  ["aten.slice_scatter.default(%x, %y, 0, 2, 5)", [9, 3]],
  ["aten.slice_scatter.default(%x, %y, 0, -4)", [9, 4]],
  ["aten.select_scatter.default(%x, %row, 0, 2)", [9, 4]],
  ["aten.diagonal_scatter.default(%x, %column)", [9, 3]],
  ["aten.mm.default(%x, %t)", [9, 4]],
] as const;

const programOf = (call: string) =>
  parseIr(
    `program "ATEN" {
  range "s0" [3, 64]
  range "s1" [3, 64]
  hint "s0" 9
  hint "s1" 4
  input %x: USER_INPUT
  input %y: USER_INPUT
  output %z: USER_OUTPUT
  call "" ((*, *), {}) -> * names ["x", "y"]
}
graph(%x: f32[s0, 3], %y: f32[s1, 3]) {
  %row: f32[3] = aten.select.int(%y, 0, 0)
  %column: f32[s1] = aten.select.int(%y, 1, 0)
  %t: f32[3, s1] = aten.permute.default(%y, [1, 0])
  %z: f32[${call.includes(".mm.") ? "s0, s1" : "s0, 3"}] = ${call}
  return (%z)
}
`,
    { tensors: new Map() },
  );

const rows = (count: number): Tensor =>
  Tensor.from(
    Array.from({ length: count * 3 }, (_, at) => at - 4),
    { dtype: "float32" },
  ).view([count, 3]);

test.each(CALLS)("%s", async (call, fitting) => {
  const program = programOf(call);
  using executable = await wasmBackend({ threads: 1, relaxed: false }).compile(program);
  await withModule(program, {}, async ({ load }) => {
    const model = await load();
    let [taken, refused] = [0, 0];
    for (const first of [3, 4, 5, 9, 16])
      for (const second of [3, 4, 5, 8]) {
        const inputs = [rows(first), rows(second)] as const;
        const wanted = await executable.run(inputs).catch(() => undefined);
        const given = { x: moduleTensor(inputs[0]), y: moduleTensor(inputs[1]) };
        const got = await model.run(given).catch((error: unknown) => error);
        if (wanted === undefined) {
          expect(got, `${first} and ${second} rows`).toBeInstanceOf(Error);
          refused++;
        } else if (!(got instanceof Error)) {
          expect(bitsOf(leavesOf(got)[0])).toBe(bitsOf(wanted[0]));
          taken++;
        } else expect([first, second]).not.toEqual(fitting);
      }
    expect(taken).toBeGreaterThan(0);
    // A row, and products, fit at all sizes.
    if (!/%row|%t/.test(call)) expect(refused).toBeGreaterThan(0);
  });
});

const complexProgram = (type: string) =>
  parseIr(
    `program "ATEN" {
  input %x: USER_INPUT
  output %y: USER_OUTPUT
  call "" ((*), {}) -> * names ["x"]
}
graph(%x: ${type}[3]) {
  %y: ${type}[3] = aten.clone.default(%x)
  return (%y)
}
`,
    { tensors: new Map() },
  );

test("pairs of float64 are complex128", async () => {
  const program = complexProgram("c128");
  const data = Float64Array.of(1, -2, 3, 0.25, -0, 5);
  await withModule(program, {}, async ({ load }) => {
    const model = await load();
    const result = (await model.run({ x: { data, shape: [3] } })) as { readonly data: Float64Array };
    expect(result).toMatchObject({ dtype: "complex128", shape: [3] });
    expect(result.data).toEqual(data);
    model.dispose();
  });
});

test.each([
  ["c32", "complex32"],
  ["f8e4m3fn", "float8_e4m3fn"],
])("no array holds %s", async (type, dtype) => {
  await expect(buildModule(complexProgram(type))).rejects.toMatchObject({
    code: "BUILD_UNSUPPORTED",
    message: expect.stringContaining(`%x (x): modules take and give no ${dtype}`),
  });
});
