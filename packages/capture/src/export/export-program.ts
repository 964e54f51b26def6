/**
 * @file `exportProgram`: traces a module or a function into a program, as `torch.export.export`.
 */
import { checkOptions, type OptionNames } from "@sconce/errors";
import {
  type Argument,
  type ArgumentSpec,
  ExportedProgram,
  FakeTensor,
  type InputSpec,
  isSymScalar,
  type OutputSpec,
  type TreeSpec,
} from "@sconce/ir";
import { ShapeEnv } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { Module } from "../nn/module.js";
import { withTrace } from "../trace/dispatch.js";
import { withMetadataAsserts } from "../trace/metadata-asserts.js";
import { fakeOf } from "../trace/real-tensor.js";
import { withRuntimeAsserts } from "../trace/runtime-asserts.js";
import { isSym } from "../trace/sym-int.js";
import type { TraceArgument, TraceNode } from "../trace/trace-node.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import { badArguments } from "./errors.js";
import { ExportTracer } from "./export-tracer.js";
import { finishGraph, toArgument } from "./finish-graph.js";
import { flatten } from "./flatten.js";
import { argumentNames, inputPaths } from "./input-names.js";
import {
  type ModuleState,
  type StateChanges,
  type StateEntry,
  stateOf,
  withTracedState,
} from "./module-state.js";

/** Options of {@link exportProgram}. */
export interface ExportOptions {
  /** Keyword arguments: an object whose entries are passed as the last argument. */
  readonly kwargs?: Readonly<Record<string, unknown>> | undefined;
}

const EXPORT: OptionNames<ExportOptions> = { kwargs: true };

/** What can be exported: a module, a function, or a method that is bound. */
export type Exportable = Module | ((...args: never[]) => unknown);

/**
 * Traces a module or a function with example arguments and gives the program that PyTorch gives
 * for the same model (`torch.export.export`).
 *
 * @throws SconceError `EXPORT_ARGUMENTS`, and what the model's operators refuse
 */
export function exportProgram(
  target: Exportable,
  args: readonly unknown[],
  options: ExportOptions = {},
): ExportedProgram {
  checkOptions("exportProgram", options, EXPORT);
  if (!Array.isArray(args)) throw badArguments(args);
  return new Export(target, args, options.kwargs ?? {}).run();
}

class Export {
  readonly #target: Exportable;
  readonly #args: readonly unknown[];
  readonly #kwargs: Readonly<Record<string, unknown>>;
  readonly #env = new ShapeEnv();
  readonly #tracer: ExportTracer;
  readonly #state: ModuleState;
  readonly #stateNodes = new Map<StateEntry, TraceNode>();
  readonly #userNodes: TraceNode[] = [];

  constructor(target: Exportable, args: readonly unknown[], kwargs: Readonly<Record<string, unknown>>) {
    this.#target = target;
    this.#args = args;
    this.#kwargs = kwargs;
    this.#state =
      target instanceof Module ? stateOf(target) : { entries: [], constantNames: new Map(), modules: [] };
    this.#tracer = new ExportTracer({ env: this.#env, modules: this.#state.modules });
  }

  run(): ExportedProgram {
    const traced = this.#traceState();
    const inputs = flatten([...this.#args]);
    const values = inputs.leaves.map((leaf) => this.#traceInput(leaf));
    const { result, changes } = withTracedState(this.#state, traced, () =>
      withTrace(this.#tracer, () => this.#call(values)),
    );
    const outputs = flatten(result);
    const results = withTrace(this.#tracer, () => outputs.leaves.map((leaf) => this.#output(leaf)));
    this.#copyAssigned(changes);
    return this.#program(inputs, outputs.spec, outputs.leaves, results);
  }

  /** Placeholders for parameters and buffers, one for each name. */
  #traceState(): Map<StateEntry, TracedTensor> {
    const traced = new Map<StateEntry, TracedTensor>();
    const byTensor = new Map<Tensor, TracedTensor>();
    for (const entry of this.#state.entries) {
      let tensor = byTensor.get(entry.value);
      if (tensor === undefined) {
        tensor = new TracedTensor(fakeOf(entry.value));
        byTensor.set(entry.value, tensor);
      }
      this.#stateNodes.set(entry, this.#tracer.placeholder(tensor.fake));
      traced.set(entry, tensor);
    }
    return traced;
  }

  readonly #inputs = new Map<Tensor, TracedTensor>();

  #traceInput(leaf: unknown): unknown {
    if (!(leaf instanceof Tensor)) {
      this.#userNodes.push(this.#tracer.placeholder({ kind: "constant", value: leaf as Argument }));
      return leaf;
    }
    let tensor = this.#inputs.get(leaf);
    if (tensor === undefined) {
      tensor = new TracedTensor(fakeOf(leaf));
      this.#inputs.set(leaf, tensor);
    }
    this.#userNodes.push(this.#tracer.placeholder(tensor.fake));
    return tensor;
  }

  #call(values: readonly unknown[]): unknown {
    let next = 0;
    const rebuild = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(rebuild);
      if (isPlain(value))
        return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rebuild(item)]));
      return values[next++];
    };
    const args = this.#args.map(rebuild) as never[];
    return (this.#target as (...all: never[]) => unknown)(...args);
  }

  #output(leaf: unknown): TraceArgument {
    if (leaf instanceof TracedTensor) return this.#tracer.nodeOf(leaf);
    if (leaf instanceof Tensor) return this.#tracer.constantNode(leaf);
    return isSym(leaf) ? this.#tracer.scalarArgument(leaf) : (leaf as Argument);
  }

  /** Assigned buffers are written at the end of the graph. */
  #copyAssigned({ assigned }: StateChanges): void {
    for (const [entry, value] of assigned) {
      if (value instanceof TracedTensor) this.#tracer.copyTo(this.#stateNodes.get(entry)!, value);
    }
  }

  #program(
    inputs: { readonly leaves: readonly unknown[]; readonly spec: TreeSpec },
    outSpec: TreeSpec,
    outLeaves: readonly unknown[],
    results: readonly TraceArgument[],
  ): ExportedProgram {
    const tracer = this.#tracer;
    const nodes = withMetadataAsserts(withRuntimeAsserts(tracer), tracer.names);
    const constants = this.#constants();
    const names = inputPaths(argumentNames(this.#target, this.#args.length), [...this.#args]);
    const named = new Map<TraceNode, string>();
    this.#userNodes.forEach((node, i) => named.set(node, names[i]!));
    for (const [entry, node] of this.#stateNodes)
      named.set(node, `${entry.kind === "PARAMETER" ? "p" : "b"}_${identifier(entry.fqn)}`);
    for (const { node, fqn } of constants) named.set(node, `c_${identifier(fqn)}`);
    const lifted = [...this.#stateNodes.values(), ...constants.map(({ node }) => node)];
    const order = [...this.#userNodes, ...lifted].map((node) => named.get(node)!);
    const graph = finishGraph({
      inputs: [...lifted, ...this.#userNodes].map((node) => [node, named.get(node)!] as const),
      namingOrder: order,
      body: nodes.filter(({ op }) => op === "call_function"),
      outputs: results,
      env: this.#env,
    });
    const inputSpecs: InputSpec[] = [
      ...[...this.#stateNodes].map(([{ kind, fqn, persistent }, { name }]): InputSpec => {
        return { kind, arg: { kind: "tensor", name }, target: fqn, persistent };
      }),
      ...constants.map(({ node: { name }, fqn }): InputSpec => {
        return { kind: "CONSTANT_TENSOR", arg: { kind: "tensor", name }, target: fqn, persistent: null };
      }),
      ...this.#userNodes.map((node): InputSpec => {
        return { kind: "USER_INPUT", arg: argumentSpec(node), target: null, persistent: null };
      }),
    ];
    const outputSpecs = results.map((result, i): OutputSpec => {
      return { kind: "USER_OUTPUT", arg: outputSpec(result, outLeaves[i]), target: null };
    });
    const { entries, modules } = this.#state;
    const isState = ({ kind, persistent }: StateEntry): boolean =>
      kind === "PARAMETER" || persistent === true;
    const inSpec: TreeSpec = {
      type: "builtins.tuple",
      context: null,
      children: [
        { ...inputs.spec, type: "builtins.tuple" },
        { type: "builtins.dict", context: [], children: [] },
      ],
    };
    return new ExportedProgram({
      graph,
      graphSignature: { inputSpecs, outputSpecs },
      stateDict: new Map(entries.filter(isState).map(({ fqn, value }) => [fqn, value])),
      parameterNames: new Set(entries.filter(({ kind }) => kind === "PARAMETER").map(({ fqn }) => fqn)),
      constants: new Map([
        ...constants.flatMap(({ fqns, value }) => fqns.map((fqn) => [fqn, value] as const)),
        ...entries.filter((entry) => !isState(entry)).map(({ fqn, value }) => [fqn, value] as const),
      ]),
      rangeConstraints: new Map(),
      moduleCallGraph: moduleCalls(modules, inSpec, outSpec, argumentNames(this.#target, this.#args.length)),
      exampleInputs: { leaves: inputs.leaves as readonly (Tensor | Argument)[] },
      dialect: "TRAINING",
      torchVersion: undefined,
    });
  }

  /** The constants of the trace with their names, in order of use. */
  #constants(): {
    readonly node: TraceNode;
    readonly value: Tensor;
    readonly fqn: string;
    readonly fqns: readonly string[];
  }[] {
    let count = 0;
    return [...this.#tracer.constants].map(([value, node]) => {
      const fqns = this.#state.constantNames.get(value) ?? [`lifted_tensor_${count++}`];
      return { node, value, fqn: fqns[0]!, fqns };
    });
  }
}

const moduleCalls = (
  modules: readonly (readonly [path: string, module: Module])[],
  inSpec: TreeSpec,
  outSpec: TreeSpec,
  forwardArgNames: readonly string[],
) => {
  const root = { fqn: "", signature: { inputs: [], outputs: [], inSpec, outSpec, forwardArgNames } };
  return [root, ...modules.slice(1).map(([fqn]) => ({ fqn, signature: null }))];
};

const identifier = (fqn: string): string => fqn.replace(/[^a-zA-Z0-9]/g, "_").toLowerCase();

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const KINDS = { SymInt: "symint", SymFloat: "symfloat", SymBool: "symbool" } as const;

function argumentSpec({ name, val }: TraceNode): ArgumentSpec {
  if (isSymScalar(val)) return { kind: KINDS[val.kind], name };
  const constant = val as { kind?: string; value?: Argument } | FakeTensor;
  if (!(constant instanceof FakeTensor) && constant.kind === "constant")
    return { kind: "constant", name, value: constant.value! };
  return { kind: "tensor", name };
}

function outputSpec(result: TraceArgument, leaf: unknown): ArgumentSpec {
  const argument = toArgument(result);
  const isNode =
    typeof argument === "object" && argument !== null && "kind" in argument && argument.kind === "node";
  if (!isNode) return { kind: "constant", name: "", value: argument };
  const { name } = argument as { name: string };
  if (leaf instanceof Tensor) return { kind: "tensor", name };
  return { kind: isSym(leaf) ? KINDS[leaf.constructor.name as keyof typeof KINDS] : "tensor", name };
}
