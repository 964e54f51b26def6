/** @file The operator `flex_attention` beside PyTorch's CPU kernel (`oracle/flex_attention.py`). */
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { runDecompositions } from "@sconce/passes";
import { createSconce, type Sconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { type DType, Tensor } from "@sconce/tensor";
import { compareTensors } from "@sconce/tensor/compare";
import { describe, expect, test } from "vitest";
import { fixtureJson } from "../fixtures.js";
import { values } from "./values.fixture.js";

/** The dtype, the sizes, the elements and the strides of a result. */
type Recorded = readonly [DType, readonly number[], readonly (number | string)[], readonly number[]];
const { operator } = fixtureJson("higher-order/flex-attention.json.gz") as {
  readonly operator: Readonly<Record<string, readonly Recorded[]>>;
};
const RECORDED = Object.entries(operator);

/** A graph of one element: its further inputs, and its calls. */
interface Body {
  readonly buffers?: readonly (readonly [name: string, type: string])[];
  readonly calls: readonly string[];
  readonly result: string;
}
const SAME: Body = { calls: [], result: "%s" };
const EVERYTHING: Body = {
  calls: ["%ones: b8[] = aten.new_ones.default(%b, [], dtype=bool, pin_memory=false)"],
  result: "%ones",
};
const CAUSAL: Body = { calls: ["%ge: b8[] = aten.ge.Tensor(%q, %k)"], result: "%ge" };
const SLOPE = ["slope", "f32[]"] as const;
const BIAS = ["bias", "f32[4, 6]"] as const;
const DOCUMENTS = ["documents", "i64[6]"] as const;
/** The score of the dtype that is computed in. */
const SCORE = "SCORE";
const CASES: Readonly<Record<string, readonly [score: Body, mask: Body]>> = {
  plain: [SAME, EVERYTHING],
  causal: [SAME, CAUSAL],
  masked_rows: [SAME, { calls: ["%gt: b8[] = aten.gt.Tensor(%q, %k)"], result: "%gt" }],
  relative: [
    {
      calls: [
        "%sub: i32[] = aten.sub.Tensor(%q, %k)",
        "%mul: f32[] = aten.mul.Tensor(%sub, 0.25)",
        `%add: ${SCORE}[] = aten.add.Tensor(%s, %mul)`,
      ],
      result: "%add",
    },
    EVERYTHING,
  ],
  alibi: [
    {
      buffers: [SLOPE],
      calls: [
        "%sub: i32[] = aten.sub.Tensor(%q, %k)",
        "%abs: i32[] = aten.abs.default(%sub)",
        "%mul: f32[] = aten.mul.Tensor(%abs, %slope)",
        "%head: i32[] = aten.add.Tensor(%h, 1)",
        "%of_head: f32[] = aten.mul.Tensor(%mul, %head)",
        `%less: ${SCORE}[] = aten.sub.Tensor(%s, %of_head)`,
      ],
      result: "%less",
    },
    CAUSAL,
  ],
  bias: [
    {
      buffers: [BIAS],
      calls: [
        "%index: f32[] = aten.index.Tensor(%bias, [%h, %k])",
        `%add: ${SCORE}[] = aten.add.Tensor(%s, %index)`,
      ],
      result: "%add",
    },
    {
      buffers: [DOCUMENTS],
      calls: [
        "%of_q: i64[] = aten.index.Tensor(%documents, [%q])",
        "%of_k: i64[] = aten.index.Tensor(%documents, [%k])",
        "%eq: b8[] = aten.eq.Tensor(%of_q, %of_k)",
      ],
      result: "%eq",
    },
  ],
  softcap: [
    {
      calls: [
        `%div: ${SCORE}[] = aten.div.Tensor(%s, 2)`,
        `%tanh: ${SCORE}[] = aten.tanh.default(%div)`,
        `%mul: ${SCORE}[] = aten.mul.Tensor(%tanh, 2)`,
      ],
      result: "%mul",
    },
    {
      calls: [
        "%ge: b8[] = aten.ge.Tensor(%q, %k)",
        "%sub: i32[] = aten.sub.Tensor(%q, %k)",
        "%lt: b8[] = aten.lt.Scalar(%sub, 3)",
        "%both: b8[] = aten.bitwise_and.Tensor(%ge, %lt)",
      ],
      result: "%both",
    },
  ],
  constant: [
    {
      calls: [
        "%add: i32[] = aten.add.Tensor(%q, %k)",
        "%float: f32[] = aten._to_copy.default(%add, dtype=float32)",
      ],
      result: "%float",
    },
    CAUSAL,
  ],
  row_sum: [
    {
      buffers: [BIAS],
      calls: [
        `%mul: ${SCORE}[4, 6] = aten.mul.Tensor(%bias, %s)`,
        `%sum: ${SCORE}[] = aten.sum.default(%mul)`,
        `%tenth: ${SCORE}[] = aten.mul.Tensor(%sum, 0.1)`,
        `%add: ${SCORE}[] = aten.add.Tensor(%s, %tenth)`,
      ],
      result: "%add",
    },
    CAUSAL,
  ],
};

/** Functions that cannot be run for all elements at once. */
const BY_ELEMENT: readonly [score: Body, mask: Body] = [
  {
    calls: [
      `%stack: ${SCORE}[2] = aten.stack.default([%s, %s])`,
      `%sum: ${SCORE}[] = aten.sum.default(%stack)`,
    ],
    result: "%sum",
  },
  {
    calls: [
      "%stack: i32[2] = aten.stack.default([%q, %k])",
      "%sum: i64[] = aten.sum.default(%stack)",
      "%gt: b8[] = aten.gt.Scalar(%sum, 3)",
    ],
    result: "%gt",
  },
];

const BUFFERS: Readonly<Record<string, Tensor>> = {
  slope: Tensor.from([0.5], [], "float32"),
  bias: values([4, 6], 3),
  documents: Tensor.from([0, 0, 0, 1, 1, 1], { dtype: "int64" }),
};
const SHORT: Readonly<Record<string, string>> = { float32: "f32", float64: "f64", float16: "f16" };

interface Sizes {
  readonly q: readonly number[];
  readonly k: readonly number[];
  readonly v: readonly number[];
  readonly out: string;
  /** The dtype of the sums and of the greatest scores. */
  readonly sums: DType;
}

/** A program that attends, with the functions as nested graphs. */
function programOf(
  [score, mask]: readonly [Body, Body],
  dtype: DType,
  { q, k, v, out, sums }: Sizes,
): ExportedProgram {
  const type = SHORT[dtype]!;
  const working = dtype === "float64" ? "f64" : "f32";
  const inputs = [
    ["query", q],
    ["key", k],
    ["value", v],
  ].map(([name, size]) => [name, `${type}[${String(size).replaceAll(",", ", ")}]`]);
  const buffers = [...new Set([...(score.buffers ?? []), ...(mask.buffers ?? [])])];
  const all = [...inputs, ...buffers];
  const given = (body: Body): string => `(${(body.buffers ?? []).map(([name]) => `%${name},`).join(" ")})`;
  const places = ["b", "h", "q", "k"].map((name) => `%${name}: i32[]`);
  const graph = (name: string, own: readonly string[], body: Body): string =>
    [
      `graph ${name}(${[...own, ...(body.buffers ?? []).map(([buffer, type]) => `%${buffer}: ${type}`)].join(", ")}) {`,
      ...body.calls.map((call) => call.replaceAll(SCORE, working)),
      `return ${body.result}`,
      "}",
    ].join("\n");
  const rest = q.slice(0, 3).join(", ");
  const sum = SHORT[sums];
  const lines = [
    "sconce-ir 1",
    'program "ATEN" {',
    ...all.map(([name]) => `input %${name}: USER_INPUT`),
    ...["out", "lse", "max"].map((name) => `output %${name}: USER_OUTPUT`),
    "}",
    `graph(${all.map(([name, type]) => `%${name}: ${type}`).join(", ")}) {`,
    "%sdpa_score0 = get_attr sdpa_score0",
    "%sdpa_mask0 = get_attr sdpa_mask0",
    `%flex_attention: (${out}, ${sum}[${rest}], ${sum}[${rest}]) = higher_order.flex_attention(%query, %key, %value, %sdpa_score0, (1, 1, none, none, none, none, none, none, none, none, none, none, none, none, 128, 128, %sdpa_mask0), 0.5, {"BACKEND": "AUTO"}, ${given(score)}, ${given(mask)})`,
    `%out: ${out} = operator.getitem(%flex_attention, 0)`,
    `%lse: ${sum}[${rest}] = operator.getitem(%flex_attention, 1)`,
    `%max: ${sum}[${rest}] = operator.getitem(%flex_attention, 2)`,
    "return (%out, %lse, %max)",
    graph("sdpa_score0", [`%s: ${working}[]`, ...places], score),
    graph("sdpa_mask0", places, mask),
    "}",
  ];
  return parseIr(lines.join("\n"));
}

const sessionOn = async (backend: string): Promise<Sconce> =>
  createSconce({ backends: backend === "cpu" ? [] : [await loadBackend(backend, { threads: 1 })] });

describe.each(["cpu", "wasm"])("flex_attention on %s", async (backend) => {
  const session = await sessionOn(backend);
  test.each(RECORDED)("%s gives PyTorch's numbers", async (name, wanted) => {
    const [kind, dtype] = name.split(" ") as [string, DType];
    const isTransposed = kind === "transposed";
    const query = isTransposed
      ? values([2, 5, 4, 3], 7, dtype).asStrided([2, 4, 5, 3], [60, 3, 12, 1], 0)
      : values([2, 4, 5, 3], 7, dtype);
    const key = values([isTransposed ? 1 : 2, isTransposed ? 4 : 2, 6, 3], 5, dtype);
    const value = isTransposed ? key : values([2, 2, 6, 4], 11, dtype);
    const functions = CASES[isTransposed ? "causal" : kind]!;
    const [, shape, , strides] = wanted[0]!;
    const type = `${SHORT[dtype]}[${shape.join(", ")}]`;
    const out = isTransposed ? `${type}{${strides.join(", ")}}` : type;
    const program = programOf(functions, dtype, {
      q: query.shape,
      k: key.shape,
      v: value.shape,
      out,
      sums: wanted[1]![0],
    });
    const buffers = [...new Set(functions.flatMap(({ buffers = [] }) => buffers))];
    const inputs = [query, key, value, ...buffers.map(([buffer]) => BUFFERS[buffer]!)];
    for (const subject of [program, runDecompositions(program)]) {
      using executable = await session.compile(subject, backend);
      const results = (await executable.run(inputs)) as Tensor[];
      for (const [i, [dtypeOf, sizes, numbers, places]] of wanted.entries()) {
        const want = Tensor.from(numbers.map(Number), sizes, dtypeOf);
        const tolerance = dtype === "float16" ? 2e-3 : 1e-5;
        expect(compareTensors(results[i]!, want, { rtol: tolerance, atol: tolerance / 10 })).toBeUndefined();
        if (backend === "cpu") expect(results[i]!.strides).toEqual(places);
      }
    }
  });

  // Sizes and dtypes of PyTorch 2.14: `math_attention` with these functions.
  test.each(["float32", "float64", "float16"] as const)(
    "no queries of %s give empty results",
    async (dtype) => {
      const sums = dtype === "float64" ? dtype : "float32";
      const [query, key, value] = [
        values([2, 4, 0, 3], 7, dtype),
        values([2, 2, 6, 3], 7, dtype),
        values([2, 2, 6, 4], 7, dtype),
      ];
      const out = `${SHORT[dtype]}[2, 4, 0, 4]`;
      const program = programOf(BY_ELEMENT, dtype, {
        q: query.shape,
        k: key.shape,
        v: value.shape,
        out,
        sums,
      });
      using executable = await session.compile(program, backend);
      const results = (await executable.run([query, key, value])) as Tensor[];
      expect(results.map((result) => [result.dtype, result.shape])).toEqual([
        [dtype, [2, 4, 0, 4]],
        [sums, [2, 4, 0]],
        [sums, [2, 4, 0]],
      ]);
    },
  );
});
