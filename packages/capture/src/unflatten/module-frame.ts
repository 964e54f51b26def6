/** @file One call of a module: its graph, and the call in the graph of its parent. */
import {
  type Argument,
  type ArgumentSpec,
  dict,
  isRef,
  type MetaValue,
  type ModuleCallSignature,
  mapRefs,
  type NodeMeta,
  type TreeSpec,
  tuple,
} from "@sconce/ir";
import { keywordsOf } from "@sconce/ops";
import { GETITEM, TREE_FLATTEN_SPEC, TREE_UNFLATTEN } from "../unlift/tree-calls.js";
import { type DraftGraph, type DraftNode, mapKeywords } from "./draft-graph.js";
import { callName, DraftModule, withoutCall } from "./draft-module.js";
import { lostOutput, notDescendant, readPastArguments } from "./errors.js";
import type { StackLevel } from "./flat-graph.js";
import type { Outline } from "./outline-parts.js";

/** Calls on sizes and the like: copied into a module whose arguments do not have their results. */
const COPIED: ReadonlySet<string> = new Set([
  "aten.sym_size.int",
  "aten.item.default",
  "aten.unbind.int",
  "aten.sum.dim_IntList",
  "aten.view.default",
  "aten.diff.default",
]);

/** The frame of the call that a module stack describes. */
export class ModuleFrame {
  readonly stack: readonly StackLevel[];
  readonly fqn: string;
  /** The path with the number of the call: `encoder@1`. */
  readonly callFqn: string;
  readonly module: DraftModule;
  readonly graph: DraftGraph;
  readonly #outline: Outline;
  readonly #parent: ModuleFrame | undefined;
  /** Nodes of this graph by the nodes of the flat graph. */
  readonly #nodes = new Map<string, DraftNode>();
  /** Inputs of this graph by the nodes of the flat graph. */
  readonly #inputs = new Map<string, DraftNode>();
  readonly #call: DraftNode | undefined;
  /** The calling convention of this call, where it is preserved. */
  readonly #signature: ModuleCallSignature | undefined;

  /** @param owner the frame of the module that calls, or the root itself */
  constructor(outline: Outline, stack: readonly StackLevel[], owner: ModuleFrame | DraftModule) {
    const { path, type, call } = stack.at(-1)!;
    this.#outline = outline;
    this.stack = stack;
    this.fqn = path;
    this.callFqn = callName(path, call + 1);
    if (owner instanceof DraftModule) {
      this.module = owner;
      this.graph = owner.graph!;
      return;
    }
    this.#parent = owner;
    this.module = outline.created.get(path) ?? new DraftModule("interpreter", { type });
    this.graph = this.module.graph!;
    this.#call = this.#attach(owner, type);
    this.#signature = outline.signatures.get(this.callFqn);
    if (this.#signature !== undefined) this.#takeArguments(owner, this.#call, this.#signature);
  }

  /** Adds the module to the parent, and the call to the parent's graph. */
  #attach(parent: ModuleFrame, type: string | null): DraftNode {
    const { created, calls } = this.#outline;
    const accessor = relativePath(parent.fqn, this.callFqn);
    parent.module.set(accessor, this.module, (prefix) => {
      const path = parent.fqn === "" ? prefix : `${parent.fqn}.${prefix}`;
      const made = created.get(path) ?? new DraftModule("interpreter", { type });
      created.set(path, made);
      return made;
    });
    const node = parent.graph.add({ op: "call_module", target: accessor });
    const { key, call } = this.stack.at(-1)!;
    const id = withoutCall(key);
    const known = calls.get(id) ?? [];
    calls.set(id, known);
    if (known.length > 0) this.module.modules = known[0]!.module.modules;
    known.push({
      parentFqn: parent.fqn,
      parent: parent.module,
      node,
      fqn: this.fqn,
      index: call + 1,
      module: this.module,
    });
    return node;
  }

  /** The inputs of a preserved call are those of the model's call. */
  #takeArguments(parent: ModuleFrame, call: DraftNode, { inSpec, inputs }: ModuleCallSignature): void {
    const count = inSpec.children[0]!.children.length;
    const keywords = keywordsOf(inSpec);
    const { seen } = this.#outline;
    const positional = Array.from({ length: count }, (_, i) => this.#placeholder(`_positional_arg_${i}`));
    const named = keywords.map((name) => [name, this.#placeholder(name).ref] as const);
    const given = tuple([tuple(positional.map(({ ref }) => ref)), dict(named)]);
    const flat = flattened(this, given, inSpec);
    inputs.forEach((input, i) => {
      const isConstant = input.kind === "constant";
      const item = getItem(this.graph, flat, i, isConstant ? `_constant_${i}` : input.name);
      const source = isConstant ? undefined : seen.get(input.name);
      if (source === undefined) return;
      item.meta = source.meta;
      this.#inputs.set(source.name, item);
    });
    parent.graph.at({ before: call }, () => {
      const values = inputs.map((input) => parent.#valueOf(input));
      const tree = rebuilt(parent, values, inSpec);
      const args = getItem(parent.graph, tree, 0);
      const kwargs = getItem(parent.graph, tree, 1);
      call.args = positional.map((_, i) => getItem(parent.graph, args, i).ref);
      call.kwargs = Object.fromEntries(
        keywords.map((name) => [name, getItem(parent.graph, kwargs, name).ref]),
      );
    });
  }

  #placeholder(target: string): DraftNode {
    return this.graph.add({ op: "placeholder", target });
  }

  #valueOf(input: ArgumentSpec): Argument {
    if (input.kind === "constant") return input.value;
    const source = this.#outline.seen.get(input.name);
    return source === undefined ? null : this.#remap(source).ref;
  }

  /** Copies a node of the flat graph. */
  copy(node: DraftNode): void {
    const { args, kwargs } = this.#remapped(node);
    const { name, op, target, meta } = node;
    this.#nodes.set(name, this.graph.add({ op, target, args, kwargs, meta, name }));
    this.#outline.seen.set(name, node);
  }

  #remapped({ args, kwargs }: DraftNode): Pick<DraftNode, "args" | "kwargs"> {
    const change = (value: Argument): Argument =>
      mapRefs(value, ({ name }) => this.#remap(this.#outline.seen.get(name)!).ref);
    return { args: args.map(change), kwargs: mapKeywords(kwargs, change) };
  }

  /**
   * Returns the node of this graph for one of the flat graph: an input, where another module made
   * it.
   */
  #remap(node: DraftNode): DraftNode {
    const known = this.#nodes.get(node.name) ?? this.#inputs.get(node.name);
    if (known !== undefined) return known;
    const isPreserved = this.#outline.signatures.has(this.fqn);
    if (node.op === "placeholder" || !isPreserved) return this.#addInput(node);
    if (node.op === "call_function" && (COPIED.has(node.target) || node.target.startsWith("operator."))) {
      const copy = this.graph.add({
        op: node.op,
        target: node.target,
        ...this.#remapped(node),
        meta: node.meta,
      });
      this.#nodes.set(node.name, copy);
      return copy;
    }
    return this.#readMutation(node);
  }

  /** Returns a new input, before the others; the call gives it. */
  #addInput(node: DraftNode): DraftNode {
    const { name, meta } = node;
    const input = this.graph.at("start", () => this.graph.add({ op: "placeholder", target: name, meta }));
    this.#inputs.set(name, input);
    const [parent, call] = [this.#parent, this.#call];
    if (parent !== undefined && call !== undefined)
      parent.graph.at({ before: call }, () => {
        call.args = [parent.#remap(node).ref, ...call.args];
      });
    return input;
  }

  /**
   * Returns the state that a mutation changed, read again: where it was computed, it will be
   * written.
   */
  #readMutation(node: DraftNode): DraftNode {
    const [target] = node.args;
    const source = target !== undefined && isRef(target) ? this.#outline.seen.get(target.name) : undefined;
    if (node.op !== "call_function" || source === undefined) throw readPastArguments(this.fqn, node);
    if (!this.#outline.isWrite(node.target)) {
      const [, path] = node.meta.nnModuleStack!.at(-1)!;
      const names = this.#outline.mutations.get(path) ?? new Set();
      this.#outline.mutations.set(path, names.add(node.name));
    }
    return this.#remap(source);
  }

  /** Ends the graph: what is used outside is its result. */
  finish(): void {
    this.#outline.created.delete(this.fqn);
    const results = this.#signature === undefined ? this.#exposed() : this.#promised(this.#signature);
    const { value, meta, parentResult } = results;
    this.graph.add({ op: "output", target: "output", args: [value] });
    const parent = this.#parent;
    if (parent === undefined || parentResult === undefined) return;
    parentResult.meta = { ...parentResult.meta, ...(meta === undefined ? {} : { val: meta }) };
    this.#raiseAnnotations();
    if (results.originals.length === 1 && this.#signature === undefined) {
      parent.#nodes.set(results.originals[0]!.name, parentResult);
      return;
    }
    results.originals.forEach((original, i) => {
      if (original === undefined) return;
      const item = getItem(parent.graph, parentResult, i);
      item.meta = valueMeta(original.meta);
      parent.#nodes.set(original.name, item);
    });
  }

  /** Returns the values that nodes of other modules use. */
  #exposed(): Results {
    const { users, seen } = this.#outline;
    const found = [...this.#nodes].filter(([name]) => users.get(name)?.some((user) => !seen.has(user.name)));
    const nodes = found.map(([, node]) => node);
    const originals = found.map(([name]) => seen.get(name)!);
    const [only] = nodes;
    return nodes.length === 1
      ? { value: only!.ref, meta: only!.meta.val, originals, parentResult: this.#call }
      : {
          value: nodes.map(({ ref }) => ref),
          meta: nodes.map(({ meta }) => meta.val ?? null),
          originals,
          parentResult: this.#call,
        };
  }

  /** Returns the results of a preserved call, in the structure of the model's. */
  #promised({ outputs, outSpec }: ModuleCallSignature): Results {
    const originals = outputs.map(({ name }) => this.#outline.seen.get(name));
    const values = originals.map((original) => {
      if (original === undefined) return null;
      const node = this.#nodes.get(original.name) ?? this.#inputs.get(original.name);
      if (node === undefined) throw lostOutput(this.fqn, original.name);
      return node.ref;
    });
    const tree = rebuilt(this, tuple(values), outSpec);
    const parentResult = flattened(this.#parent!, this.#call!.ref, outSpec);
    return { value: tree.ref, meta: undefined, originals, parentResult };
  }

  /** Annotations that all nodes share become those of the call. */
  #raiseAnnotations(): void {
    const nodes = [...this.#nodes.values()];
    const text = ({ meta }: DraftNode): string => JSON.stringify(meta.custom ?? {});
    const custom = nodes[0]?.meta.custom;
    if (custom === undefined || Object.keys(custom).length === 0) return;
    const shared = JSON.stringify(custom);
    if (nodes.some((node) => text(node) !== shared)) return;
    const call = this.#call!;
    call.meta = { ...call.meta, custom };
    for (const node of nodes) {
      const { custom: _, ...rest } = node.meta;
      node.meta = rest;
    }
  }
}

interface Results {
  readonly value: Argument;
  readonly meta: MetaValue | undefined;
  /** The nodes of the flat graph, undefined for results that are not computed. */
  readonly originals: readonly (DraftNode | undefined)[];
  /** What the parent has the results in. */
  readonly parentResult: DraftNode | undefined;
}

const valueMeta = ({ val }: NodeMeta): NodeMeta => (val === undefined ? {} : { val });

function getItem(graph: DraftGraph, { ref }: DraftNode, index: number | string, name?: string): DraftNode {
  return graph.add({ op: "call_function", target: GETITEM, args: [ref, index], name });
}

/** Adds `tree_flatten_spec(value, spec)`. */
const flattened = (frame: ModuleFrame, value: Argument, spec: TreeSpec): DraftNode =>
  treeCall(frame, TREE_FLATTEN_SPEC, value, spec);

/** Adds `tree_unflatten(values, spec)`. */
const rebuilt = (frame: ModuleFrame, values: Argument, spec: TreeSpec): DraftNode =>
  treeCall(frame, TREE_UNFLATTEN, values, spec);

function treeCall(
  { graph, module }: ModuleFrame,
  target: string,
  value: Argument,
  spec: TreeSpec,
): DraftNode {
  const read = graph.add({ op: "get_attr", target: module.addSpec(spec) });
  return graph.add({ op: "call_function", target, args: [value, read.ref] });
}

/**
 * Returns the path of a module from the one that calls it. @throws SconceError `NOT_UNFLATTENABLE`
 */
export function relativePath(parent: string, child: string): string {
  if (parent === "") return child;
  if (!child.startsWith(`${parent}.`)) throw notDescendant(child, parent);
  return child.slice(parent.length + 1);
}
