/** @file `program.module()`: a program as a module, with its state and its graph. */

import { checkOptions, markClass, type OptionNames } from "@sconce/errors";
import { codeText, type ExportedProgram, type Graph, type Node, unflattenTree } from "@sconce/ir";
import {
  callingConvention,
  flattenCall,
  type InputCheck,
  inputCheck,
  keywordsOf,
  type OperatorTable,
  programState,
} from "@sconce/ops";
import { type AnyFunction, declareParameters, fieldsOf, isPlainObject } from "@sconce/source-check";
import type { Tensor } from "@sconce/tensor";
import {
  currentTrace,
  type LoadOptions,
  type LoadReport,
  Module,
  modelOperators,
  Parameter,
  requireFreeName,
} from "@sconce/torch";
import { COPY } from "../this-copy.js";
import { statePlace } from "./errors.js";
import { requireGuards } from "./guard-values.js";
import { ProgramModule } from "./program-module.js";
import { runGraph } from "./run-graph.js";
import { unliftedGraph } from "./unlifted-graph.js";

declare module "@sconce/ir" {
  interface ExportedProgram {
    /**
     * Returns the program as a module (`ExportedProgram.module()`): callable, with parameters and
     * buffers, and exportable again.
     *
     * @throws SconceError `NO_CALLING_CONVENTION`, `NOT_RUNNABLE`
     */
    module(options?: GraphModuleOptions): GraphModule;
    /**
     * Calls the program as the model was called, with keyword arguments in an object behind the
     * positional ones: `program.module()(...args)`. Buffers that the program writes to keep their
     * values from call to call; those of the program itself stay.
     *
     * @throws SconceError `NO_CALLING_CONVENTION`, `KEYWORD_MISMATCH`, `TREE_MISMATCH`,
     * `GUARD_FAILED`, and what the operators refuse
     */
    call(...args: readonly unknown[]): unknown;
  }
}

/** Options of `program.module()`. */
export interface GraphModuleOptions {
  /**
   * Whether calls check the guards of the program, and exports of the module record them. Without
   * them, calls check the sizes of the inputs alone. @defaultValue true
   */
  readonly checkGuards?: boolean | undefined;
  /**
   * The operators that the program may use. @defaultValue Sconce's own, and those that
   * `library.customOp` declared
   */
  readonly operators?: OperatorTable | undefined;
}

const OPTIONS: OptionNames<GraphModuleOptions> = { checkGuards: true, operators: true };

/** The checks of the inputs, as PyTorch places them among the submodules. */
class GuardsFn extends Module {
  static override readonly torchClass = "torch.export._unlift.GuardsFn";
}

/**
 * A program as a module (`ExportedProgram.module()`): its parameters and buffers are those of the
 * model, under their names, and its `graph` computes. It is called as the model was, with keyword
 * arguments in an object behind the positional ones, and can be exported again.
 *
 * The module has its own copy of the buffers that the program writes to. Parameters share memory
 * with the program until `loadStateDict` replaces them.
 */
export class GraphModule extends ProgramModule {
  static {
    markClass(GraphModule, "GraphModule", COPY);
  }

  static override readonly torchClass = "torch.fx.graph_module.GraphModule.__new__.<locals>.GraphModuleImpl";

  readonly #program: ExportedProgram;
  readonly #operators: OperatorTable;
  readonly #check: InputCheck;
  readonly #checksGuards: boolean;
  #graph: Graph;

  /** @throws SconceError `NO_CALLING_CONVENTION`, `NOT_RUNNABLE` */
  constructor(program: ExportedProgram, options: GraphModuleOptions = {}) {
    checkOptions("program.module", options, OPTIONS);
    super();
    const { inSpec, forwardArgNames } = callingConvention(program);
    this.#program = program;
    this.#operators = options.operators ?? modelOperators();
    this.#checksGuards = (options.checkGuards ?? true) && program.exampleInputs !== null;
    this.#check = inputCheck(this.#checksGuards ? program : program.with({ exampleInputs: null }));
    this.#graph = unliftedGraph(program);
    // One function for each module: the names of its parameters are those of the program.
    const forward = (...args: readonly unknown[]): unknown => this.#run(args);
    const count = inSpec.children[0]?.children.length ?? 0;
    const names = Array.from({ length: count }, (_, i) => forwardArgNames?.[i] ?? `arg_${i}`);
    const keywords = keywordsOf(inSpec).length > 0 ? [undefined] : [];
    declareParameters(forward as AnyFunction, [...names, ...keywords]);
    Object.defineProperty(this, "forward", { value: forward });
    this.#registerState();
    addSubgraphs(this, this.#graph);
    if (this.#checksGuards && program.userInputs.length > 0) this.addModule("_guards_fn", new GuardsFn());
  }

  /** The program that the module was made of. */
  get program(): ExportedProgram {
    return this.#program;
  }

  /**
   * The graph that calls run. State is read by `get_attr`, and written by operators that write. A
   * graph with changes takes its place: `module.graph = edit(module.graph, ...)`.
   */
  get graph(): Graph {
    return this.#graph;
  }

  set graph(graph: Graph) {
    this.#graph = graph;
  }

  /** Returns the graph as `torch.fx` prints it, without the unpacking of the arguments. */
  get code(): string {
    return codeText(this.#graph);
  }

  // The type alone: each module has a separate function.
  override forward(...args: readonly unknown[]): unknown {
    return this.#run(args);
  }

  /** Loads values into copies of the tensors: those of the program stay. */
  override loadStateDict(
    values: ReadonlyMap<string, Tensor> | Readonly<Record<string, Tensor>>,
    options: LoadOptions = {},
  ): LoadReport {
    const copies = new Map<Tensor, Tensor>();
    for (const [, module] of this.namedModules())
      for (const [name, value] of Object.entries(module)) {
        if (!(value instanceof Parameter)) continue;
        const copy = copies.get(value) ?? new Parameter(value.clone(), value.requiresGrad);
        copies.set(value, copy);
        fieldsOf(module)[name] = copy;
      }
    return super.loadStateDict(values, options);
  }

  #run(args: readonly unknown[]): unknown {
    const { inSpec, outSpec } = callingConvention(this.#program);
    const count = inSpec.children[0]?.children.length ?? 0;
    const hasKeywords = keywordsOf(inSpec).length > 0 && isPlainObject(args[count]);
    const kwargs = (hasKeywords ? args[count] : {}) as Readonly<Record<string, unknown>>;
    const positional = hasKeywords ? args.toSpliced(count, 1) : args;
    const leaves = flattenCall(this.#program, positional, kwargs);
    const trace = currentTrace();
    if (trace === undefined) this.#check(leaves as never);
    else if (this.#checksGuards) requireGuards(this.#program, leaves);
    const step = <T>(node: Node, run: () => T): T =>
      trace?.ofNode === undefined ? run() : trace.ofNode(this, node, run);
    const attribute = ({ target }: Node): unknown => ownerOf(this, target)[lastOf(target)];
    const results = runGraph(this.#graph, leaves, { operators: this.#operators, attribute, step });
    return unflattenTree(results, outSpec);
  }

  #registerState(): void {
    const { graphSignature } = this.#program;
    const state = programState(this.#program, this.#operators);
    const parameters = new Map<Tensor, Parameter>();
    for (const { kind, target, persistent } of graphSignature.inputSpecs) {
      const value = target === null ? undefined : state.get(target);
      if (target === null || value === undefined) continue;
      const owner = ownerOf(this, target) as unknown as Module;
      const name = lastOf(target);
      if (kind === "PARAMETER") {
        const parameter = parameters.get(value) ?? new Parameter(value, value.requiresGrad);
        parameters.set(value, parameter);
        owner.registerParameter(name, parameter);
      } else if (kind === "BUFFER") owner.registerBuffer(name, value, { persistent: persistent ?? true });
      else {
        requireFreeName(owner as Module, name);
        fieldsOf(owner)[name] = value;
      }
    }
  }
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

/** Returns the module that holds a tensor; those on the way are made. */
function ownerOf(root: Module, path: string): Record<string, unknown> {
  let module = root;
  for (const name of path.split(".").slice(0, -1)) {
    const record = fieldsOf(module);
    if (!Object.hasOwn(record, name)) module.addModule(name, new Module());
    const next = record[name];
    if (!(next instanceof Module)) throw statePlace(path);
    module = next;
  }
  return fieldsOf(module);
}

/** Nested graphs are modules, which the program lists. */
function addSubgraphs(module: Module, graph: Graph): void {
  for (const node of graph.nodes()) {
    const nested = node.op === "get_attr" ? graph.subgraphs.get(node.target) : undefined;
    if (nested === undefined || Object.hasOwn(module, node.target)) continue;
    const child = new Module();
    module.addModule(node.target, child);
    addSubgraphs(child, nested);
  }
}
