/**
 * @file Runs a whole program again: its inputs, its graph, and the writing back of its mutations.
 */

import type { Work } from "@sconce/errors";
import {
  type Argument,
  type ExportedProgram,
  FakeTensor,
  type Graph,
  type InputSpec,
  inputsOf,
  type MetaValue,
  type Node,
  type NodeMeta,
  ref,
} from "@sconce/ir";
import type { EmitArg } from "@sconce/ops";
import type { SymExpr } from "@sconce/symbolic";
import {
  assertedConditions,
  type LoweringTracer,
  ownSymbols,
  type RetraceEnv,
  SizeGuards,
  shapeEnvOf,
  symbolNames,
} from "@sconce/trace";
import type { Dispatcher } from "../functionalize/dispatcher.js";
import { newLayout } from "../functionalize/errors.js";
import { FunctionalTensor } from "../functionalize/functional-tensor.js";
import { unwrap } from "../functionalize/wrapping.js";
import { hasEffect } from "../graphs/dead-nodes.js";
import { runHigherOrder } from "./higher-order.js";
import { GraphInterpreter, inheritedMeta } from "./interpret.js";

/** The input that a program with ordered effects gets. */
export const TOKEN_INPUT = {
  kind: "TOKEN",
  arg: { kind: "token", name: "token" },
  target: null,
  persistent: null,
} as const satisfies InputSpec;

/** A retraced graph, under the names of the trace, and what is known of its inputs. */
export interface Retrace {
  readonly graph: Graph;
  /** Mutated inputs, in input order. */
  readonly mutated: readonly InputSpec[];
  /** 1 when ordered effects made a token the first input and output, else 0. */
  readonly tokens: number;
  readonly placeholders: ReadonlyMap<string, string>;
  /** What is known of symbols after the trace. */
  readonly env: RetraceEnv;
  readonly guards: readonly string[];
  /** Symbols of the source program in whose place something else is known. */
  readonly replaced: ReadonlySet<string>;
}

/**
 * Runs the graph of a program again through a dispatcher, with one placeholder per input, and
 * makes the written inputs leading outputs.
 *
 * @throws SconceError `NOT_FUNCTIONALIZABLE` for an input whose sizes change in place, and those of
 * the calls
 */
export function* retraceProgram(program: ExportedProgram, dispatcher: Dispatcher): Work<Retrace> {
  const { tracer } = dispatcher;
  const guards = beginTrace(program, tracer);
  const interpreter = new GraphInterpreter(dispatcher, program.graph, runHigherOrder);
  const inputs: (FunctionalTensor | null)[] = [];
  const values = new Map<string, MetaValue>();
  const traced = new Map<string, string>();
  const readers = stateReaders(program);
  program.graph.placeholders().forEach((node, i) => {
    const val = node.meta.val ?? null;
    const value = tracer.placeholder(`arg${i}_1`, val, placeholderMeta(node, readers.get(node.name)));
    traced.set(`arg${i}_1`, node.name);
    values.set(node.name, value);
    const functional = value instanceof FakeTensor ? new FunctionalTensor(value) : null;
    inputs.push(functional);
    const constant = value as { kind?: string; value?: Argument } | null;
    const bound = functional ?? (constant?.kind === "constant" ? constant.value : value);
    interpreter.bind(node.name, bound as EmitArg);
  });
  tracer.currentMeta = tracer.preludeMeta;
  tracer.dropped.guards(program, (name) => values.get(name));
  yield;
  const result = yield* interpreter.steps();
  inputs.forEach((input, i) => {
    if (input !== null) refuseNewLayout(input, program.graphSignature.inputSpecs[i]?.arg.name ?? "");
  });
  // Views that are read again after a write, and the writing back, are made for the outputs.
  tracer.isFinishing = true;
  tracer.currentMeta = {
    ...inheritedMeta(program.graph.outputNode(), tracer.pass),
    ...interpreter.lastFunction(),
  };
  const copies = writeBack(program, interpreter, dispatcher, result);
  const mutated = program.graphSignature.inputSpecs.filter((_, i) => inputs[i]?.storage.mutated);
  const written = inputs
    .filter((input) => input?.storage.mutated)
    .map((input) => tracer.toArgument(input!.sync()));
  const outputs = copies.map((value) => tracer.toArgument(unwrap(value) as never));
  const tokens = tracer.token === undefined ? [] : [tracer.toArgument(tracer.token)];
  yield;
  const graph = yield* tracer.build(
    { kind: "tuple", items: [...tokens, ...written, ...outputs] },
    (node) => !hasEffect(node, dispatcher.operators),
  );
  if (tokens.length > 0) traced.set(graph.nodeAt(0).name, TOKEN_INPUT.arg.name);
  return {
    graph,
    mutated,
    tokens: tokens.length,
    placeholders: traced,
    env: tracer.env,
    guards: [...guards.added, ...guards.joining(tracer.env)],
    replaced: replacedSymbols(program, tracer.assertions),
  };
}

/** Gives the tracer what it needs to know of the program. */
function beginTrace(program: ExportedProgram, tracer: LoweringTracer): SizeGuards {
  // The symbols of a program that PyTorch wrote have no assertions but those of this trace.
  if (program.torchVersion === undefined) tracer.assertions = assertedConditions(program.graph);
  tracer.ownSymbols = ownSymbols(program);
  tracer.isLoaded = program.torchVersion !== undefined;
  tracer.inputRanges = program.rangeConstraints;
  tracer.env.knowsAssertions = !tracer.isLoaded;
  const guards = new SizeGuards(program, shapeEnvOf(program));
  tracer.guards = guards;
  return guards;
}

/** Returns the symbols of asserted conditions that no value of a program shows. */
function replacedSymbols({ graph }: ExportedProgram, asserted: readonly SymExpr[]): ReadonlySet<string> {
  const symbols = new Set(asserted.flatMap(symbolNames));
  if (symbols.size > 0)
    for (const { meta } of graph.nodes()) for (const name of symbolNames(meta.val)) symbols.delete(name);
  return symbols;
}

/**
 * `t_` or `resize_` of an input: no value carries the caller's tensor's new sizes (PyTorch fails an
 * assertion).
 */
function refuseNewLayout(input: FunctionalTensor, name: string): void {
  if (!input.hasNewLayout) return;
  throw newLayout(name);
}

/**
 * Writes the mutations back that a functional program returns, as `module()` does. Returns the
 * results of the user.
 */
function writeBack(
  program: ExportedProgram,
  interpreter: GraphInterpreter,
  dispatcher: Dispatcher,
  result: EmitArg,
): readonly EmitArg[] {
  const values = (result as { items?: readonly EmitArg[] }).items ?? (result as readonly EmitArg[]);
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const user: EmitArg[] = [];
  const written = new Map<EmitArg, EmitArg>();
  // All values are read before the first is written: one may be an input that another is written
  // to.
  const sources = outputSpecs.map(({ kind }, i) => {
    const value = values[i];
    const writes = kind.endsWith("_MUTATION") && value instanceof FunctionalTensor;
    return writes ? new FunctionalTensor(value.sync()) : values[i];
  });
  outputSpecs.forEach((spec, i) => {
    if (!spec.kind.endsWith("_MUTATION")) {
      user.push(written.get(values[i]) ?? values[i]);
      return;
    }
    const byName = spec.kind === "USER_INPUT_MUTATION";
    const input = inputSpecs.find(
      (candidate) => (byName ? candidate.arg.name : candidate.target) === spec.target,
    );
    const target = interpreter.resolve(ref(input?.arg.name ?? ""));
    written.set(values[i], dispatcher.call("aten.copy_.default", [target, sources[i]], {}) as EmitArg);
  });
  return user;
}

type FunctionMeta = Pick<NodeMeta, "torchFn" | "sourceFnStack">;

function functionMeta({ torchFn, sourceFnStack }: NodeMeta): FunctionMeta {
  return {
    ...(torchFn === undefined ? {} : { torchFn }),
    ...(sourceFnStack === undefined ? {} : { sourceFnStack }),
  };
}

/**
 * Metadata of an input; that of state names the function that read it last
 * (`_collect_param_buffer_metadata`).
 */
function placeholderMeta(node: Node, reader: FunctionMeta | undefined): NodeMeta {
  const { val: _val, ...rest } = node.meta;
  return { ...rest, ...reader };
}

/**
 * For each parameter and buffer, what the last call of an operator or function says that reads it.
 */
function stateReaders({ graph, graphSignature }: ExportedProgram): ReadonlyMap<string, FunctionMeta> {
  const state = new Set(
    graphSignature.inputSpecs.flatMap(({ kind, arg }) =>
      kind === "PARAMETER" || kind === "BUFFER" ? [arg.name] : [],
    ),
  );
  const readers = new Map<string, FunctionMeta>();
  for (const node of graph.nodes()) {
    if (node.op !== "call_function" || node.target.startsWith("higher_order.")) continue;
    for (const name of inputsOf(node))
      if (state.has(name)) readers.set(name, { ...readers.get(name), ...functionMeta(node.meta) });
  }
  return readers;
}
