/** @file The only way to change a graph. Reads are from the version before; changes are collected and applied at once. */
import type { Patch } from "immer";
import { type Argument, forEachRef, mapRefs, type NodeRef, ref } from "./argument.js";
import {
  cyclicReplacement,
  duplicateName,
  editFinished,
  missingSubgraph,
  nodeNotFound,
  stillUsed,
} from "./errors.js";
import { Graph } from "./graph.js";
import type { NodeMeta } from "./meta.js";
import { Namespace } from "./namespace.js";
import type { Node } from "./node.js";
import { changePages, commit, diffStates, type GraphPatches, type GraphState, replay } from "./node-store.js";
import { remember } from "./remember.js";

/** The parts of a node that an edit may change. Names are for good: uses refer to them. */
export type NodePatch = Partial<Omit<Node, "name">>;

/** What the recipe of {@link edit} works with. Every method but the readers only takes note of a change. */
export interface GraphEditor {
  /** The version being edited. It does not change during the edit. */
  readonly graph: Graph;
  /** The node as the edit has it so far: patched, inserted, or of the base. */
  node(name: string): Node;
  /** A new name after PyTorch's rule, distinct from all names so far. */
  freshName(candidate: string): string;
  /** Replaces parts of a node in its place. */
  replaceNode(name: string, patch: NodePatch): void;
  setMeta(name: string, meta: NodeMeta): void;
  /** Puts a node before the anchor. Several come in the order of the calls. */
  insertBefore(anchor: string, node: Node): NodeRef;
  /** Puts a node after the anchor. Several come in the order of the calls. */
  insertAfter(anchor: string, node: Node): NodeRef;
  /** Drops a node. When the edit ends, nothing may use it. */
  remove(name: string): void;
  /**
   * Replaces every use of a node, in nodes of the base and in inserted ones. `replacement` itself keeps its uses when
   * it is a reference, and so do the nodes named in `except`: that is how a value is wrapped.
   */
  replaceAllUses(name: string, replacement: Argument, except?: Iterable<string>): void;
  /** Replaces the argument of the output node. */
  setOutput(result: Argument): void;
  /** Replaces or adds a nested graph; undefined drops it. */
  setSubgraph(target: string, graph: Graph | undefined): void;
}

/** A changed graph with the patches that lead to it and back. */
export interface GraphEdit extends GraphPatches {
  readonly graph: Graph;
}

/**
 * A changed version of the graph; the same object when the recipe changes nothing.
 * @throws SconceError `NODE_NOT_FOUND`, `DUPLICATE_NAME`, `NODE_STILL_USED`, `CYCLIC_REPLACEMENT`
 */
export function edit(graph: Graph, recipe: (editor: GraphEditor) => void): Graph {
  return editWithPatches(graph, recipe).graph;
}

/** As {@link edit}, and what it takes to undo it. */
export function editWithPatches(graph: Graph, recipe: (editor: GraphEditor) => void): GraphEdit {
  const editor = new PendingEdit(graph);
  recipe(editor);
  return editor.apply();
}

/**
 * A version with every node asked about: kept (`true` or the same node), dropped (`false`), replaced by one or several.
 * For passes that look at everything anyway; pages in which nothing changes are shared.
 * @throws SconceError `NODE_STILL_USED` when a dropped node is still used
 */
export function rebuild(
  graph: Graph,
  choose: (node: Node, position: number) => boolean | Node | readonly Node[],
): Graph {
  const state = Graph.stateOf(graph);
  const changes = new Map<number, readonly Node[]>();
  const dropped = new Set<string>();
  let position = 0;
  for (let i = 0; i < state.pages.length; i++) {
    const { nodes } = state.pages[i]!;
    let out: Node[] | undefined;
    for (let j = 0; j < nodes.length; j++) {
      const node = nodes[j]!;
      const choice = choose(node, position++);
      if (choice === true || choice === node) {
        out?.push(node);
        continue;
      }
      out ??= nodes.slice(0, j);
      const replacement =
        choice === false ? [] : Array.isArray(choice) ? (choice as readonly Node[]) : [choice as Node];
      if (!replacement.some((other) => other.name === node.name)) dropped.add(node.name);
      for (const other of replacement) out.push(Object.freeze(other));
    }
    if (out !== undefined) changes.set(i, out);
  }
  if (changes.size === 0) return graph;
  const next = changePages(state, changes);
  if (dropped.size > 0) for (const page of next.pages) refuseUses(page.nodes, dropped);
  return Graph.version(graph, commit(state, next).state);
}

/** The version before or after recorded patches: `inverse` to undo, `patches` to redo. */
export function applyGraphPatches(graph: Graph, patches: readonly unknown[]): Graph {
  return Graph.version(graph, replay(Graph.stateOf(graph), patches as readonly Patch[]));
}

/** Patches between two versions of a graph, however the second was made. */
export function diffGraphs(before: Graph, after: Graph): GraphPatches {
  return diffStates(Graph.stateOf(before), Graph.stateOf(after));
}

function refuseUses(nodes: readonly Node[], gone: ReadonlySet<string>): void {
  let user = "";
  const visit = (name: string): void => {
    if (gone.has(name)) throw stillUsed(name, user);
  };
  for (const node of nodes) {
    user = node.name;
    forEachNodeRef(node, visit);
  }
}

function forEachNodeRef(node: Node, visit: (name: string) => void): void {
  for (const arg of node.args) forEachRef(arg, visit);
  for (const key in node.kwargs) forEachRef(node.kwargs[key]!, visit);
}

interface Neighbours {
  readonly before: string[];
  readonly after: string[];
}

class PendingEdit implements GraphEditor {
  readonly #base: Graph;
  readonly #changed = new Map<string, Node>();
  readonly #inserted = new Map<string, Node>();
  readonly #removed = new Set<string>();
  readonly #neighbours = new Map<string, Neighbours>();
  readonly #replacements = new Map<string, Argument>();
  readonly #exceptions = new Map<string, Set<string>>();
  readonly #subgraphs = new Map<string, Graph | undefined>();
  #names: Namespace | undefined;
  #done = false;

  constructor(graph: Graph) {
    this.#base = graph;
  }

  get graph(): Graph {
    return this.#base;
  }

  node(name: string): Node {
    return this.#changed.get(name) ?? this.#inserted.get(name) ?? this.#base.node(name);
  }

  freshName(candidate: string): string {
    if (this.#names === undefined) {
      this.#names = new Namespace();
      for (const { name } of this.#base.nodes()) this.#names.reserve(name);
      for (const name of this.#inserted.keys()) this.#names.reserve(name);
    }
    return this.#names.create(candidate);
  }

  replaceNode(name: string, patch: NodePatch): void {
    this.#open();
    const before = this.node(name);
    const keys = Object.keys(patch) as (keyof NodePatch)[];
    if (keys.every((key) => patch[key] === before[key])) return;
    const after = Object.freeze({ ...before, ...patch, name });
    (this.#inserted.has(name) ? this.#inserted : this.#changed).set(name, after);
  }

  setMeta(name: string, meta: NodeMeta): void {
    this.replaceNode(name, { meta });
  }

  insertBefore(anchor: string, node: Node): NodeRef {
    this.#insert(anchor, node).before.push(node.name);
    return ref(node.name);
  }

  insertAfter(anchor: string, node: Node): NodeRef {
    this.#insert(anchor, node).after.push(node.name);
    return ref(node.name);
  }

  remove(name: string): void {
    this.#open();
    this.node(name);
    this.#removed.add(name);
  }

  replaceAllUses(name: string, replacement: Argument, except?: Iterable<string>): void {
    this.#open();
    this.node(name);
    this.#replacements.set(name, replacement);
    if (except !== undefined) this.#exceptions.set(name, new Set(except));
    else this.#exceptions.delete(name);
  }

  setOutput(result: Argument): void {
    this.replaceNode(this.#base.outputNode().name, { args: [result] });
  }

  setSubgraph(target: string, graph: Graph | undefined): void {
    this.#open();
    if (graph === undefined && !this.#base.subgraphs.has(target) && !this.#subgraphs.get(target)) {
      throw missingSubgraph(target);
    }
    this.#subgraphs.set(target, graph);
  }

  apply(): GraphEdit {
    this.#done = true;
    const base = this.#base;
    const state = Graph.stateOf(base);
    const next: Partial<GraphState> = { ...this.#nextPages(state), ...this.#nextSubgraphs(state) };
    const { state: result, patches, inverse } = commit(state, next);
    return { graph: Graph.version(base, result), patches, inverse };
  }

  #open(): void {
    if (this.#done) throw editFinished();
  }

  #insert(anchor: string, node: Node): Neighbours {
    this.#open();
    const { name } = node;
    if (!this.#inserted.has(anchor) && !this.#base.has(anchor)) throw nodeNotFound(anchor);
    if (this.#inserted.has(name) || this.#base.has(name)) throw duplicateName(name);
    this.#names?.reserve(name);
    this.#inserted.set(name, Object.freeze(node));
    return remember(this.#neighbours, anchor, () => ({ before: [], after: [] }));
  }

  #nextSubgraphs(state: GraphState): Partial<GraphState> {
    if (this.#subgraphs.size === 0) return {};
    const subgraphs = new Map(state.subgraphs);
    let same = true;
    for (const [target, graph] of this.#subgraphs) {
      same &&= subgraphs.get(target) === graph;
      if (graph === undefined) subgraphs.delete(target);
      else subgraphs.set(target, graph);
    }
    return same ? {} : { subgraphs: [...subgraphs] };
  }

  #nextPages(state: GraphState): Partial<GraphState> {
    const pages = this.#touchedPages(state);
    if (pages.size === 0) return {};
    const rewrite = this.#useReplacer();
    const changes = new Map<number, readonly Node[]>();
    for (const page of pages) {
      const { nodes } = state.pages[page]!;
      const out: Node[] = [];
      for (const node of nodes) this.#emit(node, rewrite, out);
      if (this.#removed.size > 0) refuseUses(out, this.#removed);
      if (out.length !== nodes.length || out.some((node, i) => node !== nodes[i])) changes.set(page, out);
    }
    return changes.size === 0 ? {} : changePages(state, changes);
  }

  /** Pages with a node that changes, goes, gets a neighbour or uses something replaced or removed. */
  #touchedPages(state: GraphState): Set<number> {
    const index = Graph.indexOf(this.#base);
    const pages = new Set<number>();
    const touch = (name: string): void => {
      const position = index.position(name);
      if (position >= 0) pages.add(index.pageOf(position));
    };
    for (const name of this.#changed.keys()) touch(name);
    for (const name of this.#removed) touch(name);
    for (const name of this.#neighbours.keys()) touch(name);
    const targets = new Set([...this.#replacements.keys(), ...this.#removed]);
    if (targets.size === 0) return pages;
    if (index.hasUsers) {
      const { offsets, users } = index.users;
      for (const name of targets) {
        const position = index.position(name);
        if (position < 0) continue;
        for (let i = offsets[position]!; i < offsets[position + 1]!; i++) pages.add(index.pageOf(users[i]!));
      }
    } else {
      state.pages.forEach((page, i) => {
        if (!pages.has(i) && usesAny(page.nodes, targets)) pages.add(i);
      });
    }
    return pages;
  }

  /** Appends a node of the base with what was inserted around it. */
  #emit(node: Node, rewrite: (node: Node) => Node, out: Node[]): void {
    const around = this.#neighbours.get(node.name);
    if (around !== undefined) for (const name of around.before) this.#emitInserted(name, rewrite, out);
    if (!this.#removed.has(node.name)) out.push(rewrite(this.#changed.get(node.name) ?? node));
    if (around !== undefined) for (const name of around.after) this.#emitInserted(name, rewrite, out);
  }

  /** The same for an inserted node; a loop, because each may anchor the next in a long chain. */
  #emitInserted(name: string, rewrite: (node: Node) => Node, out: Node[]): void {
    const work: { readonly name: string; readonly self: boolean }[] = [];
    let item = { name, self: !this.#neighbours.has(name) };
    for (;;) {
      const around = item.self ? undefined : this.#neighbours.get(item.name);
      if (around !== undefined) {
        for (let i = around.after.length - 1; i >= 0; i--) work.push({ name: around.after[i]!, self: false });
        work.push({ name: item.name, self: true });
        for (let i = around.before.length - 1; i >= 0; i--)
          work.push({ name: around.before[i]!, self: false });
      } else if (!this.#removed.has(item.name)) out.push(rewrite(this.#inserted.get(item.name)!));
      const next = work.pop();
      if (next === undefined) return;
      item = next;
    }
  }

  /** Replaces uses by the table of all replacements, followed to their ends, once per node. */
  #useReplacer(): (node: Node) => Node {
    if (this.#replacements.size === 0) return (node) => node;
    const resolve = this.#resolver();
    let user = "";
    const replace = (use: NodeRef): Argument => {
      const replacement = this.#replacements.get(use.name);
      if (replacement === undefined || refName(replacement) === user) return use;
      return this.#exceptions.get(use.name)?.has(user) === true ? use : resolve(use.name);
    };
    return (node) => {
      user = node.name;
      const args = node.args.map((arg) => mapRefs(arg, replace));
      const same = args.every((arg, i) => arg === node.args[i]);
      const kwargs = mapKwargs(node.kwargs, replace);
      if (same && kwargs === node.kwargs) return node;
      return Object.freeze({ ...node, args: same ? node.args : args, kwargs });
    };
  }

  /** Where a replaced name leads in the end. Long chains are followed in a loop and remembered. */
  #resolver(): (name: string) => Argument {
    const resolved = new Map<string, Argument>();
    const resolve = (name: string): Argument => {
      const first = this.#replacements.get(name)!;
      const only = refName(first);
      if (only !== undefined && !this.#replacements.has(only)) return first;
      const path: string[] = [];
      const seen = new Set<string>();
      let current: Argument = ref(name);
      for (;;) {
        const next = refName(current);
        if (next === undefined || !this.#replacements.has(next)) break;
        const known = resolved.get(next);
        if (known !== undefined) {
          current = known;
          break;
        }
        if (seen.has(next)) throw cyclicReplacement(name);
        seen.add(next);
        path.push(next);
        current = this.#replacements.get(next)!;
      }
      if (refName(current) === undefined)
        current = mapRefs(current, (use) => (seen.has(use.name) ? use : resolve(use.name)));
      for (const step of path) resolved.set(step, current);
      return current;
    };
    return resolve;
  }
}

const refName = (value: Argument): string | undefined =>
  typeof value === "object" && value !== null && (value as NodeRef).kind === "node"
    ? (value as NodeRef).name
    : undefined;

function mapKwargs(kwargs: Node["kwargs"], replace: (use: NodeRef) => Argument): Node["kwargs"] {
  let out: Record<string, Argument> | undefined;
  for (const key in kwargs) {
    const next = mapRefs(kwargs[key]!, replace);
    if (next === kwargs[key]) continue;
    out ??= { ...kwargs };
    out[key] = next;
  }
  return out ?? kwargs;
}

function usesAny(nodes: readonly Node[], targets: ReadonlySet<string>): boolean {
  let found = false;
  const visit = (name: string): void => {
    found ||= targets.has(name);
  };
  for (const node of nodes) {
    forEachNodeRef(node, visit);
    if (found) return true;
  }
  return false;
}
