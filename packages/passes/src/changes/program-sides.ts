/** @file What identifies inputs and calls when two versions of a program are compared. */
import type { Argument, ExportedProgram, Graph, Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import { argumentOf, hiddenWrites } from "../analysis/call-arguments.js";
import { resultsOf, type Side } from "./unify.js";

/** The versions of one graph; programs are given for the programs' own graphs. */
export interface GraphVersions {
  readonly before: Graph;
  readonly after: Graph;
  readonly programs?: { readonly before: ExportedProgram; readonly after: ExportedProgram } | undefined;
}

export interface Sides {
  readonly before: Side;
  readonly after: Side;
  /**
   * For each call how many calls before it write; equal in both versions when these write in the
   * same order.
   */
  readonly writes: {
    readonly before: ReadonlyMap<string, number>;
    readonly after: ReadonlyMap<string, number>;
  };
  readonly sameWrites: boolean;
}

export function sidesOf({ before, after, programs }: GraphVersions, operators: OperatorTable): Sides {
  const [x, y] = [callOrder(before, operators), callOrder(after, operators)];
  const keys = programs === undefined ? undefined : inputKeys(programs.before, programs.after);
  const position = (_: string, at: number): string => String(at);
  return {
    before: {
      results: programs && resultKeys(programs.before),
      graph: before,
      inputKey: keys?.before ?? position,
      callSuffix: ({ name }) => x.suffixes.get(name) ?? "",
    },
    after: {
      results: programs && resultKeys(programs.after),
      graph: after,
      inputKey: keys?.after ?? position,
      callSuffix: ({ name }) => y.suffixes.get(name) ?? "",
    },
    writes: { before: x.writes, after: y.writes },
    sameWrites: x.written.join() === y.written.join(),
  };
}

interface CallOrder {
  readonly suffixes: ReadonlyMap<string, string>;
  readonly writes: ReadonlyMap<string, number>;
  readonly written: readonly string[];
}

/**
 * Order distinguishes calls that draw random numbers; the writes before them distinguish all calls.
 */
function callOrder(graph: Graph, operators: OperatorTable): CallOrder {
  const [suffixes, writes, written] = [new Map<string, string>(), new Map<string, number>(), [] as string[]];
  let draws = 0;
  for (const node of graph.nodes()) {
    if (node.op !== "call_function") continue;
    writes.set(node.name, written.length);
    const random = isRandom(node, operators) ? `#${draws++}` : "";
    const epoch = written.length === 0 ? "" : `@${written.length}`;
    if (random !== "" || epoch !== "") suffixes.set(node.name, random + epoch);
    if (isWrite(node, operators)) written.push(node.target);
  }
  return { suffixes, writes, written };
}

/**
 * Calls that draw random numbers; not those of which an argument says that they do not: dropout
 * without training.
 */
export function isRandom(node: Node, operators: OperatorTable): boolean {
  const schema = operators.get(node.target)?.schema;
  if (schema === undefined || !operators.tagsOf(node.target).includes("nondeterministic_seeded"))
    return false;
  const value = (name: string): unknown => {
    const given = argumentOf(node, schema, name);
    return typeof given === "object" && given !== null && "value" in given ? given.value : given;
  };
  const has = (name: string): boolean => schema.args.some((parameter) => parameter.name === name);
  if (["train", "training"].some((name) => has(name) && value(name) === false)) return false;
  return !["p", "dropout_p"].some((name) => has(name) && value(name) === 0);
}

export function isWrite(node: Node, operators: OperatorTable): boolean {
  const schema = operators.get(node.target)?.schema;
  if (schema === undefined) return false;
  return schema.isMutable || hiddenWrites(node, schema).length > 0;
}

/** Assertions and declared ranges: calls without results that refuse values. */
export const isAssertion = ({ op, target }: Node): boolean =>
  op === "call_function" && /^aten\.(_assert_|_functional_assert|sym_constrain_range)/.test(target);

/**
 * Positions identify the results of the user; targets identify the values that are written back.
 */
function resultKeys({ graph, graphSignature }: ExportedProgram): Map<string, Argument> {
  const inputs = graphSignature.inputSpecs.filter(({ kind }) => kind === "USER_INPUT");
  const places = new Map(inputs.map(({ arg }, i) => [arg.name, i]));
  const keys = new Map<string, Argument>();
  let users = 0;
  resultsOf(graph).forEach((value, i) => {
    const spec = graphSignature.outputSpecs[i];
    if (spec === undefined) return;
    const place = places.get(spec.target ?? "");
    keys.set(spec.target === null ? `user ${users++}` : `${spec.kind} ${place ?? spec.target}`, value);
  });
  return keys;
}

/** User inputs go by position, parameters, buffers and constants by their values. */
function inputKeys(
  before: ExportedProgram,
  after: ExportedProgram,
): Record<"before" | "after", Side["inputKey"]> {
  const ids = new Map<Tensor, string>();
  for (const [target, tensor] of [...before.stateDict, ...before.constants])
    ids.set(tensor, `state ${target}`);
  for (const [target, tensor] of [...after.stateDict, ...after.constants]) {
    if (ids.has(tensor)) continue;
    const other = before.tensor(target);
    const same = other !== undefined && sameTensor(other, tensor);
    ids.set(tensor, same ? (ids.get(other) ?? `state ${target}`) : `new state ${target}`);
  }
  const keysOf = (program: ExportedProgram, side: string): Side["inputKey"] => {
    let users = 0;
    const keys = new Map<string, string>();
    for (const { kind, arg, target } of program.graphSignature.inputSpecs) {
      const tensor = target === null ? undefined : program.tensor(target);
      const isUser = kind === "USER_INPUT";
      keys.set(
        arg.name,
        isUser
          ? `user ${users++}`
          : tensor === undefined
            ? `${kind} ${target ?? arg.name}`
            : ids.get(tensor)!,
      );
    }
    return (name) => keys.get(name) ?? `${side} ${name}`;
  };
  return { before: keysOf(before, "before"), after: keysOf(after, "after") };
}

function sameTensor(a: Tensor, b: Tensor): boolean {
  if (a.dtype !== b.dtype || a.shape.join() !== b.shape.join() || a.strides.join() !== b.strides.join())
    return false;
  if (a.storageOffset !== b.storageOffset) return false;
  if (a.storage === b.storage) return true;
  if (!a.hasValues || !b.hasValues || !a.isLoaded || !b.isLoaded) return false;
  const [x, y] = [a.storage.bytes, b.storage.bytes];
  return x.length === y.length && x.every((byte, i) => byte === y[i]);
}
