/** @file Makes a program of a retraced graph: names, signature, module calls. */

import { eachInPieces, type Work } from "@sconce/errors";
import {
  type Argument,
  type ArgumentSpec,
  type ExportedProgram,
  type Graph,
  inputsOf,
  isRef,
  itemsOf,
  type OutputKind,
  type OutputSpec,
  type RangeConstraint,
  rebuild,
  renameNodes,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { CollisionNames, joinedSizes, refRenamer, withResolvedSizes } from "@sconce/trace";
import { constantMutated } from "../functionalize/errors.js";
import { withoutDeadNodes } from "../graphs/dead-nodes.js";
import { mapSubgraphs } from "../graphs/subgraphs.js";
import { type Retrace, TOKEN_INPUT } from "../retrace/retrace-program.js";
import { nameBodies } from "./body-names.js";
import { remapModuleCalls } from "./module-calls.js";

const MUTATION_KINDS: Readonly<Record<string, OutputKind>> = {
  BUFFER: "BUFFER_MUTATION",
  PARAMETER: "PARAMETER_MUTATION",
  USER_INPUT: "USER_INPUT_MUTATION",
};

/**
 * Returns the lowered program of a retraced graph: with the names, the signature and the module
 * calls of its source.
 *
 * @param ranges those of symbols that the source program has no name for
 */
export function* finishProgram(
  program: ExportedProgram,
  retrace: Retrace,
  operators: OperatorTable,
  ranges: ReadonlyMap<string, RangeConstraint>,
): Work<ExportedProgram> {
  const constant = retrace.mutated.find((spec) => spec.kind === "CONSTANT_TENSOR");
  if (constant !== undefined) {
    throw constantMutated(constant);
  }
  const names = yield* namesOf(retrace);
  yield;
  const renamed = nameBodies(renameNodes(retrace.graph, names));
  yield;
  const named = withSizeOrigins(renamed);
  yield;
  const live = yield* withoutBufferCopies(named, retrace, operators);
  yield;
  const joined = joinedSizes(program, retrace.env);
  const graph = withResolvedSizes(live, retrace.env, joined);
  yield;
  const replaced = new Set([...retrace.replaced, ...joined]);
  const declared = [...program.rangeConstraints].filter(([name]) => !replaced.has(name));
  const rangeConstraints = new Map([...declared, ...ranges]);
  const outputSpecs = outputSpecsOf(program, graph, retrace);
  const inputSpecs = [...(retrace.tokens > 0 ? [TOKEN_INPUT] : []), ...program.graphSignature.inputSpecs];
  return program.with({
    graph,
    graphSignature: { inputSpecs, outputSpecs },
    moduleCallGraph: remapModuleCalls(program, graph),
    ...(ranges.size === 0 && replaced.size === 0 ? {} : { rangeConstraints }),
    ...(retrace.guards.length === 0 ? {} : { guardsCode: [...program.guardsCode, ...retrace.guards] }),
    dialect: "ATEN",
  });
}

/** Placeholders get their names back, other nodes make way. */
function* namesOf({ graph, placeholders }: Retrace): Work<ReadonlyMap<string, string>> {
  const names = new CollisionNames();
  const renamed = new Map<string, string>();
  for (const [traced, original] of placeholders) {
    renamed.set(traced, original);
    names.placeholder(original);
  }
  yield* eachInPieces(graph.nodes(), (node) => {
    if (node.op === "call_function" || node.op === "get_attr")
      renamed.set(node.name, names.rename(node.name));
  });
  return renamed;
}

/** Reads of input sizes replace no node: they come from the input. */
function withSizeOrigins(graph: Graph): Graph {
  const withOrigins = rebuild(graph, (node) => {
    if (node.op !== "call_function" || node.meta.origin !== undefined) return true;
    return { ...node, meta: { ...node.meta, origin: { pass: "decompose", from: inputsOf(node) } } };
  });
  return mapSubgraphs(withOrigins, withSizeOrigins);
}

/**
 * `copy(buffer, value)` as a buffer's new value is just `value`
 * (`_remove_unnecessary_copy_op_pass`).
 */
function* withoutBufferCopies(
  graph: Graph,
  { mutated, tokens }: Retrace,
  operators: OperatorTable,
): Work<Graph> {
  const results = itemsOf(graph.outputArgument())!.slice(tokens);
  const replaced = new Map<string, string>();
  const written = new Set(mutated.map((spec) => spec.arg.name));
  mutated.forEach((spec, i) => {
    const result = results[i];
    if (spec.kind === "USER_INPUT" || !isRef(result)) return;
    const node = graph.node(result.name);
    const source = node.args[1];
    // A value that is written to itself stays a copy: an output that views it would see the write.
    if (node.target !== "aten.copy.default" || !isRef(source) || written.has(source.name)) return;
    replaced.set(node.name, source.name);
  });
  if (replaced.size === 0) return graph;
  // What is copied may be a copy that goes too, as where one buffer takes the new value of another.
  for (const [name, source] of replaced) {
    let last = source;
    while (replaced.has(last)) last = replaced.get(last)!;
    replaced.set(name, last);
  }
  const rename = refRenamer(replaced);
  const copied = rebuild(graph, (node) => (replaced.has(node.name) ? false : rename(node)));
  // What only the copies read goes with them.
  const used = new Set(graph.nodes().flatMap(inputsOf));
  const unused = graph.nodes().flatMap(({ name }) => (used.has(name) ? [] : [name]));
  return yield* withoutDeadNodes(copied, operators, unused);
}

function outputSpecsOf(program: ExportedProgram, graph: Graph, { mutated, tokens }: Retrace): OutputSpec[] {
  const all = itemsOf(graph.outputArgument())!;
  const results = all.slice(tokens);
  const ordered = all.slice(0, tokens).map(
    (result): OutputSpec => ({
      kind: "TOKEN",
      arg: { kind: "token", name: nameOf(result) },
      target: null,
    }),
  );
  const mutations = mutated.map(
    (spec, i): OutputSpec => ({
      kind: MUTATION_KINDS[spec.kind]!,
      arg: { kind: "tensor", name: nameOf(results[i]!) },
      target: spec.kind === "USER_INPUT" ? spec.arg.name : spec.target,
    }),
  );
  const user = program.graphSignature.outputSpecs.filter((spec) => !spec.kind.endsWith("_MUTATION"));
  return [
    ...ordered,
    ...mutations,
    ...user.map((spec, i) => ({ ...spec, arg: renamedArg(spec.arg, results[mutated.length + i]!) })),
  ];
}

function renamedArg(arg: ArgumentSpec, result: Argument): ArgumentSpec {
  if (isRef(result))
    return arg.kind === "constant" ? { kind: "tensor", name: result.name } : { ...arg, name: result.name };
  return { kind: "constant", name: "", value: result };
}

const nameOf = (value: Argument): string => (isRef(value) ? value.name : "");
