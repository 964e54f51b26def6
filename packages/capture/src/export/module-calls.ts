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
import { type NamedModule, splitCall, TraceNode } from "@sconce/torch";
import { calledOtherwise, changedConvention, noModule, unsupportedCallLeaf } from "./errors.js";

/** What one call took or gave: nodes, and values that are not tensors. */
type Leaves = readonly (TraceNode | Argument)[];

interface Call {
  inputs: Leaves;
  outputs: Leaves;
  inSpec: TreeSpec;
  outSpec: TreeSpec;
}

/** A call of a module by one of its names. */
export interface NamedCall {
  readonly module: object;
  /** The path that the model called. */
  readonly path: string;
  /** None for the first call of the path, then `@1` and so on. */
  readonly suffix: string;
}

/** The parts of {@link PreservedCalls}. */
export interface PreservedInit {
  /** The paths whose calling conventions are preserved. */
  readonly paths: readonly string[];
  readonly modules: readonly NamedModule[];
  /** The name of the class of the root, for errors. */
  readonly root: string;
}

/**
 * Notes the calls of modules while a model is traced. A call by any name counts for each preserved
 * name of the module: its structure is that of all calls. Values are kept for the name of the call.
 */
export class PreservedCalls {
  /** The preserved paths of each module. */
  readonly #paths = new Map<object, string[]>();
  /** Calls by path, with `@1` and so on for further ones, in the order in which they began. */
  readonly #calls = new Map<string, Call>();
  /** The preserved paths whose modules have returned. */
  readonly #ended = new Set<string>();

  /** @throws SconceError `MODULE_PATH` */
  constructor({ paths, modules, root }: PreservedInit) {
    for (const path of new Set(paths)) {
      const module = modules.find(([own]) => own === path)?.[1];
      if (module === undefined || path === "") throw noModule(path, root);
      this.#paths.set(module, [...(this.#paths.get(module) ?? []), path]);
    }
  }

  /** Returns whether a convention of a module is preserved. */
  has(module: object): boolean {
    return this.#paths.has(module);
  }

  /**
   * Notes what a call takes, before it runs.
   *
   * @throws SconceError `MODULE_PATH` where the call has no preserved name, and is not the first
   */
  begin(call: NamedCall, args: readonly unknown[], read: Reader): void {
    const { module, path, suffix } = call;
    const [positional, keywords] = splitCall(module, args);
    const names = this.#paths.get(module)!;
    for (const name of names) {
      const { leaves, spec } = read.leaves([pythonTuple(...positional), keywords], name);
      const inSpec: TreeSpec = { ...spec, type: "builtins.tuple" };
      this.#add(name, inSpec);
      refuseChange(name, "inSpec", this.#calls.get(name)!.inSpec, inSpec);
      if (suffix !== "" && !names.includes(path)) throw calledOtherwise(name, path);
      if (suffix !== "") this.#add(path + suffix, inSpec);
      if (name === path) this.#calls.get(path + suffix)!.inputs = leaves;
    }
  }

  #add(key: string, inSpec: TreeSpec): void {
    if (!this.#calls.has(key)) this.#calls.set(key, { inputs: [], outputs: [], inSpec, outSpec: inSpec });
  }

  /** Notes what a call gives. @throws SconceError `MODULE_CALL` where another call differs */
  end({ module, path, suffix }: NamedCall, result: unknown, read: Reader): void {
    for (const name of this.#paths.get(module)!) {
      const { leaves, spec } = read.leaves(result, name);
      const structure = this.#calls.get(name)!;
      if (this.#ended.has(name)) refuseChange(name, "outSpec", structure.outSpec, spec);
      this.#ended.add(name);
      structure.outSpec = spec;
      if (name !== path) continue;
      const call = this.#calls.get(path + suffix)!;
      call.outputs = leaves;
      call.outSpec = spec;
    }
  }

  /** Returns the entries for the modules of a program, then those of further calls. */
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

function refuseChange(path: string, part: "inSpec" | "outSpec", first: TreeSpec, now: TreeSpec): void {
  const [before, after] = [treeSpecText(first), treeSpecText(now)];
  if (before !== after) throw changedConvention(path, part, before, after);
}

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
  leaves(value: unknown, path: string): { readonly leaves: Leaves; readonly spec: TreeSpec } {
    const { leaves, spec } = flattenValue(value);
    const read = leaves.map((leaf) => this.#leaf(leaf, path));
    this.#names.create("_export_tracepoint");
    for (const _ of leaves) this.#names.create("getitem");
    return { leaves: read, spec };
  }

  #leaf(leaf: unknown, path: string): TraceNode | Argument {
    if (leaf instanceof Tensor) return this.#nodeOf(leaf);
    if (leaf === null || leaf === undefined) return null;
    if (["number", "string", "boolean"].includes(typeof leaf)) return leaf as Argument;
    throw unsupportedCallLeaf(path, leaf);
  }
}
