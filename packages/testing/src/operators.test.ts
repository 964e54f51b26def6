/** @file What every operator row has to have, and that its three rules tell the same story. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CPU_KERNELS, cpuBackend, createEvaluator } from "@sconce/backend-cpu";
import { FakeTensor, type Node } from "@sconce/ir";
import { defaultOperators, metaOf, type OpDefinition } from "@sconce/ops";
import { ShapeEnv } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { OpCaseFile } from "./conformance/op-cases.js";
import { checkOpCase, type OperatorCall } from "./conformance/ops.js";

const FOLDER = fileURLToPath(new URL("../fixtures/op-cases/", import.meta.url));
const operators = defaultOperators();
const FILES = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".safetensors"))
  .map((name) => new OpCaseFile(readFileSync(`${FOLDER}${name}`)));

const callOf = (target: string): Node =>
  ({ name: "call", op: "call_function", target, args: [], kwargs: {}, meta: {} }) as unknown as Node;

test("every row can run: by a kernel, a decomposition or its shape rule", () => {
  const backend = cpuBackend({ operators });
  const stranded = [...operators].filter(
    ({ target }) => backend.supports(callOf(target), undefined!) !== true,
  );
  expect(stranded.map(({ target }) => target)).toEqual([]);
});

test("every kernel belongs to a row", () => {
  expect(Object.keys(CPU_KERNELS).filter((target) => operators.get(target) === undefined)).toEqual([]);
});

/** Fakes in place of tensors. */
const toFake = (value: unknown): unknown =>
  value instanceof Tensor ? new FakeTensor(value) : Array.isArray(value) ? value.map(toFake) : value;

const layoutOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(layoutOf);
  if (!(value instanceof Tensor) && !(value instanceof FakeTensor)) return null;
  const { dtype, shape, strides } = value;
  return { dtype, shape: [...shape], strides: [...strides] };
};

/** Sizes that only the data tell. */
const isOpen = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(isOpen)
    : value instanceof FakeTensor && value.shape.some((size) => typeof size !== "number");

const isDynamic = ({ tags }: OpDefinition): boolean =>
  tags.includes("dynamic_output_shape") || tags.includes("data_dependent_output");

describe("shape rule and run agree on dtype, sizes and strides", () => {
  const evaluate = createEvaluator({ operators });
  const known = FILES.filter(({ target }) => {
    const row = operators.get(target);
    return row?.meta !== undefined && !isDynamic(row);
  });
  test.each(known.map((file) => [file.target, file] as const))("%s", (target, file) => {
    for (const one of file.cases) {
      if (one.compare === "error") continue;
      const build = () => one.args.map((value) => file.build(value));
      const kwargs = () =>
        Object.fromEntries(Object.entries(one.kwargs).map(([key, value]) => [key, file.build(value)]));
      const fakes = Object.fromEntries(Object.entries(kwargs()).map(([key, value]) => [key, toFake(value)]));
      const outlook = metaOf(
        operators,
        target,
        build().map(toFake),
        fakes,
        new ShapeEnv({ ranges: new Map(), hints: new Map() }),
      );
      if (isOpen(outlook)) continue;
      expect(layoutOf(evaluate(target, build() as never, kwargs() as never)), one.id).toEqual(
        layoutOf(outlook),
      );
    }
  });
});

/** PyTorch's decomposition picks another neighbour than its kernel, or rounds a byte the other way. */
const APART: ReadonlySet<string> = new Set([
  "upsample_nearest2d.vec-ed5ce0130b",
  "upsample_bilinear2d.vec-5b47bf503d",
]);

describe("decomposition and kernel give the same numbers", () => {
  const both = FILES.filter(({ target }) => {
    const row = operators.get(target);
    return (
      Object.hasOwn(CPU_KERNELS, target) &&
      row?.decompose !== undefined &&
      !row.tags.includes("nondeterministic_seeded")
    );
  });
  test.each(both.map((file) => [file.target, file] as const))("%s", (target, file) => {
    const evaluate = createEvaluator({ operators, kernels: { [target]: undefined! } });
    for (const one of file.cases) {
      // A decomposition rounds in other places: cases that hang on the last bit are the kernel's alone.
      if (one.compare === "error" || one.tags.includes("sensitive") || APART.has(one.id)) continue;
      expect(checkOpCase(file, one, evaluate as OperatorCall), one.id).toBeUndefined();
    }
  });
});
