/** @file State without values: which tensors of a program have none, and what would read them. */
import type { SconceError } from "@sconce/errors";
import type { Tensor } from "@sconce/tensor";
import type { Graph } from "../graph/graph.js";
import { lineOf, withLine } from "../graph/source-line.js";
import { type Argument, isRef, itemsOf } from "../values/argument.js";
import { valuesNeeded } from "./errors.js";
import type { ExportedProgram } from "./program.js";

/**
 * A parameter, buffer or constant whose dtype, shape and strides are known and whose values are
 * not.
 */
export interface MissingValue {
  /** The fully qualified name, as in `stateDict` or `constants`. */
  readonly name: string;
  /** The tensor that has no values. */
  readonly tensor: Tensor;
  /** The placeholder that represents it; null when the graph does not take it. */
  readonly placeholder: string | null;
  /**
   * The first node that reads it, or the output that writes to it: within a nested graph with its
   * path, as `cond / true_graph_0.linear`. Null when nothing does.
   */
  readonly reader: string | null;
  /** The user's line that the reader comes from, `model.py:12`. */
  readonly line?: string;
}

/**
 * State and constants without values, in the order of `stateDict` and `constants`; none for a
 * program that has all its values.
 */
export function missingValues(program: ExportedProgram): MissingValue[] {
  const missing = [...program.stateDict, ...program.constants].filter(([, tensor]) => !tensor.hasValues);
  if (missing.length === 0) return [];
  const { inputSpecs } = program.graphSignature;
  const placeholders = new Map<string, string>();
  for (const { target, arg } of inputSpecs)
    if (target !== null && !placeholders.has(target)) placeholders.set(target, arg.name);
  return missing.map(([name, tensor]) => {
    const placeholder = placeholders.get(name) ?? null;
    return { name, tensor, placeholder, ...readerOf(program, name, placeholder) };
  });
}

type Reader = Pick<MissingValue, "reader" | "line">;

function readerOf(program: ExportedProgram, name: string, placeholder: string | null): Reader {
  const { graph, graphSignature } = program;
  if (placeholder !== null && graph.has(placeholder)) {
    const [user] = graph.users(placeholder);
    if (user !== undefined) return readerIn(graph, user.name, placeholder);
  }
  const isWritten = graphSignature.outputSpecs.some(
    ({ kind, target }) => kind !== "USER_INPUT_MUTATION" && target === name,
  );
  return { reader: isWritten ? "output" : null };
}

/** Calls whose nested graphs take the call's last arguments, in order. */
const PASSES_ON =
  /^higher_order\.(cond|while_loop|scan|map|map_impl|invoke_subgraph|wrap\w*|checkpoint|tag_activation_checkpoint)$/;

/**
 * Finds the reader of an operand. A higher-order call passes it on: the reader is where a nested
 * graph of it uses the input of that position.
 */
function readerIn(graph: Graph, reader: string, operand: string): Reader {
  const line = lineOf(graph, reader);
  const found = line === undefined ? { reader } : { reader, line };
  const node = graph.node(reader);
  if (!PASSES_ON.test(node.target)) return found;
  const operands = node.args.flatMap(leavesOf);
  const fromEnd = operands.findLastIndex((value) => isRef(value) && value.name === operand) - operands.length;
  for (const value of operands) {
    const nested = isRef(value) ? graph.node(value.name) : undefined;
    const inner = nested?.op === "get_attr" ? graph.subgraphs.get(nested.target) : undefined;
    const input = inner?.placeholders().at(fromEnd)?.name;
    const user = input === undefined ? undefined : inner!.users(input)[0];
    if (user === undefined) continue;
    const within = readerIn(inner!, user.name, input!);
    return { ...found, ...within, reader: `${reader} / ${nested!.target}.${within.reader}` };
  }
  return found;
}

const leavesOf = (value: Argument): readonly Argument[] => itemsOf(value)?.flatMap(leavesOf) ?? [value];

/** `"a.weight" (p_a_weight, first read by linear)`. */
export function missingText({ name, placeholder, reader }: MissingValue): string {
  const parts = [placeholder, reader !== null && `first read by ${reader}`].filter(Boolean);
  return `${JSON.stringify(name)}${parts.length === 0 ? "" : ` (${parts.join(", ")})`}`;
}

const placeOf = ({ name, placeholder, reader, line }: MissingValue): string =>
  withLine(reader ?? placeholder ?? name, line);

const SUPPLY = "give the values: program.withState(tensors), or --weights FILE.safetensors";

/** Files do not say which tensors on the meta device are tied; the graph reads one of them. */
function tiedHint(program: ExportedProgram, missing: readonly MissingValue[]): string {
  const { stateDict, graph, graphSignature } = program;
  const read = new Set(
    graphSignature.inputSpecs.flatMap(({ target, arg }) =>
      graph.has(arg.name) && graph.users(arg.name).length > 0 ? [target] : [],
    ),
  );
  const typeOf = ({ dtype, shape }: Tensor): string => `${dtype}[${shape.join(", ")}]`;
  const used = new Set([...stateDict].flatMap(([name, { storage }]) => (read.has(name) ? [storage] : [])));
  const spare = [...stateDict].filter(([, tensor]) => tensor.hasValues && !used.has(tensor.storage));
  for (const { name, tensor } of missing)
    for (const [other, value] of spare)
      if (typeOf(value) === typeOf(tensor))
        return `; if ${JSON.stringify(name)} is tied to ${JSON.stringify(other)}, which no node reads, give it the same tensor`;
  return "";
}

/**
 * `action` is what was asked for: "running the program", "writing the weights"; with `program` the
 * remedy is more precise.
 */
export function noValues(
  action: string,
  missing: readonly MissingValue[],
  program?: ExportedProgram,
): SconceError {
  const fix = program === undefined ? SUPPLY : `${SUPPLY}${tiedHint(program, missing)}`;
  return valuesNeeded(action, missing.map(missingText), missing[0] && placeOf(missing[0]), fix);
}

/**
 * Refuses a program that cannot run since values of its state are not known. State that no node
 * reads may lack values.
 * @param action what was asked for, at the beginning of the message
 * @throws SconceError `NO_VALUES` with each missing tensor and the node that reads it
 */
export function requireValues(program: ExportedProgram, action = "running the program"): void {
  const missing = missingValues(program).filter(({ reader }) => reader !== null);
  if (missing.length > 0) throw noValues(action, missing, program);
}
