import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { sampleProgram } from "@sconce/testing";
import { describe, expect, test } from "vitest";
import { sampledCount } from "../../../../.config/sampled.js";
import { recorded, session, small } from "../programs.fixture.js";
import { AXIS_RULES } from "./axis-rules.js";
import { proveRows } from "./prove-rows.js";
import { runsTogether } from "./runs-together.fixture.js";

const proof = (program: ExportedProgram): string => {
  const { rows, reason } = proveRows(session.runDecompositions(program), session.operators);
  return rows ?? reason;
};

const PROVED: Readonly<Record<string, Parameters<typeof small>[0]>> = {
  "products of matrices": {
    takes: "x: f32[s0, 4]",
    state: { w: [4, 3], b: [3] },
    calls: "%y: f32[s0, 3] = aten.addmm.default(%p_b, %x, %p_w)",
    gives: "y",
  },
  "softmax and sums along other dimensions": {
    takes: "x: f32[s0, 4, 5]",
    calls: `%a: f32[s0, 4, 5] = aten._softmax.default(%x, -1, false)
      %y: f32[s0, 5] = aten.sum.dim_IntList(%a, [1])`,
    gives: "y",
  },
  "rows joined with other dimensions, and divided again": {
    takes: "x: f32[s0, 4, 5]",
    calls: `%a: f32[4*s0, 5] = aten.view.default(%x, [-1, 5])
      %b: f32[4*s0] = aten.amax.default(%a, [1])
      %y: f32[s0, 4] = aten.view.default(%b, [-1, 4])`,
    gives: "y",
  },
  "another order of dimensions": {
    takes: "x: f32[s0, 4, 5]",
    calls: `%a: f32[5, s0, 4]{1, 20, 5} = aten.permute.default(%x, [2, 0, 1])
      %b: f32[s0, 4]{20, 5} = aten.select.int(%a, 0, 2)
      %c: f32[s0, 1, 4]{20, 4, 5} = aten.unsqueeze.default(%b, 1)
      %y: f32[s0, 4, 1]{20, 5, 5} = aten.permute.default(%c, [0, 2, 1])`,
    gives: "y",
  },
  "batches of products": {
    takes: "x: f32[s0, 2, 3], z: f32[s0, 3, 4]",
    calls: "%y: f32[s0, 2, 4] = aten.bmm.default(%x, %z)",
    gives: "y",
  },
  "several results, one of them for all rows": {
    takes: "x: f32[s0, 4]",
    state: { w: [4] },
    calls: `%y: f32[s0, 4] = aten.mul.Tensor(%x, %p_w)
      %z: f32[s0, 2] = aten.slice.Tensor(%y, 1, 0, 2)`,
    gives: "y, z",
  },
  "rows looked up in a table": {
    takes: "i: i64[s0, 2]",
    state: { w: [3, 4] },
    calls: "%y: f32[s0, 2, 4] = aten.embedding.default(%p_w, %i)",
    gives: "y",
  },
};

test.each(Object.entries(PROVED))(
  "rows stay separate in %s, and runs together give the same bits",
  async (_, parts) => {
    const program = small(parts);
    expect(proof(program)).toBe("s0");
    expect(await runsTogether(program, "s0")).toBe(true);
  },
);

test.each(["digits", "net_mlp", "net_resnet", "net_vit", "net_bert", "net_gpt", "net_diffusion"])(
  "the rows of %s stay separate, and runs together give the same bits",
  async (name) => {
    const program = await recorded(name);
    const symbol = proof(program);
    expect(symbol).toMatch(/^s\d+$/);
    expect(await runsTogether(program, symbol)).toBe(true);
    expect(await runsTogether(program, symbol, "wasm")).toBe(true);
  },
);

/** One call each: what it takes, the call, its results. */
const CALLS: readonly (readonly [takes: string, calls: string])[] = [
  ["x: f32[s0, 1, 4]", "%y: f32[s0, 4] = aten.squeeze.dims(%x, [1])"],
  ["x: f32[s0, 1, 4]", "%y: f32[s0, 3, 4]{4, 0, 1} = aten.expand.default(%x, [-1, 3, -1])"],
  [
    "x: f32[s0, 2]",
    "%a: f32[1, s0, 2] = aten.unsqueeze.default(%x, 0)\n%y: f32[s0, 2] = aten.select.int(%a, 0, 0)",
  ],
  ["x: f32[s0, 2]", "%y: f32[s0, 6] = aten.repeat.default(%x, [1, 3])"],
  ["x: f32[s0, 4]", "%y: f32[s0, 7] = aten.constant_pad_nd.default(%x, [1, 2], 0.5)"],
  ["x: f32[s0, 4], z: f32[s0, 2]", "%y: f32[s0, 6] = aten.cat.default([%x, %z], 1)"],
  ["x: f32[s0, 4]", "%y: f32[s0, 2], %z: i64[s0, 2] = aten.topk.default(%x, 2)"],
  ["x: f32[s0, 4]", "%y: f32[s0, 4], %z: i64[s0, 4] = aten.sort.default(%x, 1)"],
  ["x: f32[s0, 4]", "%y: f32[s0, 1] = aten.var.correction(%x, [1], correction=1, keepdim=true)"],
  ["x: f32[s0, 4]", "%y: i64[s0] = aten.argmax.default(%x, 1)"],
  ["x: f32[s0, 4]", "%y: f32[s0, 4] = aten.cumsum.default(%x, 1)"],
  ["x: f32[s0, 4]", "%y: f32[s0, 4] = aten.flip.default(%x, [-1])"],
  ["x: f32[s0, 4]", "%y: f32[s0, 1], %z: f32[s0, 3]{4, 1}@1 = aten.split_with_sizes.default(%x, [1, 3], 1)"],
  [
    "x: f32[s0, 4]",
    "%i: i64[3] = aten.arange.default(3)\n%y: f32[s0, 3] = aten.index_select.default(%x, 1, %i)",
  ],
  ["x: f32[s0, 4], i: i64[s0, 2]", "%y: f32[s0, 2] = aten.gather.default(%x, 1, %i)"],
  [
    "x: f32[s0, 2, 4, 4]",
    "%y: f32[s0, 2, 2, 2], %z: i64[s0, 2, 2, 2] = aten.max_pool2d_with_indices.default(%x, [2, 2])",
  ],
  ["x: f32[s0, 2, 4, 4]", "%y: f32[s0, 2, 2, 2] = aten.avg_pool2d.default(%x, [2, 2])"],
  ["x: f32[s0, 2, 4, 4]", "%y: f32[s0, 2, 3, 3] = aten._adaptive_avg_pool2d.default(%x, [3, 3])"],
  ["x: f32[s0, 2, 3, 3]", "%y: f32[s0, 2, 6, 6] = aten.upsample_nearest2d.vec(%x, [6, 6], none)"],
  ["x: f32[s0, 2, 3, 3]", "%y: f32[s0, 2, 5, 5] = aten.upsample_bilinear2d.vec(%x, [5, 5], false, none)"],
  [
    "x: f32[s0, 2, 3, 3], g: f32[s0, 2, 2, 2]",
    "%y: f32[s0, 2, 2, 2] = aten.grid_sampler_2d.default(%x, %g, 0, 0, false)",
  ],
  [
    "x: f32[s0, 3, 4]",
    "%i: i64[2] = aten.arange.default(2)\n%y: f32[s0, 3, 2] = aten.index.Tensor(%x, [none, none, %i])",
  ],
  [
    "x: f32[s0, 3, 4]",
    "%i: i64[2] = aten.arange.default(2)\n%y: f32[s0, 2] = aten.index.Tensor(%x, [none, %i, %i])",
  ],
  [
    "x: f32[s0, 3, 4]",
    "%i: i64[2] = aten.arange.default(2)\n%a: f32[3, s0, 4]{4, 12, 1} = aten.permute.default(%x, [1, 0, 2])\n%b: f32[2, s0] = aten.index.Tensor(%a, [%i, none, %i])\n%y: f32[s0, 2]{1, s0} = aten.permute.default(%b, [1, 0])",
  ],
  ["i: i64[s0, 2]", "%t: f32[4] = aten.full.default([4], 1.5)\n%y: f32[s0, 2] = aten.index.Tensor(%t, [%i])"],
  ["x: f32[s0, 2, 3]", "%y: f32[s0, 2, 5] = aten.reflection_pad1d.default(%x, [1, 1])"],
  ["x: f32[s0, 4, 2, 2]", "%y: f32[s0, 1, 4, 4] = aten.pixel_shuffle.default(%x, 2)"],
  [
    "x: f32[s0, 4]",
    "%n: int(s0) = aten.sym_size.int(%x, 0)\n%a: f32[s0, 1] = aten.full.default([%n, 1], 2.0)\n%y: f32[s0, 4] = aten.mul.Tensor(%x, %a)",
  ],
  [
    "x: f32[s0, 4]",
    "%a: b8[s0, 4] = aten.gt.Scalar(%x, 0)\n%b: f32[s0, 4] = aten.full_like.default(%x, 3)\n%y: f32[s0, 4] = aten.where.self(%a, %x, %b)",
  ],
];

test.each(CALLS)("rows stay separate: %s, %s", async (takes, calls) => {
  const gives = calls.includes("%z:") ? "y, z" : "y";
  const program = small({ takes, calls: severalResults(calls), gives });
  expect(proof(program)).toBe("s0");
  expect(await runsTogether(program, "s0")).toBe(true);
});

/** Writes `%y: A, %z: B = call` as the call and its two results. */
const severalResults = (calls: string): string =>
  calls.replace(
    /^%y: (.*), %z: (.*?) = (.*)$/m,
    "%all: ($1, $2) = $3\n%y: $1 = operator.getitem(%all, 0)\n%z: $2 = operator.getitem(%all, 1)",
  );

describe("what combines rows, or may do so, is named", () => {
  const one = (calls: string, gives = "y", more: Partial<Parameters<typeof small>[0]> = {}): string =>
    proof(small({ takes: "x: f32[s0, 4]", calls, gives, ...more }));

  test.each([
    [
      "%y: f32[s0, 4] = aten._softmax.default(%x, 0, false)",
      "at %y (aten._softmax.default): it combines elements along the rows",
    ],
    ["%y: f32[s0, 4] = aten.cumsum.default(%x, 0)", "it combines elements along the rows"],
    ["%y: f32[s0, 4] = aten.flip.default(%x, [0])", "it combines elements along the rows"],
    [
      "%m: f32[1, 4] = aten.mean.dim(%x, [0], true)\n%y: f32[s0, 4] = aten.sub.Tensor(%x, %m)",
      "at %m (aten.mean.dim)",
    ],
    [
      "%m: f32[] = aten.sum.default(%x)\n%y: f32[s0, 4] = aten.sub.Tensor(%x, %m)",
      "it combines elements of all dimensions",
    ],
    [
      "%n: int(s0) = aten.sym_size.int(%x, 0)\n%y: f32[s0, 4] = aten.mul.Tensor(%x, %n)",
      "it computes with the number of rows",
    ],
    [
      "%n: int(s0) = aten.sym_size.int(%x, 0)\n%a: i64[s0] = aten.arange.default(%n)\n%b: i64[s0, 1] = aten.unsqueeze.default(%a, 1)\n%y: f32[s0, 4] = aten.add.Tensor(%x, %b)",
      "it computes with the number of rows",
    ],
    [
      "%t: f32[4, s0]{1, 4} = aten.permute.default(%x, [1, 0])\n%y: f32[s0, s0] = aten.mm.default(%x, %t)",
      "it multiplies rows with each other",
    ],
    [
      "%y: f32[s0 - 1, 4]@4 = aten.slice.Tensor(%x, 0, 1, 9223372036854775807)",
      "it selects some of the rows",
    ],
    ["%y: f32[2*s0, 4] = aten.cat.default([%x, %x])", "it joins rows to each other"],
    [
      "%y: f32[2*s0, 2] = aten.view.default(%x, [-1, 2])",
      "the first dimension of output 0 (%y) does not hold the rows",
    ],
    ["%y: f32[4, s0] = aten.view.default(%x, [4, -1])", "the new shape does not keep the rows separate"],
    ["%y: f32[4, s0]{1, 4} = aten.permute.default(%x, [1, 0])", "the first dimension of output 0"],
    [
      "%i: i64[1] = aten.full.default([1], 0)\n%y: f32[1, 4] = aten.index.Tensor(%x, [%i])",
      "it selects rows by an index",
    ],
    [
      "%i: i64[s0] = aten.argmax.default(%x, 1)\n%y: f32[s0, 4] = aten.index.Tensor(%x, [%i])",
      "it selects rows by an index",
    ],
    ["%y: f32[s0, 4] = aten.bernoulli.default(%x)", "it draws random numbers"],
  ])("%s", (calls, reason) => {
    expect(one(calls)).toContain(reason);
  });

  test.each([
    ["x: f32[4, s0]", "the first dimension of the input *args[0] is 4, not a symbol"],
    ["x: f32[2*s0]", "is 2*s0, not a symbol"],
    ["x: f32[s0, s0]", "dimension 1 of the input *args[0] depends on s0, too"],
    ["x: f32[]", "is missing, not a symbol"],
    ["x: f32[s0], z: f32[s1]", "is s1, and that of another input s0"],
  ])("inputs %s", (takes, reason) => {
    const [, shape] = /x: f32\[(.*?)\]/.exec(takes)!;
    expect(proof(small({ takes, calls: `%y: f32[${shape}] = aten.neg.default(%x)`, gives: "y" }))).toContain(
      reason,
    );
  });

  test("a comparison of all elements, although its operator has the tag of elementwise ones", () => {
    const calls = `%e: bool(Eq(u0, 1)) = aten.equal.default(%x, %z)
      %y: f32[s0, 4] = aten.mul.Tensor(%x, %e)`;
    const program = small({ takes: "x: f32[s0, 4], z: f32[s0, 4]", calls, gives: "y" });
    expect(proveRows(program, session.operators).reason).toBe(
      "at %e (aten.equal.default): no rule says which rows it combines",
    );
  });

  test("a table whose rows come from the requests", () => {
    const calls = "%y: f32[s0, 4] = aten.embedding.default(%x, %i)";
    expect(proof(small({ takes: "x: f32[s0, 4], i: i64[s0]", calls, gives: "y" }))).toContain(
      "that all rows share",
    );
  });

  test.each(["lower_arange_scaled", "shape_dim_static", "strict_cond_dynamic", "flow_map", "ir_meta_values"])(
    "the recorded program %s",
    async (name) => {
      expect(proof(await recorded(name))).not.toMatch(/^s\d+$/);
    },
  );
});

test("every rule is for an operator that exists", () => {
  const missing = [...AXIS_RULES.keys()].filter((target) => session.operators.schemaOf(target) === undefined);
  expect(missing).toEqual([]);
});

test("random programs whose rows are proved to stay separate give the same bits together", async () => {
  const wrong: number[] = [];
  let proved = 0;
  for (let seed = 0; seed < sampledCount(3000, 10); seed++) {
    const program = sampleProgram(seed, { maxNodes: 10, mutations: false });
    const symbol = program.rangeConstraints.size === 0 ? "" : lowered(program);
    if (!/^s\d+$/.test(symbol)) continue;
    proved++;
    if (!(await runsTogether(program, symbol))) wrong.push(seed);
  }
  expect(wrong).toEqual([]);
  expect(proved).toBeGreaterThan(20);
});

/** Returns the proof, or why a program cannot be lowered. */
function lowered(program: ExportedProgram): string {
  try {
    return proof(program);
  } catch (error) {
    if (isSconceError(error)) return error.message;
    throw error;
  }
}
