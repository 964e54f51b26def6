/**
 * @file A text may leave types out. Whichever it leaves out, the program gives the same on all
 * backends and after all passes: nothing takes the place of a value whose type is not known.
 */
import { gpujsBackend } from "@sconce/backend-gpujs";
import { wasmBackend } from "@sconce/backend-wasm";
import type { ExportedProgram, Value } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { beforeAll, describe, expect, test } from "vitest";
import { counted } from "./counted.fixture.js";

const BACKENDS = ["cpu", "wasm1", "wasm2", "gpujs"];
const PASSES = [
  "canonicalize",
  "cse",
  "dce",
  "fold-constants",
  "fold-batch-norm",
  "functionalize",
  "fuse-regions",
  "partition",
  "propagate-shapes",
  "remove-type-promotion",
  "sink-transposes",
];
const sconce = createSconce({
  backends: [
    wasmBackend({ name: "wasm1", threads: 1 }),
    wasmBackend({ name: "wasm2", threads: 2 }),
    gpujsBackend({ name: "gpujs", mode: "cpu" }),
  ],
});

const ints = (length: number): Tensor =>
  Tensor.from(
    Array.from({ length }, (_, i) => BigInt(i)),
    [length],
    "int64",
  );

interface Program {
  readonly name: string;
  readonly inputs: string;
  readonly given: readonly Tensor[];
  /** Calls, of which any may lack its type; the last one is the result. */
  readonly calls: readonly string[];
}

const PROGRAMS: readonly Program[] = [
  { name: "a view", call: "f32[4, 2] = aten.view.default(%c, [4, 2])" },
  { name: "an expansion", call: "f32[3, 8] = aten.expand.default(%c, [3, 8])" },
  { name: "every other element", call: "f32[4]{2} = aten.slice.Tensor(%c, 0, 0, 9223372036854775807, 2)" },
  { name: "a sum with 0 of another dtype", call: "f64[8] = aten.add.Tensor(%c, %o)" },
]
  .map(({ name, call }) => ({
    name,
    inputs: "%a: f32[8]",
    given: [counted([8])],
    calls: [
      "%c: f32[8] = aten.neg.default(%a)",
      "%o: f64[8] = aten.full.default([8], 0.0, dtype=float64)",
      `%y: ${call}`,
    ],
  }))
  .concat([
    {
      name: "views of views",
      inputs: "%a: f32[8]",
      given: [counted([8])],
      calls: [
        "%c: f32[8] = aten.neg.default(%a)",
        "%u: f32[1, 8] = aten.unsqueeze.default(%c, 0)",
        "%e: f32[3, 8]{0, 1} = aten.expand.default(%u, [3, 8])",
        "%v: f32[3, 2, 4]{0, 4, 1} = aten.view.default(%e, [3, 2, 4])",
        "%p: f32[2, 3, 4]{4, 0, 1} = aten.permute.default(%v, [1, 0, 2])",
        "%q: f32[3, 2, 4]{0, 4, 1} = aten.permute.default(%p, [1, 0, 2])",
        "%s: f32[3, 1, 4]{0, 8, 1} = aten.slice.Tensor(%q, 1, 0, 9223372036854775807, 2)",
        "%y: f32[3, 4]{0, 1} = aten.squeeze.dim(%s, 1)",
      ],
    },
    {
      name: "promotions and casts",
      inputs: "%a: i64[4], %b: f32[3, 4]",
      given: [ints(4), counted([3, 4])],
      calls: [
        "%c: f32[4] = aten.add.Tensor(%a, 0.0)",
        "%d: f32[4] = aten.mul.Tensor(%a, 1.0)",
        "%e: f32[4] = aten.div.Tensor(%a, 1)",
        "%f: f32[3, 4] = aten.add.Tensor(%c, %b)",
        "%o: f32[3, 4] = aten.full.default([3, 4], 0.0)",
        "%g: f32[3, 4] = aten.add.Tensor(%d, %o)",
        "%h: f32[3, 4] = aten.mul.Tensor(%f, %g)",
        "%k: f64[3, 4] = aten._to_copy.default(%h, dtype=float64)",
        "%m: f32[3, 4] = aten._to_copy.default(%k, dtype=float32)",
        "%n: f32[3, 4] = aten.clone.default(%m)",
        "%y: f32[3, 4] = aten.add.Tensor(%n, %e)",
      ],
    },
    {
      name: "several results, equal calls",
      inputs: "%a: f32[6, 4]",
      given: [counted([6, 4])],
      calls: [
        "%s: (f32[3, 4], f32[3, 4]@12) = aten.split.Tensor(%a, 3)",
        "%x: f32[3, 4] = operator.getitem(%s, 0)",
        "%z: f32[3, 4]@12 = operator.getitem(%s, 1)",
        "%t: f32[4, 3]{1, 4}@12 = aten.permute.default(%z, [1, 0])",
        "%m: f32[3, 3] = aten.mm.default(%x, %t)",
        "%r: f32[3, 3] = aten.relu.default(%m)",
        "%q: f32[3, 3] = aten.relu.default(%m)",
        "%c: f32[6, 3] = aten.cat.default([%r, %q])",
        "%y: f32[3] = aten.sum.dim_IntList(%c, [0])",
      ],
    },
    {
      name: "sizes of a run",
      inputs: "%a: f32[s0, 4], %b: f32[s1, 4]",
      given: [counted([2, 4]), counted([3, 4])],
      calls: [
        "%c: f32[s0 + s1, 4] = aten.cat.default([%a, %b])",
        "%n: int(s0 + s1) = aten.sym_size.int(%c, 0)",
        "%v: f32[4*s0 + 4*s1] = aten.view.default(%c, [-1])",
        "%w: f32[s0 + s1, 2, 2] = aten.view.default(%v, [%n, 2, 2])",
        "%y: f32[s0 + s1, 2, 2] = aten.mul.Tensor(%w, 1)",
      ],
    },
    {
      name: "sizes that the data decide",
      inputs: "%a: f32[3, 4]",
      given: [counted([3, 4])],
      calls: [
        "%g: b8[3, 4] = aten.gt.Scalar(%a, 2)",
        "%i: f32[u0] = aten.index.Tensor(%a, [%g])",
        "%y: f32[u0] = aten.mul.Tensor(%i, 1)",
      ],
    },
  ]);

function parsed({ inputs, calls }: Program, lacks: (call: number) => boolean): ExportedProgram {
  const names = [...inputs.matchAll(/%(\w+):/g)].map(([, name]) => name!);
  const lines = calls.map((call, i) => (lacks(i) ? call.replace(/: .*? = (?=[a-z])/, " = ") : call));
  return sconce.parseIr(`sconce-ir 1
program "ATEN" {
  ${[...names.map((name) => `input %${name}: USER_INPUT`), "output %y: USER_OUTPUT"].join("\n  ")}
}
graph(${inputs}) {
  ${lines.join("\n  ")}
  return (%y)
}`);
}

const text = (value: Value | undefined): string =>
  value instanceof Tensor ? `${value.dtype}[${value.shape.join()}] ${value.toArray().join()}` : String(value);

async function ran(program: ExportedProgram, { given }: Program, backend: string): Promise<string> {
  using executable = await sconce.compile(program, backend);
  return text((await executable.run(given))[0]);
}

/** Calls whose types a text leaves out. */
type Way = [name: string, lacks: (call: number) => boolean];

describe.each(PROGRAMS)("$name", (program) => {
  const ways: readonly Way[] = [
    ...program.calls.map((call, at): Way => [call.split(":")[0]!, (i) => i === at]),
    ["all", () => true],
    ["every other one", (i) => i % 2 === 0],
  ];
  const whole = parsed(program, () => false);
  let expected: string;
  beforeAll(async () => {
    expected = await ran(whole, program, "cpu");
  });

  test("is valid with its types", () => {
    expect(sconce.verify(whole)).toEqual([]);
  });

  test.each(ways)("without the type of %s, backends agree", async (_, lacks) => {
    const untyped = parsed(program, lacks);
    for (const backend of BACKENDS) expect(await ran(untyped, program, backend), backend).toBe(expected);
  });

  test.each(ways)("without the type of %s, passes keep what it gives", async (_, lacks) => {
    for (const pass of PASSES)
      expect(await ran(sconce.transform(parsed(program, lacks), pass), program, "cpu"), pass).toBe(expected);
  });
});
