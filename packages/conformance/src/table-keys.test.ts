/** @file The default decomposition table against PyTorch's, key by key. */
import { readFileSync } from "node:fs";
import { createRunner } from "@sconce/backend-cpu";
import type { FakeTensor } from "@sconce/ir";
import { defaultDecompositions } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { compareTensors } from "@sconce/tensor/compare";
import { describe, expect, test } from "vitest";
import {
  type DecompositionCase,
  decompositionProblem,
  decompositionProgram,
} from "./conformance/decompositions.js";
import { fixtureJson } from "./fixtures.js";

interface TableKeys {
  readonly keys: readonly string[];
  /** What PyTorch says of keys that no program has which is exported, saved and lowered. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface Case extends DecompositionCase {
  readonly inputs?: readonly (readonly (number | string)[])[];
  readonly outputs?: readonly (readonly (number | string)[])[];
}

const file = fixtureJson("decompositions/table-keys.json") as TableKeys;
const all = fixtureJson("decompositions/table-cases.json.gz") as readonly Case[];
const sconce = createSconce();
const run = createRunner();

/** Results are sparse tensors, which Sconce does not have. */
const SPARSE: ReadonlySet<string> = new Set([
  "aten._embedding_bag_sparse_backward.default",
  "aten._gather_sparse_backward.default",
  "aten._sparse_coo_tensor_unsafe.default",
  "aten._sparse_mm.default",
  "aten.embedding_sparse_backward.default",
  "aten.sparse_coo_tensor.indices_size",
  "aten.to_sparse.default",
  "aten.to_sparse.sparse_dim",
]);
/** Composites of `torch.ao` and torchao. */
const IMPORTED = /^(quantized_decomposed|torchao)\./;
const cases = all.filter(({ name }) => !SPARSE.has(name));

describe("the table has PyTorch's keys", () => {
  const table = defaultDecompositions();
  const page = readFileSync(new URL("../../../docs/reference/decompositions.md", import.meta.url), "utf8");

  test("all but those of no lowered program, and of sparse tensors", () => {
    // Two libraries add keys when they are imported, and those were recorded without them.
    const isOther = (key: string): boolean => !file.keys.includes(key) && !IMPORTED.test(key);
    expect([...table.keys()].filter(isOther)).toEqual([]);
    const missing = file.keys.filter((key) => !table.has(key));
    const known = [...Object.keys(file.answers), ...SPARSE];
    expect(missing.filter((key) => !known.includes(key))).toEqual([]);
    expect(page.replace(/\s+/g, " ")).toContain(`${file.keys.length} keys, and Sconce has ${table.size}`);
  });

  test("the page lists the others, each by name", () => {
    const missing = file.keys.filter((key) => !table.has(key));
    expect(missing.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
  });
});

describe("calls of these operators are lowered as PyTorch lowers them", () => {
  test.each(cases.map((one) => [one.name, one] as const))("%s", (_, one) => {
    expect(decompositionProblem(one, sconce)).toBeUndefined();
  });
});

describe("calls of these operators compute what PyTorch computes, before and after lowering", () => {
  const recorded = cases.filter(({ outputs }) => outputs !== undefined);
  test.each(recorded.map((one) => [one.name, one] as const))("%s", (_, one) => {
    const program = decompositionProgram(one);
    const inputs = program.graph.placeholders().map(({ meta }, i) => tensorOf(meta.val, one.inputs![i]!));
    const lowered = sconce.runDecompositions(program);
    const kept = lowered.graphSignature.outputSpecs.filter(({ kind }) => kind === "USER_OUTPUT");
    for (const each of [program, lowered]) {
      const outputs = run(each, inputs).outputs.slice(-kept.length) as Tensor[];
      expect(outputs.length).toBe(one.outputs!.length);
      const problems = outputs.map((output, i) => {
        const want = Tensor.from(one.outputs![i]!.map(Number), output.shape, output.dtype);
        return compareTensors(output, want, { rtol: 1e-4, atol: 1e-5 });
      });
      expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
    }
  });
});

function tensorOf(val: unknown, values: readonly (number | string)[]): Tensor {
  const { shape, dtype } = val as FakeTensor;
  return Tensor.from(values.map(Number), shape as readonly number[], dtype);
}
