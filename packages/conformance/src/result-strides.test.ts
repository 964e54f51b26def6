/**
 * @file Strides of results, where operands do not lie in rows: PyTorch's kernels decide on them, on
 * all backends. Compiled backends lower calls first, to calls that may give other strides.
 */
import { type BuiltValue, buildCall, CallProgram, type OpCase } from "@sconce/ops-cases";
import { readFamily } from "@sconce/ops-cases/node";
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { copyInto, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { sampled } from "../../../.config/sampled.js";
import { fixtureText } from "./fixtures.js";

type Layout = "turned" | "last" | "gaps" | "mixed";
type Recorded = readonly [
  family: string,
  target: string,
  id: string,
  layout: Layout,
  strides: (number[] | null)[],
];

const session = createSconce({
  backends: [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")],
});
const RECORDS = fixtureText("ops/result-strides.jsonl.gz")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);

const BY_TARGET = [...new Set(RECORDS.map(([, target]) => target))].map(
  (target) => [target, RECORDS.filter((one) => one[1] === target)] as const,
);

const families = new Map<string, ReadonlyMap<string, OpCase>>();
function caseOf(family: string, target: string, id: string): OpCase {
  const cases = families.get(family) ?? new Map(readFamily(family).map((one) => [one.target + one.id, one]));
  families.set(family, cases);
  return cases.get(target + id)!;
}

/** The elements in memory as the oracle's script lays them out. */
function laidOut(tensor: Tensor, layout: Layout): Tensor {
  const { shape, ndim, dtype } = tensor;
  if (ndim < 2 || (layout === "last" && ndim < 3)) return tensor;
  const dims = shape.map((_, d) => d);
  const order = { gaps: dims, last: [0, ...dims.slice(2), 1], turned: dims.toReversed(), mixed: [] };
  const step = layout === "gaps" ? 2 : 1;
  const strides = new Array<number>(ndim);
  let size = 1;
  for (const d of (layout === "mixed" ? order.turned : order[layout]).toReversed()) {
    strides[d] = size * step;
    size *= step * Math.max(1, shape[d]!);
  }
  const out = Tensor.empty([size], dtype).asStrided(shape, strides);
  copyInto(out, tensor);
  return out;
}

/** The call of a record, as a program. */
function programOf([family, target, id, layout]: Recorded): CallProgram {
  const { args, kwargs } = buildCall(caseOf(family, target, id));
  let count = 0;
  const laid = (value: BuiltValue): BuiltValue => {
    if (Array.isArray(value)) return (value as readonly BuiltValue[]).map(laid);
    if (!(value instanceof Tensor)) return value;
    if (value.ndim >= 2) count++;
    return layout === "mixed" && count > 1 ? value : laidOut(value, layout);
  };
  const named = Object.entries(kwargs).map(([name, value]) => [name, value] as const);
  const positional = args.map(laid);
  const keywords = Object.fromEntries(named.map(([name, value]) => [name, laid(value)]));
  return new CallProgram(target, positional, keywords, session.operators);
}

const flat = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.flatMap(flat) : [value]);

async function problemsOf(record: Recorded, backend: string): Promise<readonly string[]> {
  const [, target, id, layout, wanted] = record;
  const call = programOf(record);
  using executable = await session.compile(call.program, backend);
  const results = flat(call.resultOf((await executable.run(call.inputs)) as Tensor[]));
  return wanted.flatMap((strides, i) => {
    const result = results[i];
    if (strides === null || !(result instanceof Tensor)) return [];
    const differs = result.shape.some((size, d) => size > 1 && result.strides[d] !== strides[d]);
    return differs ? [`${target} ${id} ${layout}, result ${i}: ${result.strides}, not ${strides}`] : [];
  });
}

describe.each(["cpu", "wasm", "gpujs:cpu"])("strides of results on %s", (backend) => {
  test.each(sampled(BY_TARGET, backend === "cpu" ? 1 : 10))("%s", async (_, records) => {
    const problems: string[] = [];
    for (const record of records) problems.push(...(await problemsOf(record, backend)));
    expect(problems).toEqual([]);
  });
});
