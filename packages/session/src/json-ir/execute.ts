import {
  checkOptions,
  describeValue,
  LONG_WORK,
  type LongWorkOptions,
  type OptionNames,
} from "@sconce/errors";
import type { JsonIR } from "@sconce/formats/json-ir";
import type { Backend, ExportedProgram, StateValues, Value } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { createSconce, type Sconce } from "../create-sconce.js";
import { missingWeight, notJsonIR, unknownOverride } from "./errors.js";
import { programFromIR } from "./program.js";

/** What JSON IR runs with. */
export interface ExecuteIROptions extends LongWorkOptions {
  /**
   * Values of parameters and buffers: a state dict. Names are those of the model, or of
   * placeholders; others are not read.
   */
  readonly weights?: StateValues | undefined;
  /** Values of constants, in place of those in the JSON; names as for `weights`. */
  readonly constants?: StateValues | undefined;
  /** Values in place of those of `weights` and `constants`; names as for `weights`. */
  readonly overrides?: StateValues | undefined;
  /** The session that runs it. @defaultValue a new one */
  readonly session?: Sconce | undefined;
  /** The backend, or its name. @defaultValue the first of the session */
  readonly backend?: string | Backend | undefined;
}

const OPTIONS: OptionNames<ExecuteIROptions> = {
  weights: true,
  constants: true,
  overrides: true,
  session: true,
  backend: true,
  ...LONG_WORK,
};

/**
 * Runs JSON IR without the model that it was made of. The graph is built anew, and runs on a
 * backend of the session. Returns the outputs in the order of `graphOutputs`.
 * @throws SconceError `INVALID_ARGUMENT`, `MISSING_WEIGHT` with the first node that reads it,
 * `UNKNOWN_STATE` for constants and overrides that the JSON does not name, `STATE_MISMATCH`,
 * `JSON_IR_GRAPH`, and what a run throws
 */
export async function executeIR(
  ir: JsonIR,
  inputs: readonly Value[],
  options: ExecuteIROptions = {},
): Promise<readonly Tensor[]> {
  checkOptions("executeIR", options, OPTIONS);
  requireIR(ir, "executeIR");
  const { session = createSconce(), backend, weights, constants, overrides, ...running } = options;
  const values = valuesOf(ir, { weights, constants, overrides });
  requireWeights(ir, values);
  const program = programFromIR(ir, session).withState(values);
  return (await runOnce(program, inputs, session, { backend, ...running })) as readonly Tensor[];
}

/**
 * Refuses what is not JSON IR, such as its text or that text parsed by `JSON.parse`.
 * @throws SconceError `INVALID_ARGUMENT`
 */
function requireIR(value: unknown, call: string): asserts value is JsonIR {
  const ir = (typeof value === "object" ? value : null) as Partial<JsonIR> | null;
  const lists = [ir?.graphInputs, ir?.graphOutputs, ir?.weights, ir?.nodes];
  const isIR = lists.every(Array.isArray) && [ir?.weightNameMapping, ir?.constants].every(isMap);
  if (!isIR) throw notJsonIR(call, describeValue(value));
}

const isMap = (value: unknown): boolean => value instanceof Map;

/** Compiles a program, runs it once, and disposes of the executable. */
export async function runOnce(
  program: ExportedProgram,
  inputs: readonly Value[],
  session: Sconce,
  { backend, ...running }: Pick<ExecuteIROptions, "backend"> & LongWorkOptions = {},
): Promise<readonly Value[]> {
  const executable = await session.compile(program, backend);
  try {
    return await executable.run(inputs, running);
  } finally {
    executable.dispose();
  }
}

const entriesOf = (values: StateValues | undefined): Iterable<readonly [string, Tensor]> =>
  values instanceof Map ? (values as ReadonlyMap<string, Tensor>) : Object.entries(values ?? {});

type Given = Pick<ExecuteIROptions, "weights" | "constants" | "overrides">;

/** Returns the given values by the names of the model; later groups win. */
function valuesOf(ir: JsonIR, { weights, constants, overrides }: Given): Map<string, Tensor> {
  const names = new Set(ir.weights.map(({ name }) => name));
  const nameOf = (name: string): string | undefined =>
    names.has(name) ? name : ir.weightNameMapping.get(name);
  const values = new Map<string, Tensor>();
  for (const [group, isState] of [
    [weights, true],
    [constants, false],
    [overrides, false],
  ] as const)
    for (const [given, tensor] of entriesOf(group)) {
      const name = nameOf(given);
      if (name !== undefined) values.set(name, tensor);
      // A state dict may hold more than the graph reads; a constant is given for a purpose.
      else if (!isState) throw unknownOverride(given, [...names, ...ir.weightNameMapping.keys()]);
    }
  return values;
}

/** Refuses to run without a value that a node reads. */
function requireWeights(ir: JsonIR, values: ReadonlyMap<string, Tensor>): void {
  const has = (name: string): boolean => values.has(name) || ir.constants.has(name);
  const originals = new Set(ir.weights.map(({ name }) => name));
  const require = (input: string, node: string): void => {
    const name = ir.weightNameMapping.get(input) ?? (originals.has(input) ? input : undefined);
    if (name !== undefined && !has(name)) throw missingWeight(input, name, node);
  };
  for (const { name, inputs } of ir.nodes)
    for (const input of inputs) if (input.producerNode === undefined) require(input.name, name);
  for (const output of ir.graphOutputs)
    if (ir.weightNameMapping.has(output.name)) require(output.name, "output");
}
