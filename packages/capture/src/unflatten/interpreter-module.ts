/** @file The modules of an unflattened program (`torch/export/unflatten.py`). */

import { markClass } from "@sconce/errors";
import {
  type AnnotationOptions,
  codeText,
  type Graph,
  type Node,
  nodePlace,
  readableModule,
} from "@sconce/ir";
import { atNode, type OperatorTable } from "@sconce/ops";
import { type AnyFunction, declareParameters, functionParameters, isPlainObject } from "@sconce/source-check";
import { currentTrace, type Module } from "@sconce/torch";
import { COPY } from "../this-copy.js";
import { notRunnable } from "../unlift/errors.js";
import { ProgramModule } from "../unlift/program-module.js";
import { graphResult } from "../unlift/run-graph.js";
import { moduleArguments } from "./errors.js";

/** What a module of an unflattened program is made of. */
export interface InterpreterModuleInit {
  readonly graph: Graph;
  /** The class of the module that it represents. */
  readonly type: string | null;
  /** Its path in the unflattened program, for errors. */
  readonly path: string;
  readonly operators: OperatorTable;
  /**
   * How many arguments of a call are values that the graph of the called module needs besides its
   * own arguments: they come first, and a module in its place does not take them.
   */
  readonly extraArguments: (call: Node, module: Module) => number;
  /** How many of its arguments are positional, where its calling convention is preserved. */
  readonly positional?: number | undefined;
}

/** A module that runs a graph. Calls and attributes of the graph are those of the module. */
export class InterpretedModule extends ProgramModule {
  readonly #init: InterpreterModuleInit;
  #graph: Graph;

  constructor(init: InterpreterModuleInit) {
    super();
    this.#init = init;
    this.#graph = init.graph;
  }

  /**
   * The graph that calls run. A graph with changes takes its place:
   * `module.graph = edit(module.graph, ...)`.
   */
  get graph(): Graph {
    return this.#graph;
  }

  set graph(graph: Graph) {
    this.#graph = graph;
  }

  /** Returns the graph as `torch.fx` prints it (`graph_module.code`). */
  get code(): string {
    return codeText(this.#graph);
  }

  /**
   * Returns the class of the module that it represents (`type_name()`); null for the root of a
   * list.
   */
  typeName(): string | null {
    return this.#init.type;
  }

  /**
   * Returns PyTorch's `print_readable()`: its code, and those of the bodies of branches and loops.
   */
  printReadable(options: AnnotationOptions = {}): string {
    return readableModule(this.constructor.name, this.#graph, options);
  }

  /** Runs the graph. Errors name the module, the node and the user's line. */
  protected runGraph(inputs: readonly unknown[]): unknown {
    const { operators, path } = this.#init;
    const place = path === "" ? "" : `module "${path}": `;
    return graphResult(this.#graph, inputs, {
      operators,
      attribute: (node) => attributeOf(this, node),
      callModule: (node, args, kwargs) => {
        const module = attributeOf(this, node) as Module & ((...all: readonly unknown[]) => unknown);
        const own = args.slice(this.#init.extraArguments(node, module));
        return module(...own, ...(Object.keys(kwargs).length > 0 ? [kwargs] : []));
      },
      step: (node, run) => {
        if (currentTrace() !== undefined) return run();
        try {
          return run();
        } catch (error) {
          throw atNode(error, place + nodePlace(node));
        }
      },
    });
  }
}

/** @throws SconceError `NOT_RUNNABLE` */
function attributeOf(module: Module, { target, name }: Node): unknown {
  let value: unknown = module;
  for (const part of target.split("."))
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[part];
  if (value === undefined) throw notRunnable(`"${target}", which the module does not have,`, name);
  return value;
}

/**
 * One module of an unflattened program (`torch.export.unflatten.InterpreterModule`): its graph is
 * the part of the program that the original module computed. Where its calling convention is
 * preserved, it is called as the original module was. Otherwise its arguments are the values that
 * the graph needs.
 */
export class InterpreterModule extends InterpretedModule {
  static {
    markClass(InterpreterModule, "InterpreterModule", COPY);
  }

  static override readonly torchClass = "torch.export.unflatten.InterpreterModule";
  readonly #path: string;

  /** @internal Made by `unflatten`. */
  constructor(init: InterpreterModuleInit) {
    super(init);
    this.#path = init.path;
    const forward = (...args: readonly unknown[]): unknown => this.runGraph(this.#bind(args));
    const names = this.#names();
    const { positional = names.length } = init;
    const keywords = positional < names.length ? [undefined] : [];
    declareParameters(forward as AnyFunction, [...names.slice(0, positional), ...keywords]);
    Object.defineProperty(this, "forward", { value: forward, configurable: true });
  }

  // The type alone: each module has a separate function.
  override forward(...args: readonly unknown[]): unknown {
    return this.runGraph(this.#bind(args));
  }

  #names(): string[] {
    return this.graph.placeholders().map(({ target }) => target);
  }

  /**
   * Returns the values of the graph's inputs: arguments, then keywords in an object behind them.
   */
  #bind(args: readonly unknown[]): readonly unknown[] {
    const names = this.#names();
    const last = args.at(-1);
    const left = names.slice(args.length - 1);
    if (
      args.length > 0 &&
      left.length > 0 &&
      isPlainObject(last) &&
      Object.keys(last).length === left.length &&
      left.every((name) => Object.hasOwn(last, name))
    )
      return [...args.slice(0, -1), ...left.map((name) => last[name])];
    if (args.length !== names.length) throw moduleArguments(this.#path, names, args.length);
    return args;
  }
}

/**
 * The calls of a module whose calling convention is preserved
 * (`torch.export.unflatten.InterpreterModuleDispatcher`): each call runs the graph of the next one,
 * and the first again after the last.
 */
export class InterpreterModuleDispatcher extends ProgramModule {
  static {
    markClass(InterpreterModuleDispatcher, "InterpreterModuleDispatcher", COPY);
  }

  static override readonly torchClass = "torch.export.unflatten.InterpreterModuleDispatcher";
  readonly #calls: readonly InterpreterModule[];
  #next = 0;

  /** @internal Made by `unflatten`. */
  constructor(calls: readonly InterpreterModule[]) {
    super();
    this.#calls = calls;
    const forward = (...args: readonly unknown[]): unknown => this.#run(args);
    declareParametersOf(forward, calls[0]!);
    Object.defineProperty(this, "forward", { value: forward, configurable: true });
  }

  override forward(...args: readonly unknown[]): unknown {
    return this.#run(args);
  }

  /** Returns the modules of the calls, in order. */
  callModules(): readonly InterpreterModule[] {
    return this.#calls;
  }

  /** Returns the class of the module that it represents. */
  typeName(): string | null {
    return this.#calls[0]!.typeName();
  }

  /** Returns PyTorch's `print_readable()`: the code of each call. */
  printReadable(options: AnnotationOptions = {}): string {
    return this.#calls.map((call) => call.printReadable(options)).join("\n");
  }

  #run(args: readonly unknown[]): unknown {
    const call = this.#calls[this.#next]!;
    this.#next = (this.#next + 1) % this.#calls.length;
    try {
      return call(...args);
    } catch (error) {
      this.#next = 0;
      throw error;
    }
  }
}

function declareParametersOf(forward: AnyFunction, model: InterpreterModule): void {
  const parameters = functionParameters(model.forward as AnyFunction) ?? [];
  declareParameters(
    forward,
    parameters.map(({ name }) => name),
  );
}
