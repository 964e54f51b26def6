/**
 * @file The calling conventions of modules that an export preserves
 * (`torch/_export/passes/collect_tracepoints_pass.py`).
 */
import {
  type Argument,
  type ArgumentSpec,
  flattenValue,
  type ModuleCallEntry,
  type ModuleCallSignature,
  type Namespace,
  pythonTuple,
  type TreeSpec,
  treeSpecText,
} from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import type { NamedModule } from "../nn/state.js";
import { isPlainObject } from "../plain-object.js";
import { functionParameters } from "../source/function-parameters.js";
import type { AnyFunction } from "../source/parse-function.js";
import { TraceNode } from "../trace/trace-node.js";
import { aliasedModule, changedConvention, noModule, unsupportedCallLeaf } from "./errors.js";

/** What one call took or gave: nodes, and values that are not tensors. */
type Leaves = readonly (TraceNode | Argument)[];

interface Call {
  inputs: Leaves;
  outputs: Leaves;
  inSpec: TreeSpec;
  outSpec: TreeSpec;
}

/** The parts of {@link PreservedCalls}. */
export interface PreservedInit {
  /** The paths whose calling conventions are preserved. */
  readonly paths: readonly string[];
  readonly modules: readonly NamedModule[];
  /** The name of the class of the root, for errors. */
  readonly root: string;
}

/** Notes the calls of modules while a model is traced. */
export class PreservedCalls {
  readonly #paths: ReadonlySet<string>;
  /** Calls by path, with `@1` and so on for further ones, in the order in which they began. */
  readonly #calls = new Map<string, Call>();

  /** @throws SconceError `MODULE_PATH` */
  constructor({ paths, modules, root }: PreservedInit) {
    this.#paths = new Set(paths);
    const last = new Map(modules.map(([path, module]) => [module, path]));
    for (const path of this.#paths) {
      const module = modules.find(([own]) => own === path)?.[1];
      if (module === undefined || path === "") throw noModule(path, root);
      const known = last.get(module)!;
      if (known !== path) throw aliasedModule(path, known);
    }
  }

  /** Whether the convention of a module is preserved. */
  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /** Notes what a call takes, before it runs. */
  begin(key: string, module: object, args: readonly unknown[], read: Reader): void {
    const [positional, keywords] = withKeywords(module, args);
    const { leaves, spec } = read.leaves([pythonTuple(...positional), keywords], key);
    const inSpec: TreeSpec = { ...spec, type: "builtins.tuple" };
    this.#calls.set(key, { inputs: leaves, outputs: [], inSpec, outSpec: inSpec });
  }

  /** Notes what a call gives. @throws SconceError `MODULE_CALL` where another call differs */
  end(key: string, result: unknown, read: Reader): void {
    const { leaves, spec } = read.leaves(result, key);
    const call = this.#calls.get(key)!;
    call.outputs = leaves;
    call.outSpec = spec;
    const first = this.#calls.get(pathOf(key))!;
    for (const part of ["inSpec", "outSpec"] as const)
      refuseChange(pathOf(key), treeSpecText(first[part]), treeSpecText(call[part]), part);
  }

  /** The entries for the modules of a program, then those of further calls. */
  entries(paths: readonly string[]): ModuleCallEntry[] {
    const own = paths.map((fqn): ModuleCallEntry => ({ fqn, signature: this.#signature(fqn) }));
    const further = [...this.#calls.keys()].filter((key) => key.includes("@"));
    return [...own, ...further.map((fqn): ModuleCallEntry => ({ fqn, signature: this.#signature(fqn) }))];
  }

  #signature(key: string): ModuleCallSignature | null {
    const call = this.#calls.get(key);
    if (call === undefined) return null;
    const { inSpec, outSpec } = call;
    return {
      inputs: call.inputs.map(specOf),
      outputs: call.outputs.map(specOf),
      inSpec,
      outSpec,
      forwardArgNames: null,
    };
  }
}

function refuseChange(path: string, first: string, now: string, part: "inSpec" | "outSpec"): void {
  if (first !== now) throw changedConvention(path, part, first, now);
}

/**
 * The arguments of a call and its keywords: an object for a parameter that is a
 * pattern, as in `forward(x, { gain })`, has keywords.
 */
function withKeywords(module: object, args: readonly unknown[]): readonly [readonly unknown[], object] {
  const last = args.at(-1);
  const { forward } = module as { readonly forward: AnyFunction };
  const parameter = functionParameters(forward)?.[args.length - 1];
  const isPattern = parameter !== undefined && parameter.name === undefined && !parameter.isRest;
  return isPattern && isPlainObject(last) ? [args.slice(0, -1), last] : [args, {}];
}

const pathOf = (key: string): string => key.replace(/@\d+$/, "");

const specOf = (leaf: TraceNode | Argument): ArgumentSpec =>
  leaf instanceof TraceNode
    ? { kind: "tensor", name: leaf.current.name }
    : { kind: "constant", name: "", value: leaf };

/** Reads the values of a call. */
export class Reader {
  readonly #names: Namespace;
  readonly #nodeOf: (tensor: Tensor) => TraceNode;

  constructor(names: Namespace, nodeOf: (tensor: Tensor) => TraceNode) {
    this.#names = names;
    this.#nodeOf = nodeOf;
  }

  /**
   * The leaves of a value. In PyTorch they pass through a call that is removed later; its names,
   * and those of its results, stay taken.
   *
   * @throws SconceError `MODULE_CALL`
   */
  leaves(value: unknown, key: string): { readonly leaves: Leaves; readonly spec: TreeSpec } {
    const { leaves, spec } = flattenValue(value);
    const read = leaves.map((leaf) => this.#leaf(leaf, key));
    this.#names.create("_export_tracepoint");
    for (const _ of leaves) this.#names.create("getitem");
    return { leaves: read, spec };
  }

  #leaf(leaf: unknown, key: string): TraceNode | Argument {
    if (leaf instanceof Tensor) return this.#nodeOf(leaf);
    if (leaf === null || leaf === undefined) return null;
    if (["number", "string", "boolean"].includes(typeof leaf)) return leaf as Argument;
    throw unsupportedCallLeaf(pathOf(key), leaf);
  }
}
