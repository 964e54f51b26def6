import type { ModuleStackEntry, Node } from "@sconce/ir";
import { type AnyFunction, captureStack } from "@sconce/source-check";
import type { Tensor } from "@sconce/tensor";
import {
  type BodyCall,
  buffersOf,
  childrenOf,
  Module,
  type NamedModule,
  parametersOf,
  propertiesOf,
  type SymBool,
  TracedTensor,
  TraceNode,
  Tracer,
  type TracerInit,
  withoutNotes,
} from "@sconce/torch";
import { GraphModule } from "../unlift/graph-module.js";
import { type PreservedCalls, Reader } from "./module-calls.js";
import { ModulePaths } from "./module-paths.js";
import type { SourceChecks } from "./source-checks.js";
import { noteCaller } from "./user-place.js";

/** The parameters of an {@link ExportTracer}. */
export interface ExportTracerInit extends TracerInit {
  /** The modules with their paths. */
  readonly modules: readonly NamedModule<Module>[];
  /** Notes the calls whose conventions are preserved. */
  readonly preserved?: PreservedCalls | undefined;
  /** Checks the functions that control flow is given; undefined where sources are not checked. */
  readonly checks?: SourceChecks | undefined;
}

/** A call of a module at a path, in the graph of a tracer. */
interface ModuleCall<T> {
  readonly module: object;
  readonly path: string;
  readonly args: readonly unknown[];
  readonly run: () => T;
  readonly tracer: Tracer;
}

/** The name of the exported module among modules of strict exports. */
const ROOT = "_export_root";

/** Returns the class of a module, as metadata name it. */
function typeOf(module: object): string {
  const { constructor: type } = module as { constructor: typeof Module };
  return type.torchClass ?? `__main__.${type.name}`;
}

/** The module stack of nodes without one, in a graph that is exported again. */
const RETRACED: ModuleStackEntry = [
  "L__self__",
  "",
  "torch.export._trace._non_strict_export.<locals>._tuplify_outputs.<locals>._aot_export_non_strict.<locals>.Wrapper",
];

/** A tracer that knows the modules of the program. */
export class ExportTracer extends Tracer {
  /** The paths of the modules at present. */
  readonly paths: ModulePaths;
  readonly #calls = new Map<string, number>();
  readonly #keys = new Map<TraceNode, string>();
  readonly #ids = new Map<object, string>();
  readonly #preserved: PreservedCalls | undefined;
  readonly #checks: SourceChecks | undefined;
  readonly #root: object | undefined;
  readonly #reader = new Reader(this.names, (tensor) =>
    tensor instanceof TracedTensor ? this.nodeOf(tensor) : this.constantNode(tensor),
  );

  constructor(init: ExportTracerInit) {
    super(init);
    this.paths = new ModulePaths(init.modules, this.isStrict);
    this.#root = init.modules[0]?.[1];
    this.#preserved = init.preserved;
    this.#checks = init.checks;
  }

  /** Names an input as TorchDynamo does in a strict export; it orders what graphs close over. */
  nameInput(node: TraceNode, path: string): void {
    if (this.isStrict) this.#keys.set(node, `l_${path.replaceAll(/[^a-zA-Z0-9_]/g, "_")}`);
  }

  /** Conditions that the model decided by: TorchDynamo leaves out what only they need. */
  readonly decisions = new Set<TraceNode>();

  /** Names that were taken without a node, with the number of nodes before them. */
  readonly discards: { readonly before: number; readonly functions: readonly string[] }[] = [];

  override discarded(functions: readonly string[], sizes: readonly unknown[]): void {
    super.discarded(functions, sizes);
    this.discards.push({ before: this.nodes.length, functions });
  }

  decided(condition: SymBool): void {
    const node = this.isStrict ? this.scalarArgument(condition) : undefined;
    if (node instanceof TraceNode) this.decisions.add(node);
  }

  override checkBody(call: BodyCall): void {
    this.#checks?.body(call);
  }

  checkFunction(fn: AnyFunction, args: readonly unknown[], thisValue?: object): void {
    this.#checks?.called(fn, args, thisValue);
  }

  override keyOf(node: TraceNode): string | undefined {
    return this.#keys.get(node);
  }

  /** Only nodes of the exported module itself keep their metadata. */
  ofNode<T>(module: object, node: Node, run: () => T): T {
    if (module !== this.#root) return run();
    const outer = [this.source, this.moduleStack] as const;
    [this.source, this.moduleStack] = [node.meta, [RETRACED]];
    try {
      return run();
    } finally {
      [this.source, this.moduleStack] = outer;
    }
  }

  override inModule<T>(module: object, args: readonly unknown[], run: () => T, tracer: Tracer = this): T {
    return this.paths.during(module, (path) =>
      path === undefined ? run() : this.#inKnownModule({ module, path, args, run, tracer }),
    );
  }

  #inKnownModule<T>({ module, path, args, run, tracer }: ModuleCall<T>): T {
    // A module that is a graph is not among the modules of its nodes.
    if (module instanceof GraphModule) return called(tracer, run);
    const { currentModule } = tracer;
    tracer.currentModule = module;
    try {
      if (tracer === this) return this.#inOwnModule(module, path, args, run);
      return this.isStrict ? this.#inNestedModule(module, path, run, tracer) : called(tracer, run);
    } finally {
      tracer.currentModule = currentModule;
    }
  }

  #inOwnModule<T>(module: object, path: string, args: readonly unknown[], run: () => T): T {
    const suffix = this.#callSuffix(path);
    const outer = this.moduleStack;
    const base = this.isStrict && path !== "" ? this.#id(module) : `L__self__${path}`;
    const entry: ModuleStackEntry = [base + suffix, path, typeOf(module)];
    this.moduleStack = [...outer, entry];
    try {
      if (this.#preserved?.has(module) !== true) return called(this, run);
      const call = { module, path, suffix };
      this.#preserved.begin(call, args, this.#reader);
      const result = called(this, run);
      this.#preserved.end(call, result, this.#reader);
      return result;
    } finally {
      this.moduleStack = outer;
    }
  }

  /** Counts a call of a module. Returns the suffix of its key: none at first, then `@1`. */
  #callSuffix(path: string): string {
    const count = this.#calls.get(path) ?? 0;
    this.#calls.set(path, count + 1);
    return count === 0 ? "" : `@${count}`;
  }

  /** Returns a number for a module, in place of the address that PyTorch writes. */
  #id(module: object): string {
    const known = this.#ids.get(module);
    if (known !== undefined) return known;
    const id = String(this.#ids.size + 1);
    this.#ids.set(module, id);
    return id;
  }

  /** Returns a module that a graph inside this one calls: its paths begin at the root. */
  #inNestedModule<T>(module: object, path: string, run: () => T, tracer: Tracer): T {
    const key = this.#id(module) + this.#callSuffix(path);
    const outer = tracer.moduleStack;
    tracer.moduleStack = [...outer, [key, `${ROOT}.${path}`, typeOf(module)]];
    try {
      return called(tracer, run);
    } finally {
      tracer.moduleStack = outer;
    }
  }

  override get nestedModules(): readonly ModuleStackEntry[] {
    const [root, ...inner] = this.moduleStack;
    if (!this.isStrict || root === undefined) return [];
    return [
      root,
      [this.#id(this.#root!), ROOT, root[2]],
      ...inner.map(([key, path, type]): ModuleStackEntry => [key, `${ROOT}.${path}`, type]),
    ];
  }

  override pathsOf(value: object): readonly (readonly [path: string, value: unknown])[] | undefined {
    if (!(value instanceof Module)) return undefined;
    const parts = new Map<unknown, string>();
    const children = withoutNotes(() => childrenOf(value));
    for (const [name, child] of children) parts.set(child, `._modules['${name}']`);
    for (const [name, tensor] of parametersOf(value)) parts.set(tensor, `._parameters['${name}']`);
    for (const [name, tensor] of buffersOf(value)) parts.set(tensor, `._buffers['${name}']`);
    return withoutNotes(() => propertiesOf(value)).map(([name, part]) => [
      parts.get(part) ?? `.${name}`,
      part,
    ]);
  }

  /** Returns the node of a tensor with values: a constant. */
  constantNode(value: Tensor): TraceNode {
    this.lift(value);
    return this.constants.get(value)!;
  }

  /** Writes a traced value to an input, as the end of the program does for assigned buffers. */
  copyTo(input: TraceNode, value: Tensor): void {
    const source = value instanceof TracedTensor ? this.nodeOf(value) : this.constantNode(value);
    this.nodes.push(
      new TraceNode({
        name: this.names.create("copy__default"),
        op: "call_function",
        target: "aten.copy_.default",
        args: [input, source],
        val: source.val,
        meta: source.meta,
      }),
    );
  }
}

/** Runs a module; the stacks of its calls continue that of its own call. */
function called<T>(tracer: Tracer, run: () => T): T {
  const outer = tracer.moduleCall;
  tracer.moduleCall = captureStack(outer);
  try {
    return run();
  } catch (error) {
    noteCaller(error, { stack: tracer.moduleCall, layer: tracer.moduleStack.at(-1) });
    throw error;
  } finally {
    tracer.moduleCall = outer;
  }
}
