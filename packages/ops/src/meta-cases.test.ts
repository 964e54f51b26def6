/** @file Meta rules against what PyTorch's operators gave: dtype, sizes, strides, and refusals. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { FakeTensor } from "@sconce/ir";
import { STATIC_ENV } from "@sconce/symbolic";
import { describe, expect, it } from "vitest";
import { type CaseValue, decodeValue, fakeOf, type Geometry } from "./case-values.fixture.js";
import { refuseDTypesDeep } from "./dtypes/refuse-dtypes.js";
import { activationOps } from "./families/activation.js";
import { defaultOperators } from "./families/all.js";
import { binaryPointwiseOps } from "./families/binary-pointwise.js";
import { comparisonOps } from "./families/comparison.js";
import { conversionOps } from "./families/conversion.js";
import { creationOps } from "./families/creation.js";
import { cumulativeOps } from "./families/cumulative.js";
import { normOps } from "./families/norm.js";
import { orderStatisticOps } from "./families/order-statistic.js";
import { randomOps } from "./families/random.js";
import { rangeOps } from "./families/range.js";
import { reductionOps } from "./families/reduction.js";
import { ternaryPointwiseOps } from "./families/ternary-pointwise.js";
import { unaryPointwiseOps } from "./families/unary-pointwise.js";
import { varianceOps } from "./families/variance.js";
import { bindArgs } from "./table/bind.js";
import { metaOfBound } from "./table/fake-emit.js";

interface Case {
  readonly args: readonly CaseValue[];
  readonly kwargs: Readonly<Record<string, CaseValue>>;
  readonly outputs?: readonly CaseValue[];
  readonly error?: string;
}

const FIXTURE = new URL("../../testing/fixtures/ops/meta-cases.json.gz", import.meta.url);
const CASES = JSON.parse(gunzipSync(readFileSync(FIXTURE)).toString()) as Readonly<
  Record<string, readonly Case[]>
>;
const FAMILIES = {
  activationOps,
  binaryPointwiseOps,
  comparisonOps,
  conversionOps,
  creationOps,
  cumulativeOps,
  normOps,
  orderStatisticOps,
  randomOps,
  rangeOps,
  reductionOps,
  ternaryPointwiseOps,
  unaryPointwiseOps,
  varianceOps,
};
const table = defaultOperators();

const describeTensor = (tensor: FakeTensor, view: boolean) => ({
  dtype: tensor.dtype,
  shape: tensor.shape,
  strides: tensor.strides,
  ...(view && { offset: tensor.storageOffset }),
});

function check(target: string, { args, kwargs, outputs, error }: Case): void {
  const named = Object.fromEntries(Object.entries(kwargs).map(([key, value]) => [key, decodeValue(value)]));
  const run = () => {
    const row = table.require(target);
    const bound = bindArgs(
      row.schema,
      args.map((arg) => decodeValue(arg)),
      named,
    );
    // Rules accept what PyTorch exports. Its kernels refuse more, when they run.
    refuseDTypesDeep(table, [row, bound], STATIC_ENV);
    return metaOfBound(table, row, bound, STATIC_ENV);
  };
  if (error !== undefined) {
    expect(run, `${target} accepts what PyTorch refuses: ${error}`).toThrow(
      expect.objectContaining({ code: expect.any(String) }),
    );
    return;
  }
  const result = run();
  const results = Array.isArray(result) ? result : [result];
  outputs!.forEach((output, i) => {
    if (!("tensor" in output)) return;
    const want = output.tensor as Geometry;
    const view = want.alias !== undefined;
    expect(describeTensor(results[i] as FakeTensor, view)).toEqual(describeTensor(fakeOf(want), view));
  });
}

describe.each(Object.entries(FAMILIES))("%s", (_name, rows) => {
  const targets = rows.flatMap(({ target }) => [target, target.replace(/^(aten\.\w+)\./, "$1_.")]);
  const known = targets.filter((target) => CASES[target] !== undefined && table.get(target) !== undefined);
  it.each(known)("%s", (target) => {
    for (const one of CASES[target]!) check(target, one);
  });
});
