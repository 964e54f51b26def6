/**
 * @file The programs of the corpus with symbolic sizes, in other sizes than those they were
 * recorded in.
 */
import { existsSync, readdirSync } from "node:fs";
import { cpuBackend } from "@sconce/backend-cpu";
import { wasmBackend } from "@sconce/backend-wasm";
import { isSconceError } from "@sconce/errors";
import { openPt2File } from "@sconce/formats/node";
import { type Executable, type ExportedProgram, FakeTensor, type Value } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import { evaluateInt, SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { PROGRAMS } from "./fixtures.js";

const sconce = createSconce({ plugins: [corpusPlugin] });

/**
 * Shapes and dtypes of the user inputs; undefined if they are not all tensors, or have no symbols.
 */
function inputsOf({ graph, graphSignature }: ExportedProgram): readonly FakeTensor[] | undefined {
  const values = graphSignature.inputSpecs
    .filter(({ kind }) => kind === "USER_INPUT")
    .map(({ arg }) => ("name" in arg ? graph.find(arg.name)?.meta.val : undefined));
  const tensors = values.filter((value) => value instanceof FakeTensor);
  const isSymbolic = tensors.some(({ shape }) => shape.some((size) => size instanceof SymExpr));
  return tensors.length === values.length && isSymbolic ? tensors : undefined;
}

/** Tensors in which the first symbol has a value, and each other one that much more. */
function tensorsOf(inputs: readonly FakeTensor[], first: number, more: number): Tensor[] | undefined {
  const sizes = new Map<string, number>();
  for (const size of inputs.flatMap(({ shape }) => shape))
    if (size instanceof SymExpr && size.op === "Symbol" && !sizes.has(size.name))
      sizes.set(size.name, first + more * sizes.size);
  try {
    return inputs.map(({ shape, dtype }, at) => {
      const known = shape.map((size) => evaluateInt(size, sizes));
      const count = known.reduce((a, b) => a * b, 1);
      const floats = Array.from({ length: count }, (_, i) => Math.sin((i + 1) * 1.3 + at));
      if (dtype === "bool")
        return Tensor.from(
          floats.map((value) => value > 0),
          known,
          dtype,
        );
      if (dtype === "int64")
        return Tensor.from(
          floats.map((value) => BigInt(value > 0)),
          known,
          dtype,
        );
      return Tensor.from(floats, known, dtype);
    });
  } catch {
    // Sizes of expressions whose symbols no input shows.
    return undefined;
  }
}

type Outcome = readonly Value[] | string;
async function outcomeOf(executable: Executable, inputs: readonly Tensor[]): Promise<Outcome> {
  try {
    return await executable.run(inputs);
  } catch (error) {
    if (!isSconceError(error)) throw error;
    return error.code;
  }
}
/** The largest difference of numbers, by one more than their magnitude. */
function differenceOf(a: Outcome, b: Outcome): number {
  if (typeof a === "string" || typeof b === "string") return a === b ? 0 : Number.POSITIVE_INFINITY;
  let most = 0;
  for (const [at, value] of a.entries()) {
    const other = b[at];
    if (!(value instanceof Tensor) || !(other instanceof Tensor)) continue;
    expect(other.shape).toEqual(value.shape);
    const [x, y] = [value.toFloat64Array(), other.toFloat64Array()];
    for (const [i, one] of x.entries())
      if (!Object.is(one, y[i]!)) most = Math.max(most, Math.abs(one - y[i]!) / (1 + Math.abs(one)) || 0);
  }
  return most;
}

const names = readdirSync(PROGRAMS).filter((name) => existsSync(`${PROGRAMS}${name}/program.pt2`));

/** Programs whose kernels serve all sizes, without exception. */
const OPEN = ["digits", "net_bert", "net_diffusion", "net_gpt", "net_llama_prefill", "net_resnet", "net_vit"];

const programs = await Promise.all(
  names.map(async (name) => {
    const program = await openPt2File(`${PROGRAMS}${name}/program.pt2`).catch(() => undefined);
    const inputs = program && inputsOf(program);
    return inputs === undefined ? [] : [{ name, program: program!, inputs }];
  }),
);

test.each(programs.flat())("$name gives the interpreter's numbers in other sizes", async (one) => {
  const { name, program, inputs } = one;
  const executable = await sconce.compile(program, wasmBackend({ threads: 2 }));
  const reference = await sconce.compile(program, cpuBackend());
  let runs = 0;
  for (const first of [2, 3, 5, 16, 33])
    for (const more of [0, 1, 3]) {
      const given = tensorsOf(inputs, first, more);
      if (given === undefined) continue;
      const [expected, actual] = [await outcomeOf(reference, given), await outcomeOf(executable, given)];
      expect(differenceOf(expected, actual), `${first}, ${more}`).toBeLessThan(1e-4);
      if (typeof actual !== "string") runs++;
    }
  if (OPEN.includes(name)) {
    expect(runs).toBeGreaterThan(5);
    expect(executable.executionPlan!().kernels.flatMap(({ perSizes }) => perSizes ?? [])).toEqual([]);
  }
  executable.dispose();
  reference.dispose();
});
