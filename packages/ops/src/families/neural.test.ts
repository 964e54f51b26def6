/** @file Operators of neural networks: meta rules and decompositions against what PyTorch gives. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { FakeTensor } from "@sconce/ir";
import { printExpr, ShapeEnv, STATIC_ENV, symbol } from "@sconce/symbolic";
import { describe, expect, it } from "vitest";
import { type CaseValue, decodeValue, fakeOf, type Geometry } from "../case-values.fixture.js";
import { refuseDTypesDeep } from "../dtypes/refuse-dtypes.js";
import type { EmitArg } from "../rows/emit.js";
import { bindArgs } from "../table/bind.js";
import { metaOf, metaOfBound } from "../table/fake-emit.js";
import { operatorsOf } from "../trace.fixture.js";
import { adaptivePoolOps } from "./adaptive-pool.js";
import { defaultOperators } from "./all.js";
import { attentionOps } from "./attention.js";
import { batchNormOps } from "./batch-norm.js";
import { convolutionOps } from "./convolution.js";
import { convolutionCompositeOps } from "./convolution-composite.js";
import { distanceOps } from "./distance.js";
import { embeddingOps } from "./embedding.js";
import { fftOps } from "./fft.js";
import { gridSamplerOps } from "./grid-sampler.js";
import { linearAlgebraOps } from "./linear-algebra.js";
import { lossOps } from "./loss.js";
import { lossClassificationOps } from "./loss-classification.js";
import { lossMarginOps } from "./loss-margin.js";
import { matmulOps } from "./matmul.js";
import { matmulCompositeOps } from "./matmul-composite.js";
import { normalizationOps } from "./normalization.js";
import { poolOps } from "./pool.js";
import { recurrentOps } from "./recurrent.js";
import { softmaxOps } from "./softmax.js";
import { upsampleOps } from "./upsample.js";
import { upsampleCubicOps } from "./upsample-cubic.js";

const fixture = (path: string): unknown => {
  const bytes = readFileSync(new URL(`../../../testing/fixtures/${path}`, import.meta.url));
  return JSON.parse((path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString());
};

interface MetaCase {
  readonly args: readonly CaseValue[];
  readonly kwargs: Readonly<Record<string, CaseValue>>;
  readonly outputs?: readonly CaseValue[];
  readonly error?: string;
}

interface Decomposition {
  readonly name: string;
  readonly target: string;
  readonly inputs: readonly Geometry[];
  readonly args: readonly CaseValue[];
  readonly kwargs: Readonly<Record<string, CaseValue>>;
  readonly becomes: readonly string[];
}

const CASES = fixture("ops/meta-cases.json.gz") as Readonly<Record<string, readonly MetaCase[]>>;
const DECOMPOSITIONS = fixture("decompositions/neural.json") as readonly Decomposition[];
const FAMILIES = {
  adaptivePoolOps,
  attentionOps,
  batchNormOps,
  convolutionCompositeOps,
  convolutionOps,
  distanceOps,
  embeddingOps,
  fftOps,
  gridSamplerOps,
  linearAlgebraOps,
  lossClassificationOps,
  lossMarginOps,
  lossOps,
  matmulCompositeOps,
  matmulOps,
  normalizationOps,
  poolOps,
  recurrentOps,
  upsampleCubicOps,
  upsampleOps,
  softmaxOps,
};
/** Refusals that depend on the values of indices, which kernels check. */
const BY_VALUE =
  /index out of range|Index \d+ is out of bounds|Target \d+ is out of bounds|offsets\[0\] has to be 0/;

const table = defaultOperators();
const decodeAll = (values: Readonly<Record<string, CaseValue>>, inputs?: readonly FakeTensor[]) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, decodeValue(value, inputs)]));

function check(target: string, { args, kwargs, outputs, error }: MetaCase): void {
  const run = () => {
    const row = table.require(target);
    const bound = bindArgs(
      row.schema,
      args.map((arg) => decodeValue(arg)),
      decodeAll(kwargs),
    );
    // Rules accept what PyTorch exports. Its kernels refuse more, when they run.
    refuseDTypesDeep(table, [row, bound], STATIC_ENV);
    return metaOfBound(table, row, bound, STATIC_ENV);
  };
  if (error !== undefined) {
    if (!BY_VALUE.test(error))
      expect(run, error).toThrow(expect.objectContaining({ code: expect.any(String) }));
    return;
  }
  const results = [run()].flat() as readonly FakeTensor[];
  outputs!.forEach((output, i) => {
    if (!("tensor" in output)) return;
    const { dtype, shape } = output["tensor"] as Geometry;
    expect({ dtype: results[i]!.dtype, shape: results[i]!.shape }).toEqual({ dtype, shape });
  });
}

describe.each(Object.entries(FAMILIES))("meta rules of %s", (_name, rows) => {
  const known = rows.map((row) => row.target).filter((target) => CASES[target] !== undefined);
  it.each(known.length > 0 ? known : [rows[0]!.target])("%s", (target) => {
    for (const one of CASES[target] ?? []) check(target, one);
  });
});

describe("decompositions", () => {
  it.each(DECOMPOSITIONS.map((one) => [one.name, one] as const))(
    "%s",
    (_name, { target, inputs, args, kwargs, becomes }) => {
      const tensors = inputs.map(fakeOf);
      const given = args.map((arg) => decodeValue(arg, tensors)) as readonly EmitArg[];
      const named = decodeAll(kwargs, tensors) as Readonly<Record<string, EmitArg>>;
      expect(operatorsOf(table, STATIC_ENV, target, given, named)).toEqual(becomes);
    },
  );
});

describe("symbolic sizes", () => {
  const batch = symbol("s0", { positive: true });
  const env = new ShapeEnv({
    ranges: new Map([["s0", { min: 2, max: Infinity }]]),
    hints: new Map([["s0", 8]]),
  });

  it("pass through a convolution and keep its layout", () => {
    const input = new FakeTensor({ dtype: "float32", shape: [batch, 3, 8, 8], strides: [192, 1, 24, 3] });
    const weight = fakeOf({ dtype: "float32", shape: [4, 3, 3, 3] });
    const args = [input, weight, null, [1, 1], [0, 0], [1, 1], false, [0, 0], 1];
    const result = metaOf(table, "aten.convolution.default", args, {}, env) as FakeTensor;
    expect(result.shape[0]).toBe(batch);
    expect(result.strides).toEqual([144, 1, 24, 4]);
  });

  it("divide when an image is pooled", () => {
    const input = new FakeTensor({ dtype: "float32", shape: [1, 1, batch, 4], strides: [4, 4, 4, 1] });
    const result = metaOf(table, "aten.max_pool2d_with_indices.default", [input, [2, 2], [2, 2]], {}, env);
    expect(printExpr((result as readonly FakeTensor[])[0]!.shape[2]!)).toBe("(s0//2)");
  });
});
