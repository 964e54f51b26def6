/**
 * @file Recorded metadata is never relied on: a program whose strides, offsets, sizes or dtypes are
 * not those of its calls gives what the interpreter gives, or a typed error.
 */
import { gpujsBackend } from "@sconce/backend-gpujs";
import { wasmBackend } from "@sconce/backend-wasm";
import { isSconceError } from "@sconce/errors";
import type { Value } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { counted } from "./counted.fixture.js";

const BACKENDS = ["wasm1", "wasm2", "gpujs"] as const;
const sconce = createSconce({
  backends: [
    wasmBackend({ name: "wasm1", threads: 1 }),
    wasmBackend({ name: "wasm2", threads: 2 }),
    gpujsBackend({ name: "gpujs", mode: "cpu" }),
  ],
});

interface Lie {
  readonly name: string;
  /** Placeholders, with their types. */
  readonly inputs: string;
  readonly body: string;
  readonly given: readonly (readonly number[] | number)[];
  readonly outputs?: string;
  /** Tensors of the state, by the placeholders that read them. */
  readonly state?: Readonly<Record<string, Tensor>>;
  /** What `verify` says; undefined where only a run shows it, or nothing is wrong. */
  readonly problem?: RegExp;
  readonly nested?: string;
}

function textOf({ inputs, body, outputs = "y", state = {}, nested = "" }: Lie): string {
  const names = [...inputs.matchAll(/%(\w+):/g)].map(([, name]) => name!);
  const specs = names.map((name) =>
    name in state ? `input %${name}: PARAMETER "${name}"` : `input %${name}: USER_INPUT`,
  );
  const weights = Object.entries(state).map(
    ([name, { shape }]) => `parameter "${name}": f32[${shape.join(", ")}]`,
  );
  const results = outputs.split(",").map((name) => name.trim());
  return `sconce-ir 1
program "ATEN" {
  ${[...weights, ...specs, ...results.map((name) => `output %${name}: USER_OUTPUT`)].join("\n  ")}
}
graph(${inputs}) {
  ${body}
  return (${results.map((name) => `%${name}`).join(", ")})
${nested}}`;
}

/** Results as text, strides not counted; a typed error by its code. */
async function ran(lie: Lie, backend: string): Promise<string> {
  const program = sconce.parseIr(textOf(lie), { tensors: new Map(Object.entries(lie.state ?? {})) });
  const inputs = (): Value[] => lie.given.map((one) => (typeof one === "number" ? one : counted(one)));
  try {
    using executable = await sconce.compile(program, backend);
    const results = await executable.run(inputs());
    return results
      .map((result) =>
        result instanceof Tensor
          ? `${result.dtype}[${result.shape.join()}] ${JSON.stringify(result.toArray(), text)}`
          : String(result),
      )
      .join("; ");
  } catch (error) {
    if (isSconceError(error) && error.code !== "PLUGIN_FAILED") return "refused";
    throw error;
  }
}
const text = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

const one = { inputs: "%x: f32[4]", given: [[4]] };
const square = { inputs: "%x: f32[2, 2]", given: [[2, 2]] };
const sized = { inputs: "%x: f32[s0], %z: f32[s1]", given: [[6], [4]] };

/** Calls that read a mask or a tensor whose strides are not as many as its sizes. */
const READS: Readonly<Record<string, string>> = {
  "aten.index.Tensor(%x, [%b])": "f32[u0]",
  "aten.masked_select.default(%x, %b)": "f32[u0]",
  "aten.nonzero.default(%b)": "i64[u0, 2]{1, u0}",
  "aten.where.self(%b, %x, %n)": "f32[3, 4]",
  "aten.view.default(%n, [12])": "f32[12]",
  "aten.permute.default(%n, [1, 0])": "f32[4, 3]{1, 4}",
  "aten.select.int(%n, 0, 1)": "f32[4]@4",
  "aten.sum.dim_IntList(%n, [1])": "f32[3]",
  "aten.cumsum.default(%n, 1)": "f32[3, 4]",
  "aten.cat.default([%n, %x])": "f32[6, 4]",
  "aten.clone.default(%n)": "f32[3, 4]",
};

const LIES: readonly Lie[] = [
  ...["{}", "{7}", "{0}", "{2147483647}", "{1, 1, 1}"].flatMap((strides) => [
    ...Object.entries(READS).map(([call, type]) => {
      const [n, b] = call.includes("%b") ? ["", strides] : [strides, ""];
      return {
        name: `${strides} for two sizes, ${call}`,
        inputs: "%x: f32[3, 4]",
        given: [[3, 4]],
        body: `%n: f32[3, 4]${n} = aten.neg.default(%x)
  %b: b8[3, 4]${b} = aten.gt.Scalar(%x, 5)
  %y: ${type} = ${call}`,
        problem: /2 sizes and [013] strides/,
      };
    }),
    {
      name: `${strides} for two sizes of an input`,
      inputs: `%x: f32[3, 4]${strides}`,
      given: [[3, 4]],
      body: "%y: f32[4, 3]{1, 4} = aten.permute.default(%x, [1, 0])",
      problem: /2 sizes and [013] strides/,
    },
    {
      name: `${strides} for two sizes, in a list`,
      inputs: "%x: f32[3, 4]",
      given: [[3, 4]],
      body: `%t: (f32[3, 4], i64[3, 4]${strides}) = aten.sort.default(%x)\n  %y: i64[3, 4] = operator.getitem(%t, 1)`,
      problem: /2 sizes and [013] strides/,
    },
    {
      name: `${strides} for two sizes, in a branch`,
      inputs: "%x: f32[3, 4], %n: f32[1]",
      given: [[3, 4], [1]],
      body: `%p: b8[1] = aten.gt.Scalar(%n, 0)
  %t = get_attr yes
  %f = get_attr no
  %c: (f32[3]) = higher_order.cond(%p, %t, %f, (%x))
  %y: f32[3] = operator.getitem(%c, 0)`,
      nested: `
  graph yes(%a: f32[3, 4]) {
    %k: f32[3, 4]${strides} = aten.neg.default(%a)
    %m: f32[3] = aten.sum.dim_IntList(%k, [1])
    return (%m)
  }
  graph no(%b: f32[3, 4]) {
    %m: f32[3] = aten.sum.dim_IntList(%b, [1])
    return (%m)
  }
`,
      problem: /2 sizes and [013] strides/,
    },
  ]),
  ...["{7}", "{0}", "{1000000000}", "@1000"].map((layout) => ({
    name: `a result with ${layout}`,
    ...one,
    body: `%y: f32[4]${layout} = aten.neg.default(%x)`,
    problem: /records strides/,
  })),
  {
    name: "a result with a symbol as stride",
    ...sized,
    body: "%y: f32[s0]{s1} = aten.neg.default(%x)",
    problem: /records strides \[s1\]/,
  },
  {
    name: "a result of another symbol's size",
    ...sized,
    body: "%y: f32[s1] = aten.neg.default(%x)",
  },
  {
    name: "an intermediate of another symbol's size",
    ...sized,
    body: "%a: f32[s1] = aten.neg.default(%x)\n  %y: f32[s1] = aten.add.Tensor(%a, %z)",
  },
  {
    name: "a sum over another symbol's size",
    ...sized,
    body: "%a: f32[s1] = aten.neg.default(%x)\n  %y: f32[] = aten.sum.default(%a)",
  },
  {
    name: "a number of another value",
    ...sized,
    body: `%n: int(s0) = aten.sym_size.int(%x, 0)
  %m: int(s0 + s1) = operator.mul(%n, 2)
  %y: f32[s0 + s1] = aten.full.default([%m], 1.0)`,
  },
  {
    name: "a number that is never so",
    ...sized,
    body: `%n: int(s0) = aten.sym_size.int(%x, 0)
  %m: int(2*s0 + 1) = operator.mul(%n, 2)
  %y: f32[2*s0 + 1] = aten.full.default([%m], 1.0)`,
    problem: /records the int/,
  },
  {
    name: "the size of a tensor that is read from its data",
    inputs: "%x: f32[4]",
    given: [[4]],
    body: `%m: f32[] = aten.amax.default(%x, [0])
  %i: i64[] = aten._to_copy.default(%m, dtype=int64)
  %n: int(3) = aten._local_scalar_dense.default(%i)
  %f: f32[3] = aten.full.default([%n], 1.0)
  %y: f32[3] = aten.neg.default(%f)`,
  },
  {
    name: "an intermediate that another layout lets be viewed",
    ...square,
    body: "%a: f32[2, 2]{1, 2} = aten.neg.default(%x)\n  %y: f32[4] = aten.view.default(%a, [4])",
    problem: /records strides/,
  },
  {
    name: "as_strided of an intermediate in another order",
    ...square,
    body: "%a: f32[2, 2]{1, 2} = aten.neg.default(%x)\n  %y: f32[4] = aten.as_strided.default(%a, [4], [1], 0)",
    problem: /records strides/,
  },
  {
    name: "as_strided of a transposed copy that states no strides",
    ...square,
    body: `%t: f32[2, 2] = aten.permute.default(%x, [1, 0])
  %a: f32[2, 2] = aten.neg.default(%t)
  %y: f32[4] = aten.as_strided.default(%a, [4], [1], 0)`,
  },
  {
    name: "as_strided of an intermediate with gaps",
    ...square,
    body: "%a: f32[2, 2]{100, 1} = aten.neg.default(%x)\n  %y: f32[2]{50} = aten.as_strided.default(%a, [2], [50], 0)",
    problem: /records strides/,
  },
  {
    name: "as_strided of an intermediate with an offset",
    ...square,
    body: "%a: f32[2, 2]@500 = aten.neg.default(%x)\n  %y: f32[4]@500 = aten.as_strided.default(%a, [4], [1], 500)",
    problem: /records strides/,
  },
  {
    name: "another dtype",
    ...one,
    body: "%y: f64[4] = aten.neg.default(%x)",
    problem: /records float64/,
  },
  {
    name: "another dtype in between",
    ...one,
    body: "%a: i64[4] = aten.mul.Tensor(%x, 0.5)\n  %y: f32[4] = aten.mul.Tensor(%a, 1.0)",
    problem: /records int64/,
  },
  {
    name: "a part of another size",
    ...one,
    body: "%t: (f32[4], i64[400]) = aten.sort.default(%x)\n  %y: i64[400] = operator.getitem(%t, 1)",
    problem: /records result 1/,
  },
  {
    name: "a part with other strides",
    ...one,
    body: "%t: (f32[4], i64[4]) = aten.sort.default(%x)\n  %y: f32[4]{0} = operator.getitem(%t, 0)",
    problem: /records strides/,
  },
  {
    name: "parts with other strides",
    ...one,
    body: "%t: (f32[4]{0}, i64[4]) = aten.sort.default(%x)\n  %y: f32[4]{0} = operator.getitem(%t, 0)",
    problem: /records result 0 as strides/,
  },
  {
    name: "a part that there is not",
    ...one,
    body: "%t: (f32[4], i64[4]) = aten.sort.default(%x)\n  %y: f32[4] = operator.getitem(%t, 7)",
    problem: /takes result 7/,
  },
  {
    name: "state with other strides",
    inputs: "%w: f32[2, 2]{1, 2}, %x: f32[4]",
    given: [[4]],
    state: { w: counted([2, 2]) },
    body: "%v: f32[4] = aten.as_strided.default(%w, [4], [1], 0)\n  %y: f32[4] = aten.add.Tensor(%x, %v)",
    problem: /has strides \[2, 1\]/,
  },
  {
    name: "state with an offset",
    inputs: "%w: f32[2, 2]@2, %x: f32[2]",
    given: [[2]],
    state: { w: counted([2, 2]) },
    body: "%v: f32[2]@2 = aten.as_strided.default(%w, [2], [1], 2)\n  %y: f32[2] = aten.add.Tensor(%x, %v)",
    problem: /offset 0, its input w is recorded/,
  },
  {
    name: "state of another shape",
    inputs: "%w: f32[64, 64], %x: f32[4]",
    given: [[4]],
    state: { w: counted([2, 2]) },
    body: "%s: f32[] = aten.sum.default(%w)\n  %y: f32[4] = aten.add.Tensor(%x, %s)",
    problem: /is recorded as float32\[64, 64\]/,
  },
  {
    name: "an operand of a branch of another size",
    inputs: "%x: f32[4], %n: f32[1]",
    given: [[4], [1]],
    body: `%p: b8[1] = aten.gt.Scalar(%n, 0)
  %t = get_attr yes
  %f = get_attr no
  %c: (f32[]) = higher_order.cond(%p, %t, %f, (%x))
  %g: f32[] = operator.getitem(%c, 0)
  %y: f32[] = aten.mul.Tensor(%g, 1.0)`,
    nested: `
  graph yes(%a: f32[8]) {
    %m: f32[] = aten.mean.default(%a)
    return (%m)
  }
  graph no(%b: f32[8]) {
    %m: f32[] = aten.sum.default(%b)
    return (%m)
  }
`,
    problem: /operand 0 is float32\[4\]/,
  },
  {
    name: "a result of a branch of another dtype",
    inputs: "%x: f32[4], %n: f32[1]",
    given: [[4], [1]],
    body: `%p: b8[1] = aten.gt.Scalar(%n, 0)
  %t = get_attr yes
  %f = get_attr no
  %c: (i64[4]) = higher_order.cond(%p, %t, %f, (%x))
  %g: i64[4] = operator.getitem(%c, 0)
  %y: f32[4] = aten.mul.Tensor(%g, 1.0)`,
    nested: `
  graph yes(%a: f32[4]) {
    %m: f32[4] = aten.mul.Tensor(%a, 0.5)
    return (%m)
  }
  graph no(%b: f32[4]) {
    %m: f32[4] = aten.mul.Tensor(%b, 0.25)
    return (%m)
  }
`,
    problem: /the call records result 0 as int64/,
  },
  ...["aten.empty.memory_format([4])", "aten.empty_like.default(%x)", "aten.new_empty.default(%x, [4])"].map(
    (call) => ({ name: call, ...one, body: `%y: f32[4] = ${call}` }),
  ),
];

describe.each(LIES)("$name", (lie) => {
  test("verify", () => {
    const program = sconce.parseIr(textOf(lie), { tensors: new Map(Object.entries(lie.state ?? {})) });
    const messages = sconce.verify(program).map(({ message }) => message);
    if (lie.problem === undefined) expect(messages).toEqual([]);
    else expect(messages[0]).toMatch(lie.problem);
  });

  test.each(BACKENDS)("%s gives what the interpreter gives, or refuses it", async (backend) => {
    const [expected, given] = [await ran(lie, "cpu"), await ran(lie, backend)];
    if (given !== "refused") expect(given).toBe(expected);
  });
});

describe.each(["TRAINING", "ATEN"])("a recorded number of an input, %s", (dialect) => {
  const program = (recorded: string, product: string, examples: string): string => `sconce-ir 1
symbol s43 integer

program "${dialect}" {
  input %a: USER_INPUT
  input symint %n: USER_INPUT
  output %add: USER_OUTPUT
  output symint %mul: USER_OUTPUT
${examples}
}
graph(%a: i64[2], %n: ${recorded}) {
  %mul: ${product} = operator.mul(%n, %n)
  %add: i64[2] = aten.add.Tensor(%a, %mul)
  return (%add, %mul)
}`;
  const given = Tensor.from([1n, 2n], [2], "int64");
  const examples = "  examples\n    example tensor i64[2]\n    example 3";

  test.each(["cpu", ...BACKENDS])("%s refuses other numbers", async (backend) => {
    for (const product of ["int(1)", "int(s43**2)"])
      for (const [withThem, code] of [
        [examples, "GUARD_FAILED"],
        ["", "INPUT_MISMATCH"],
      ] as const) {
        using run = await sconce.compile(sconce.parseIr(program("int(-1)", product, withThem)), backend);
        await expect(run.run([given, 7])).rejects.toMatchObject({ code });
      }
  });

  test.each(["cpu", ...BACKENDS])("%s takes the number that it is", async (backend) => {
    for (const withThem of [examples, ""]) {
      using run = await sconce.compile(sconce.parseIr(program("int(3)", "int(9)", withThem)), backend);
      const [sum, product] = await run.run([given, 3]);
      expect([(sum as Tensor).toArray(), Number(product)]).toEqual([[10n, 11n], 9]);
    }
  });
});
