/**
 * @file Recorded calls with an operand of another size. The kernels of PyTorch or its rules of
 * shapes refuse most of them. No result may depend on what lies beside the operands in memory, and
 * devices refuse what the interpreter refuses.
 */
import { cpuBackend } from "@sconce/backend-cpu";
import { isSconceError } from "@sconce/errors";
import type { Backend, Value } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { type BuiltValue, CallProgram, caseTitle, type OpCase, prepareCase } from "@sconce/ops-cases";
import { caseFamilies, readFamily } from "@sconce/ops-cases/node";
import { Tensor } from "@sconce/tensor";
import { afterAll, describe, expect, test } from "vitest";
import { sampledEvery } from "../../../.config/sampled.js";
import { backendOn } from "./backend/open.js";
import { MemoryOwner } from "./device/wasm-memory.js";

const operators = defaultOperators();
/** Memories whose free places hold other bytes. */
const OWNERS = [0x4d, 0x11].map((filling) => new MemoryOwner(1, { filling, least: 0 }));
for (const owner of OWNERS) owner.open();
afterAll(() => {
  for (const owner of OWNERS) owner.close();
});
const WASM = OWNERS.map((owner) => backendOn(owner));
const CPU = cpuBackend();

/** Elements of a tensor, again and again, in a tensor of another shape. */
function resized(tensor: Tensor, shape: readonly number[]): Tensor {
  const values = tensor.toArray() as number[];
  const count = shape.reduce((a, b) => a * b, 1);
  return Tensor.from(
    Array.from({ length: count }, (_, i) => values[i % values.length]!),
    shape,
    tensor.dtype,
  );
}

/** The arguments with one dimension of one operand made another size, by a number. */
function mutated(args: readonly BuiltValue[], seed: number): readonly BuiltValue[] | undefined {
  const places = args.flatMap((arg, at) =>
    arg instanceof Tensor && arg.shape.length > 0 && arg.numel > 0 ? [at] : [],
  );
  const at = places[seed % places.length];
  if (at === undefined) return undefined;
  const tensor = args[at] as Tensor;
  const dim = Math.trunc(seed / 3) % tensor.shape.length;
  const old = tensor.shape[dim]!;
  const size = [old + 1, old * 3, Math.max(1, old - 1), 1][seed % 4]!;
  if (size === old) return undefined;
  return args.map((arg, i) => (i === at ? resized(tensor, tensor.shape.with(dim, size)) : arg));
}

async function outcome(backend: Backend, { program, inputs }: CallProgram): Promise<unknown> {
  try {
    using executable = await backend.compile(program);
    const results = await executable.run(inputs.map((input) => resized(input, input.shape)));
    return results.map((value: Value) => (value instanceof Tensor ? String(value.toArray()) : value));
  } catch (error) {
    return isSconceError(error) ? error.code : `untyped: ${String(error)}`;
  }
}

/** How the outcome of a call with an unfit operand is wrong; undefined where it is not. */
async function problemOf(one: OpCase, seed: number): Promise<string | undefined> {
  const { args, kwargs } = prepareCase(one);
  const changed = mutated(args, seed);
  if (changed === undefined) return undefined;
  let call: CallProgram;
  try {
    call = new CallProgram(one.target, changed, kwargs, operators);
  } catch (error) {
    return isSconceError(error) ? undefined : `the rule of shapes throws ${String(error)}`;
  }
  const [first, second] = [await outcome(WASM[0]!, call), await outcome(WASM[1]!, call)];
  if (JSON.stringify(first) !== JSON.stringify(second)) return "it reads what lies beside its operands";
  const wanted = await outcome(CPU, call);
  const [got, want] = [first, wanted].map((result) => (typeof result === "string" ? result : "results"));
  return got === want || REFUSED.has(one.target) ? undefined : `${got} on wasm, ${want} on cpu`;
}

/**
 * Calls that one of the two refuses, though PyTorch computes them: resizing by scales that do not
 * fit the sizes.
 */
const REFUSED: ReadonlySet<string> = new Set(["aten.upsample_bilinear2d.default"]);
const isRandom = (target: string): boolean => operators.tagsOf(target).includes("nondeterministic_seeded");

describe("calls with an operand of another size", () => {
  test.each(caseFamilies())("%s", async (family) => {
    const problems: string[] = [];
    const every = sampledEvery(12);
    for (const [at, one] of [...readFamily(family)].entries()) {
      if (at % every !== 0 || one.compare === "error" || isRandom(one.target)) continue;
      const problem = await problemOf(one, at * 7 + 1);
      if (problem !== undefined) problems.push(`${caseTitle(one)}: ${problem}`);
    }
    expect(problems).toEqual([]);
  });
});
