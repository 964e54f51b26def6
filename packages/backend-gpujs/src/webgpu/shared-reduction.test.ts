import { constant, type ReduceKind, type Scalar } from "@sconce/codegen";
import { Tensor } from "@sconce/tensor";
import { afterAll, describe, expect, test } from "vitest";
import {
  call,
  elementProgram,
  fixed,
  inJavaScript,
  load,
  onDevice,
  openTestDevice,
} from "./device.fixture.js";

const device = await openTestDevice(true);
afterAll(() => device?.dispose());

const COUNT = 700;
/**
 * Each of 3 elements reduces a row of 700 whole numbers, with one in three left out when asked for.
 */
function program(reduce: ReduceKind, dtype: "float32" | "bool", extra: { when?: boolean; initial?: Scalar }) {
  return elementProgram([{ dtype: "float32", numel: 3 * COUNT }], 3, dtype, (i) => {
    const r0 = { kind: "axis", name: "r0", extent: constant(COUNT) } as const;
    const terms = [
      { coefficient: COUNT, atoms: i.terms[0]!.atoms },
      { coefficient: 1, atoms: [r0] },
    ];
    const element = load(0, { terms, constant: 0, text: "(i0*700 + r0)" }, "float32");
    const body = dtype === "bool" ? call("gt", "bool", element, fixed(49, "float32")) : element;
    const scalar: Scalar = {
      kind: "reduce",
      dtype,
      reduce,
      axes: [r0],
      body,
      when: extra.when === true ? call("ne", "bool", element, fixed(7, "float32")) : undefined,
      initial: extra.initial,
    };
    return dtype === "bool" ? scalar : call("add", "float32", scalar, scalar);
  });
}
const input = Tensor.from(
  Float32Array.from({ length: 3 * COUNT }, (_, i) => ((i * 7919) % 101) - (i < COUNT ? 60 : 50)),
  [3 * COUNT],
  "float32",
);

describe.skipIf(device === undefined)("reductions by workgroups", () => {
  test.each([
    ["sum", "float32", {}],
    ["sum", "float32", { when: true }],
    ["sum", "float32", { initial: fixed(1000, "float32") }],
    ["max", "float32", {}],
    ["min", "float32", { when: true, initial: fixed(-70, "float32") }],
    ["any", "bool", {}],
    ["all", "bool", {}],
  ] as const)("%s of %s, %o", async (kind, dtype, extra) => {
    const made = program(kind, dtype, extra);
    const kernel = await device!.compile(made.nests[0]!, made, { sizes: new Map() });
    expect(kernel.source).toContain("workgroupBarrier");
    expect(await onDevice(made, [input], device!)).toEqual(inJavaScript(made, [input]));
  });

  test("NaN goes through the greatest", async () => {
    const data = (input.data as Float32Array).slice();
    data[900] = Number.NaN;
    const made = program("max", "float32", {});
    const got = await onDevice(made, [Tensor.from(data, [data.length], "float32")], device!);
    expect((got.toArray() as number[]).map(Number.isNaN)).toEqual([false, true, false]);
  });
});
