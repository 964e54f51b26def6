import {
  type Argument,
  type ArgumentSpec,
  type ExportedProgram,
  FakeTensor,
  type Graph,
  type InputSpec,
  inputsOf,
  isRef,
  itemsOf,
  type Node,
  type NodeMeta,
  type OutputKind,
  type OutputSpec,
  rebuild,
  ref,
  renameNodes,
  tuple,
} from "@sconce/ir";
import { defaultOperators, type EmitArg, type OperatorTable } from "@sconce/ops";
import { refRenamer } from "../analysis/node-arguments.js";
import { eliminateDeadNodes } from "../graphs/dead-nodes.js";
import { mapSubgraphs } from "../graphs/subgraphs.js";
import { nameBodies } from "./body-names.js";
import { Dispatcher, unwrap } from "./dispatcher.js";
import { withoutTokens } from "./effect-tokens.js";
import { constantMutated, newLayout, unseenWrite } from "./errors.js";
import { FunctionalTensor } from "./functional-tensor.js";
import { HiddenAliases } from "./hidden-aliases.js";
import { runHigherOrder } from "./higher-order.js";
import { nameInputs } from "./input-names.js";
import { orderInputs } from "./input-order.js";
import { GraphInterpreter, inheritedMeta } from "./interpret.js";
import { remapModuleCalls } from "./module-calls.js";
import { CollisionNames } from "./naming.js";
import { refuseOpaqueEffects } from "./opaque-calls.js";
import { RuntimeAssertions } from "./runtime-asserts.js";
import { sameCalls } from "./same-calls.js";
import { type RetraceEnv, shapeEnvOf } from "./shape-env.js";
import { shareSizes } from "./shared-sizes.js";
import { refuseSharedState } from "./shared-state.js";
import { SizeGuards } from "./size-guards.js";
import { type SymbolSource, symbolSources } from "./symbol-sources.js";
import { type Decompositions, defaultDecompositions } from "./table.js";
import { entriesOf } from "./table-keys.js";
import { Tracer } from "./tracer.js";

/** How `runDecompositions` lowers a program. */
export interface RunDecompositionsOptions {
  /** Operators known to the session; PyTorch's by default. */
  readonly operators?: OperatorTable;
  /** The pass that the origins of new nodes name; `decompose` when left out. */
  readonly pass?: string;
  /**
   * Numbers before texts: what PyTorch lowers to a program that computes something else is
   * decomposed further where that fixes it, and refused where nothing does. `functionalize` does
   * so; PyTorch's own answer is the default.
   */
  readonly exact?: boolean;
}

/**
 * Lowers a program as `ExportedProgram.run_decompositions` does: functionalizes it (in-place and view operators become
 * values, mutations of buffers, parameters and inputs become leading outputs), replaces operators by the table, and
 * drops what is dead. The result is in the ATEN dialect; state, constants and input names stay (the inputs' order too,
 * but for constants: see {@link orderInputs}).
 *
 * Calls of operators that nothing defines stay as they are, with the results that the program records.
 *
 * Without a table, PyTorch's default one is used ({@link defaultDecompositions}); any `Map` or object of entries is a table. An
 * entry is checked against each call that it replaces. An empty table only functionalizes
 * and decomposes the composites that cannot be kept. A program in which nothing is left to lower comes back as it is
 * (PyTorch would make its nodes anew, and write its mutated inputs back with one more copy).
 *
 * @throws SconceError `DECOMPOSITION_TABLE`, `DECOMPOSITION_RESULT`, `DECOMPOSITION_CYCLE`, `DECOMPOSITION_FAILED` for entries
 * of the table; those of the operators' rules, `NOT_FUNCTIONALIZABLE`, `INTERNAL_OVERLAP`, `SHARED_STATE`,
 * `CONSTANT_MUTATED`, `UNKNOWN_OPERATOR`, `OPAQUE_EFFECTS`, `OPAQUE_INPUTS`
 */
export function runDecompositions(
  program: ExportedProgram,
  table?: Decompositions,
  options: RunDecompositionsOptions = {},
): ExportedProgram {
  const operators = options.operators ?? defaultOperators();
  if (program.dialect === "TRAINING") refuseOpaqueEffects(program.graph, operators);
  const entries = entriesOf(table ?? defaultDecompositions(operators), operators);
  const ordered = nameInputs(orderInputs(withoutTokens(program)));
  const retrace = (hidden?: HiddenAliases): Retrace => {
    const tracer = new Tracer(operators, shapeEnvOf(program), options.pass);
    return traceProgram(ordered, new Dispatcher(tracer, operators, entries, hidden));
  };
  const traced = options.exact === true ? retraceExactly(retrace) : retrace();
  refuseSharedState(ordered, traced.mutated);
  const lowered = finish(ordered, traced, operators);
  if (!sameCalls(program, lowered, copiesWrittenBack(program, lowered))) return lowered;
  return options.exact !== true && hasNewNames(program, lowered) ? lowered : program;
}

/**
 * As PyTorch does if no value shows a hidden write; else with the operators decomposed that hid a
 * write.
 */
function retraceExactly(retrace: (hidden: HiddenAliases) => Retrace): Retrace {
  const decomposed = new Set<string>();
  for (;;) {
    const hidden = new HiddenAliases(new Set(decomposed));
    const traced = retrace(hidden);
    const [first] = hidden.seen;
    if (first === undefined) return traced;
    const before = decomposed.size;
    for (const target of hidden.seen) decomposed.add(target);
    if (decomposed.size === before) throw unseenWrite(first);
  }
}

interface Retrace {
  readonly graph: Graph;
  /** Mutated inputs, in input order. */
  readonly mutated: readonly InputSpec[];
  /** 1 when ordered effects made a token the first input and output, else 0. */
  readonly tokens: number;
  readonly placeholders: ReadonlyMap<string, string>;
  /** What is known of symbols after the trace. */
  readonly env: RetraceEnv;
  readonly guards: readonly string[];
  /** Nodes that compute a part of a sum or product of sizes. */
  readonly partial: ReadonlySet<string>;
  /** The tensors whose sizes nodes stand for. */
  readonly sizesOf: ReadonlyMap<string, string>;
}

const TOKEN = {
  kind: "TOKEN",
  arg: { kind: "token", name: "token" },
  target: null,
  persistent: null,
} as const satisfies InputSpec;

function traceProgram(program: ExportedProgram, dispatcher: Dispatcher): Retrace {
  const { tracer } = dispatcher;
  tracer.assertions = new RuntimeAssertions(program);
  tracer.symbols.sources = tracedSources(program);
  tracer.guards = new SizeGuards(program, shapeEnvOf(program));
  const interpreter = new GraphInterpreter(dispatcher, program.graph, runHigherOrder);
  const inputs: (FunctionalTensor | null)[] = [];
  const traced = new Map<string, string>();
  const readers = stateReaders(program);
  program.graph.placeholders().forEach((node, i) => {
    const val = node.meta.val ?? null;
    const value = val instanceof FakeTensor ? new FakeTensor(val) : val;
    const placeholder = tracer.placeholder(`arg${i}_1`, value, placeholderMeta(node, readers.get(node.name)));
    traced.set(placeholder.name, node.name);
    const functional = value instanceof FakeTensor ? new FunctionalTensor(value) : null;
    inputs.push(functional);
    const constant = value as { kind?: string; value?: Argument } | null;
    const bound = functional ?? (constant?.kind === "constant" ? constant.value : value);
    interpreter.bind(node.name, bound as EmitArg);
  });
  tracer.symbols.beginBody();
  const result = interpreter.run();
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
  const values = inputs
    .filter((input) => input?.storage.mutated)
    .map((input) => tracer.toArgument(input!.sync()));
  const outputs = copies.map((value) => tracer.toArgument(unwrap(value) as never));
  const tokens = tracer.token === undefined ? [] : [tracer.toArgument(tracer.token)];
  tracer.output(tuple([...tokens, ...values, ...outputs]));
  const graph = tracer.build();
  if (tokens.length > 0) traced.set(graph.nodeAt(0).name, TOKEN.arg.name);
  return {
    graph,
    mutated,
    tokens: tokens.length,
    placeholders: traced,
    env: tracer.env,
    guards: tracer.guards.added,
    partial: tracer.symbols.partial,
    sizesOf: tracer.symbols.sizesOf,
  };
}

/** Sources of symbols by the names that placeholders have while tracing. */
function tracedSources(program: ExportedProgram): ReadonlyMap<string, SymbolSource> {
  const names = new Map(program.graph.placeholders().map(({ name }, i) => [name, `arg${i}_1`]));
  const sources = [...symbolSources(program)];
  return new Map(
    sources.map(([symbol, { placeholder, dim }]) => [symbol, { placeholder: names.get(placeholder)!, dim }]),
  );
}

/** `t_` or `resize_` of an input: no value carries the caller's tensor's new sizes (PyTorch fails an assertion). */
function refuseNewLayout(input: FunctionalTensor, name: string): void {
  if (!input.hasNewLayout) return;
  throw newLayout(name);
}

/** A program that is functional already returns its mutations; retracing writes them back as `module()` does. */
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
  // All values are read before the first is written: one may be an input that another is written to.
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

/** Metadata of an input; that of state names the function that read it last (`_collect_param_buffer_metadata`). */
function placeholderMeta(node: Node, reader: FunctionMeta | undefined): NodeMeta {
  const { val: _val, ...rest } = node.meta;
  return { ...rest, ...reader };
}

/** For each parameter and buffer, what the last call of an operator or function says that reads it. */
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

const MUTATION_KINDS: Readonly<Record<string, OutputKind>> = {
  BUFFER: "BUFFER_MUTATION",
  PARAMETER: "PARAMETER_MUTATION",
  USER_INPUT: "USER_INPUT_MUTATION",
};

function finish(program: ExportedProgram, retrace: Retrace, operators: OperatorTable): ExportedProgram {
  const constant = retrace.mutated.find((spec) => spec.kind === "CONSTANT_TENSOR");
  if (constant !== undefined) {
    throw constantMutated(constant);
  }
  const names = namesOf(retrace);
  const named = withSizeOrigins(nameBodies(renameNodes(retrace.graph, names)));
  const nameOf = (traced: string): string => names.get(traced) ?? traced;
  const sizes = new Map([...retrace.sizesOf].map(([size, tensor]) => [nameOf(size), nameOf(tensor)]));
  const live = eliminateDeadNodes(dropBufferCopies(named, retrace), operators, sizes);
  const partial = new Set([...retrace.partial].map(nameOf));
  const graph = shareSizes(live, retrace.env, partial);
  const outputSpecs = outputSpecsOf(program, graph, retrace);
  const inputSpecs = [...(retrace.tokens > 0 ? [TOKEN] : []), ...program.graphSignature.inputSpecs];
  return program.with({
    graph,
    graphSignature: { inputSpecs, outputSpecs },
    moduleCallGraph: remapModuleCalls(program, graph),
    ...(retrace.guards.length === 0 ? {} : { guardsCode: [...program.guardsCode, ...retrace.guards] }),
    dialect: "ATEN",
  });
}

/**
 * Whether a joint graph of forward and backward gets other names. PyTorch drops nodes of such a graph after naming them,
 * and numbers those that are left anew with each retrace. With symbolic sizes the numbers are not known.
 */
function hasNewNames(program: ExportedProgram, { graph }: ExportedProgram): boolean {
  const isJoint = program.graphSignature.outputSpecs.some(({ kind }) => kind === "LOSS_OUTPUT");
  if (!isJoint || program.rangeConstraints.size > 0 || graph.size !== program.graph.size) return false;
  return [...program.graph.nodes()].some(({ name }, i) => name !== graph.nodeAt(i).name);
}

/** The copies by which a retrace writes to inputs what the program returned for them already. */
function copiesWrittenBack({ graphSignature }: ExportedProgram, lowered: ExportedProgram): Set<string> {
  const returned = new Set(
    graphSignature.outputSpecs.flatMap(({ kind, target }) =>
      kind === "USER_INPUT_MUTATION" ? [target] : [],
    ),
  );
  const copies = new Set<string>();
  for (const [name, target] of lowered.userInputsToMutate) {
    const node = lowered.graph.find(name);
    if (node?.target === "aten.copy.default" && returned.has(target)) copies.add(name);
  }
  return copies;
}

/** Placeholders get their names back, other nodes make way. */
function namesOf({ graph, placeholders }: Retrace): ReadonlyMap<string, string> {
  const names = new CollisionNames();
  const renamed = new Map<string, string>();
  for (const [traced, original] of placeholders) {
    renamed.set(traced, original);
    names.placeholder(original);
  }
  for (const node of graph.nodes()) {
    if (node.op === "call_function" || node.op === "get_attr")
      renamed.set(node.name, names.rename(node.name));
  }
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

/** `copy(buffer, value)` as a buffer's new value is just `value` (`_remove_unnecessary_copy_op_pass`). */
function dropBufferCopies(graph: Graph, { mutated, tokens }: Retrace): Graph {
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
  return rebuild(graph, (node) => (replaced.has(node.name) ? false : rename(node)));
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
