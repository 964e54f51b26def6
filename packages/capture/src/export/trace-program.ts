/** @file Runs a model on traced tensors and makes a program of its calls. */

import type { SconceError } from "@sconce/errors";
import {
  type Argument,
  type ExportedProgram,
  type FakeTensor,
  flattenValue,
  keyPathText,
  unflattenTree,
} from "@sconce/ir";
import {
  type AnyFunction,
  captureStack,
  type FunctionParameter,
  functionParameters,
  mayTakeMore,
  type RawStack,
  type SourceFinding,
} from "@sconce/source-check";
import { freeSymbols, SymExpr, symbolByName } from "@sconce/symbolic";
import { isNumericArray, Tensor } from "@sconce/tensor";
import {
  type DraftPlace,
  type DraftRecorder,
  ExampleRun,
  fakeOf,
  isSym,
  type Module,
  memoryOf,
  Parameter,
  requireInitialized,
  SourceFunctions,
  SymInt,
  type TraceArgument,
  TracedTensor,
  type TraceNode,
  withRefusals,
  withTrace,
} from "@sconce/torch";
import {
  bindInputs,
  type DynamicShapes,
  type FakeInputs,
  makeFakeInputs,
  solveConstraints,
} from "../dynamic/index.js";
import { arrayInput } from "../pytree/errors.js";
import { flattenInputs, type InputLeaves } from "../pytree/input-leaves.js";
import { requireInputLeaf, requireOutputLeaf } from "../pytree/leaf-kinds.js";
import { sortedKeys } from "../pytree/sorted-keys.js";
import { makeSpecInputs, ShapesSpec } from "../spec/index.js";
import { GraphModule } from "../unlift/graph-module.js";
import { ProgramModule } from "../unlift/program-module.js";
import {
  exchangedBuffers,
  positionalKeyword,
  tooManyArguments,
  unexpectedKeyword,
  unexpectedKeywords,
} from "./errors.js";
import { ExportTracer } from "./export-tracer.js";
import { finishProgram } from "./finish-program.js";
import { type GivenShapes, shapesOf, specOf } from "./given-shapes.js";
import { PreservedCalls } from "./module-calls.js";
import { type ModuleState, type StateEntry, stateOf, withTracedState } from "./module-state.js";
import { hasStrictSymbols, withRecordedNames } from "./recorded.js";
import { SourceChecks } from "./source-checks.js";
import { placeOf, withUserLines } from "./user-place.js";

/** A model with the arguments that it is traced with. */
export interface TraceRequest {
  readonly call: AnyFunction;
  /** The module that is called; undefined for a function. */
  readonly module: Module | undefined;
  readonly args: readonly unknown[];
  readonly kwargs: Readonly<Record<string, unknown>>;
  readonly dynamicShapes: GivenShapes;
  readonly warn: (message: string) => void;
  /** Whether the source is checked before it runs. */
  readonly checksSource: boolean;
  /** Whether the export is strict. */
  readonly isStrict: boolean;
  /** Receives what the check could not follow; `warn` receives a list of it otherwise. */
  readonly onUnchecked: ((finding: SourceFinding) => void) | undefined;
  /** The paths of modules whose calling conventions are preserved. */
  readonly preserve: readonly string[];
  /** Takes note of what is assumed, where the program is a draft. */
  readonly draft?: DraftRecorder | undefined;
  /** Whether conditions on the inputs are asserted at run time, and not guards. */
  readonly deferGuards: boolean;
}

const NO_STATE: ModuleState = { entries: [], constantNames: new Map(), modules: [] };

/**
 * Returns the state of a module. @throws SconceError `LAYER_ARGUMENTS` where a lazy layer has none
 * yet
 */
function initializedState(module: Module): ModuleState {
  const state = stateOf(module);
  for (const [, own] of state.modules) requireInitialized(own);
  return state;
}

/** Traces a model. */
export function traceProgram(request: TraceRequest): ExportedProgram {
  const { module, args, kwargs, warn, draft } = request;
  const source = sourceOf(request);
  const parameters = parametersOf(request, source);
  const inputs = userInputs(request, source, parameters);
  let tracer: ExportTracer | undefined;
  const prepared = prepareInputs(request, parameters, () => tracer?.callStack ?? captureStack());
  const state = module === undefined ? NO_STATE : initializedState(module);
  const preserved = preservedCalls(request, state);
  const checks =
    request.checksSource && !(module instanceof ProgramModule) ? new SourceChecks(request) : undefined;
  tracer = beginTrace(request, { prepared, state, preserved, checks });
  const { traced, nodes: stateNodes } = traceState(tracer, state);
  const { values, nodes: userNodes } = traceInputs(tracer, inputs, prepared);
  // The modules of programs take keywords by their names.
  const given = callArguments(inputs, values, module instanceof GraphModule ? undefined : parameters);
  checks?.model(source, given);
  const runModel = (): unknown => callModel(request, given);
  const { result: run, changes } = withTracedState(state, traced, tracer.paths, () =>
    withRefusals(() =>
      withUserLines(() =>
        withTrace(tracer, () =>
          draft === undefined ? runModel() : draft.during(draftPlace(tracer, prepared), runModel),
        ),
      ),
    ),
  );
  checks?.finish();
  for (const refused of run.caught) warn(caughtRefusal(refused));
  for (const names of sameInputs(inputs)) warn(sameTensor(names));
  warnOfOrder([args, kwargs, run.result], warn);
  const unseen = [...tracer.constants.keys()].filter((tensor) => tensor instanceof Parameter);
  if (module !== undefined && unseen.length > 0) warn(unseenParameters(unseen));
  const outputs = flattenValue(run.result);
  outputs.leaves.forEach(requireOutputLeaf);
  const results = outputs.leaves.map((leaf) => outputArgument(tracer, leaf));
  copyAssigned(tracer, changes.assigned, stateNodes);
  if (changes.attributes.length > 0) warn(assignedAttributes(changes.attributes));
  const solved = solveConstraints(prepared, {
    unbacked: unbackedSymbols(tracer),
    describe: placeOf,
    isStrict: request.isStrict,
  });
  solved.warnings.forEach(warn);
  return finishProgram({
    tracer,
    state,
    preserved,
    stateNodes,
    read: changes.read,
    inputs,
    markedDims: markedDims(prepared),
    userNodes,
    results,
    outputs,
    solved,
    inferred: draft?.inferred,
    argumentNames: argumentNames(parameters, args.length, kwargs),
  });
}

/** The leaves of the inputs. @throws SconceError `EXPORT_ARGUMENTS`, `UNSUPPORTED_INPUT` */
function userInputs(
  { args, kwargs }: TraceRequest,
  source: AnyFunction,
  parameters: readonly FunctionParameter[] | undefined,
): InputLeaves {
  requireCount(source, parameters, args);
  const inputs = flattenInputs(parameters, args, kwargs);
  for (const { value, path } of inputs.leaves) requireInputLeaf(value, keyPathText(path));
  return inputs;
}

/** @throws SconceError `UNSUPPORTED_INPUT` where the model calls methods of nested arrays */
function callModel({ call, args, kwargs }: TraceRequest, given: readonly unknown[]): unknown {
  try {
    return (call as (...all: readonly unknown[]) => unknown)(...given);
  } catch (error) {
    const [at] = Object.entries({ ...args, ...kwargs }).find(([, value]) => isNumericArray(value)) ?? [];
    if (at === undefined || !(error instanceof TypeError)) throw error;
    throw arrayInput(error, Object.hasOwn(kwargs, at) ? at : `args[${at}]`);
  }
}

/** What a trace begins with. */
interface TraceStart {
  readonly prepared: FakeInputs;
  readonly state: ModuleState;
  readonly preserved: PreservedCalls | undefined;
  readonly checks: SourceChecks | undefined;
}

const beginTrace = (
  { draft, isStrict, warn }: TraceRequest,
  { prepared: { env }, state: { modules }, preserved, checks }: TraceStart,
): ExportTracer =>
  new ExportTracer({
    env,
    modules,
    warn,
    preserved,
    example: draft === undefined ? undefined : new ExampleRun({ env, draft }),
    sources: isStrict ? new SourceFunctions() : undefined,
    checks,
  });

/**
 * Copies the tensors that were assigned to buffers, one after the other. A view of a buffer that is
 * assigned later is copied before that changes. PyTorch, too, takes no other buffer itself.
 *
 * @throws SconceError `ASSIGNED_BUFFER` when one would be overwritten before it is copied, or is
 *   another buffer that is assigned as well
 */
function copyAssigned(
  tracer: ExportTracer,
  assigned: ReadonlyMap<StateEntry, unknown>,
  nodes: ReadonlyMap<StateEntry, TraceNode>,
): void {
  const entries = new Map([...assigned.keys()].map((entry) => [nodes.get(entry), entry]));
  const overwritten = new Set<StateEntry>();
  for (const [entry, value] of assigned) {
    if (!(value instanceof Tensor)) continue;
    const source = value instanceof TracedTensor ? tracer.nodeOf(value) : undefined;
    const other = source && entries.get(memoryOf(source, tracer.operators));
    if (other !== undefined && other !== entry)
      if (source === nodes.get(other) || overwritten.has(other)) throw exchangedBuffers(entry.fqn, other.fqn);
    if (other !== entry) overwritten.add(entry);
    tracer.copyTo(nodes.get(entry)!, value);
  }
}

/**
 * Returns the calls to preserve; undefined for none. A module that is a graph has no calls of
 * modules: PyTorch ignores the paths.
 */
function preservedCalls(
  { module, call, preserve }: TraceRequest,
  { modules }: ModuleState,
): PreservedCalls | undefined {
  if (preserve.length === 0 || module instanceof GraphModule) return undefined;
  return new PreservedCalls({ paths: preserve, modules, root: module?.constructor.name ?? call.name });
}

/** Where a trace stands, for what a draft assumes. */
const draftPlace = (tracer: ExportTracer, { env, sources }: FakeInputs): DraftPlace => ({
  stack: () => tracer.callStack ?? captureStack(tracer.moduleCall),
  symbols: (expr) =>
    [...freeSymbols(expr).values()].map((made) => {
      const symbol = made.name;
      const value = env.observed(made) as number | undefined;
      const [input] = sources.get(symbol) ?? [];
      if (input !== undefined) return { symbol, source: input.name, value, stack: undefined };
      const node = tracer.nodes.find(({ unbacked }) => unbacked.some((known) => known.symbol === symbol));
      return { symbol, source: node?.target ?? "the data", value, stack: node?.meta.stack };
    }),
});

/** Fake inputs with the symbols that the specification asks for. */
function prepareInputs(
  request: TraceRequest,
  parameters: readonly FunctionParameter[] | undefined,
  locate: () => RawStack,
): FakeInputs {
  const { args, kwargs, draft, deferGuards, module } = request;
  const named = bindInputs(parameters, args, kwargs);
  const shapes = specOf(request, sourceOf(request)) ?? shapesOf(request, parameters);
  const isStrict = request.isStrict || hasStrictSymbols(module);
  if (shapes instanceof ShapesSpec)
    return makeSpecInputs(named, shapes, { locate, observer: draft, isStrict });
  return makeFakeInputs(named, shapes, { locate, observer: draft, deferGuards, isStrict });
}

/** Returns the specification of an export: what a collection or further inputs give, too. */
export const resolvedShapes = (request: TraceRequest): DynamicShapes | null | undefined =>
  shapesOf(request, parametersOf(request, sourceOf(request)));

/** Returns the dims that `Dim.DYNAMIC` marks, which samples in files keep. */
const markedDims = ({ inputs }: FakeInputs): ReadonlyMap<number, readonly number[]> =>
  new Map(
    inputs.flatMap(({ constraints }, i): [number, readonly number[]][] => {
      const dims = constraints.flatMap((constraint, dim) => (constraint === "dynamic" ? [dim] : []));
      return dims.length === 0 ? [] : [[i, dims]];
    }),
  );

/** Returns the parameters, under the names that `asRecorded` gives them. */
const parametersOf = (
  { module }: TraceRequest,
  source: AnyFunction,
): readonly FunctionParameter[] | undefined => withRecordedNames(module, functionParameters(source));

/** Returns the function whose source and parameters count. */
const sourceOf = ({ call, module }: TraceRequest): AnyFunction =>
  module === undefined ? call : (module.forward as AnyFunction);

/** Returns the symbols that only the data decide, in the order in which they were made. */
function unbackedSymbols({ nodes, innerSymbols }: ExportTracer): SymExpr[] {
  const own = nodes.map(({ unbacked }) => unbacked.map(({ symbol }) => symbol).sort(byNumber));
  if (innerSymbols.size === 0) return own.flat().map((symbol) => symbolByName(symbol));
  // Symbols of nested graphs lie between those of the program.
  const all = new Set([...own.flat(), ...innerSymbols]);
  return [...all].sort(byNumber).map((symbol) => symbolByName(symbol));
}

/** `u2` before `u10`. */
const byNumber = (a: string, b: string): number =>
  Number(a.replace(/\D+/, "")) - Number(b.replace(/\D+/, ""));

/** Placeholders for parameters and buffers, one for each name. */
function traceState(
  tracer: ExportTracer,
  state: ModuleState,
): { readonly traced: Map<StateEntry, TracedTensor>; readonly nodes: Map<StateEntry, TraceNode> } {
  const traced = new Map<StateEntry, TracedTensor>();
  const nodes = new Map<StateEntry, TraceNode>();
  const shared = new Map<Tensor, TracedTensor>();
  for (const entry of state.entries) {
    const tensor = shared.get(entry.value) ?? new TracedTensor(fakeOf(entry.value));
    tracer.example?.begin(tensor.fake, entry.value);
    traced.set(entry, tensor);
    // A strict program has one input for a tensor with several names.
    const isKnown = tracer.isStrict && shared.has(entry.value);
    const node = isKnown ? tracer.nodeOf(tensor) : tracer.placeholder(tensor.fake);
    if (!isKnown) tracer.nameInput(node, `_self____export_root_${entry.fqn}`);
    tracer.stateInputs.add(node);
    nodes.set(entry, node);
    shared.set(entry.value, tensor);
  }
  return { traced, nodes };
}

/** Placeholders for the user's inputs; a tensor that is given twice is known by the last. */
function traceInputs(
  tracer: ExportTracer,
  { leaves }: InputLeaves,
  prepared: FakeInputs,
): { readonly values: unknown[]; readonly nodes: TraceNode[] } {
  const nodes: TraceNode[] = [];
  const shared = new Map<Tensor, { readonly tensor: TracedTensor; readonly first: number }>();
  const values = leaves.map(({ value }, i) => {
    const { fake } = prepared.inputs[i]!;
    if (fake instanceof SymExpr) {
      nodes.push(tracer.placeholder({ kind: "SymInt", expr: fake }, prepared.fromSpec));
      return new SymInt(fake);
    }
    if (!(value instanceof Tensor)) {
      nodes.push(tracer.placeholder({ kind: "constant", value: value as Argument }));
      return value;
    }
    const { tensor, first } = shared.get(value) ?? {
      tensor: new TracedTensor(fake as FakeTensor),
      first: i,
    };
    shared.set(value, { tensor, first });
    tracer.example?.begin(tensor.fake, value);
    const node = tracer.placeholder(tensor.fake, prepared.fromSpec);
    // A tensor that is given twice has the name of the first place.
    tracer.nameInput(node, `flat_args_${first}_`);
    nodes.push(node);
    return tensor;
  });
  return { values, nodes };
}

/**
 * Keyword arguments are an object behind the positional ones: at the place of the pattern that
 * takes them, where the parameters are known.
 */
function callArguments(
  { spec }: InputLeaves,
  values: readonly unknown[],
  parameters: readonly FunctionParameter[] | undefined,
): unknown[] {
  const [args, kwargs] = unflattenTree(values, spec) as [unknown[], Record<string, unknown>];
  const names = Object.keys(kwargs);
  if (names.length === 0) return args;
  const left = parameters?.slice(args.length) ?? [];
  const place = left.findIndex(({ name, isRest }) => name === undefined && !isRest);
  if (place >= 0) requireKeywords(names, left[place]!);
  if (place >= 0) return [...args, ...new Array<undefined>(place).fill(undefined), kwargs];
  const taken = left.find(({ name, isRest }) => !isRest && name !== undefined && names.includes(name));
  if (taken !== undefined) throw positionalKeyword(taken.name!);
  if (parameters !== undefined && left.length === 0 && !parameters.some(({ isRest }) => isRest))
    throw unexpectedKeywords(names, parameters.length);
  return [...args, kwargs];
}

/** @throws SconceError `EXPORT_ARGUMENTS` for a keyword that the pattern does not take */
function requireKeywords(names: readonly string[], { keywords }: FunctionParameter): void {
  const unknown = keywords && names.find((name) => !keywords.includes(name));
  if (unknown !== undefined) throw unexpectedKeyword(unknown, keywords!);
}

/** @throws SconceError `EXPORT_ARGUMENTS` for more arguments than a model has parameters */
function requireCount(
  source: AnyFunction,
  parameters: readonly FunctionParameter[] | undefined,
  args: readonly unknown[],
): void {
  if (parameters === undefined || args.length <= parameters.length) return;
  if (parameters.some(({ isRest }) => isRest) || mayTakeMore(source)) return;
  throw tooManyArguments(
    args.length,
    parameters.map(({ name, keywords = ["..."] }) => name ?? `{ ${keywords.join(", ")} }`),
  );
}

function outputArgument(tracer: ExportTracer, leaf: unknown): TraceArgument {
  if (leaf instanceof TracedTensor) return tracer.nodeOf(leaf);
  if (leaf instanceof Tensor) return tracer.constantNode(leaf);
  // A function without `return` gives None.
  if (leaf === undefined) return null;
  return isSym(leaf) ? tracer.scalarArgument(leaf) : (leaf as Argument);
}

/** Names of the arguments (`_get_forward_arg_names`): positional ones, then keywords. */
function argumentNames(
  parameters: readonly FunctionParameter[] | undefined,
  count: number,
  kwargs: Readonly<Record<string, unknown>>,
): string[] {
  const rest = parameters?.findIndex(({ isRest }) => isRest) ?? -1;
  const positional = Array.from({ length: count }, (_, i) =>
    rest >= 0 && i >= rest
      ? `${parameters![rest]!.name ?? "args"}_${i - rest}`
      : (parameters?.[i]?.name ?? `args_${i}`),
  );
  return [...positional, ...Object.keys(kwargs)];
}

/** Names of inputs that are one tensor. */
function sameInputs({ leaves, names }: InputLeaves): string[][] {
  const byTensor = new Map<Tensor, string[]>();
  leaves.forEach(({ value }, i) => {
    if (!(value instanceof Tensor)) return;
    const own = byTensor.get(value) ?? [];
    own.push(names[i]!);
    byTensor.set(value, own);
  });
  return [...byTensor.values()].filter((own) => own.length > 1);
}

const sameTensor = (names: readonly string[]): string =>
  `The example inputs ${names.join(", ")} are one tensor, and the program reads it from ${names.at(-1)} only. Pass different tensors, unless every call passes one tensor for all of them.`;

/** Warns about the first object whose keys are in an order that its source cannot choose. */
function warnOfOrder(values: unknown, warn: (message: string) => void): void {
  const keys = sortedKeys(values);
  if (keys === undefined) return;
  const order = keys.map((key) => JSON.stringify(key)).join(", ");
  warn(
    `JavaScript puts integer keys of objects first, in ascending order: the tensors of an object have the order ${order}, whatever its source says. A Map keeps the order in which its keys were set.`,
  );
}

const unseenParameters = (parameters: readonly Tensor[]): string =>
  `No property of a module holds ${parameters.length === 1 ? "a parameter" : `${parameters.length} parameters`} that the model uses (${parameters.map(({ shape }) => `[${shape.join(", ")}]`).join(", ")}): the program has constants instead. Private fields (\`#fc\`) and arrays are not seen: use public properties, \`nn.ModuleList\` and \`nn.ParameterList\`.`;

const caughtRefusal = ({ message, fix }: SconceError): string =>
  `The model caught an error of the trace and went on, so the program may compute something else: ${message}. Instead: ${fix}`;

/** Returns the warning of PyTorch. */
function assignedAttributes(paths: readonly string[]): string {
  const [noun, verb] = paths.length === 1 ? ["attribute", "was"] : ["attributes", "were"];
  return `The tensor ${noun} ${paths.join(", ")} ${verb} assigned during export. Such attributes must be registered as buffers using the \`registerBuffer\` API.`;
}
