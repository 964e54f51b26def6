import { remember } from "../support/remember.js";
import { type Argument, type NodeRef, ref } from "../values/argument.js";
import type { NodeMeta } from "../values/meta.js";
import type { GraphEditor, NewNode, NodePatch } from "./editor.js";
import {
  duplicateName,
  editFinished,
  missingSubgraph,
  nodeNotFound,
  notParts,
  unknownNodePart,
} from "./errors.js";
import { Graph } from "./graph.js";
import { inheritMeta } from "./inherit.js";
import { fxName, Namespace } from "./namespace.js";
import { NO_KWARGS, NO_META, type Node } from "./node.js";
import { changePages, type GraphState } from "./node-store.js";
import { Replacements, refuseUses, usesAny } from "./uses.js";
import { wrappersOf } from "./wrapping.js";

interface Neighbors {
  readonly before: string[];
  readonly after: string[];
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/** The changes that a recipe asks for, until the edit ends. */
export class PendingEdit implements GraphEditor {
  readonly #base: Graph;
  readonly #state: GraphState<Graph>;
  readonly #changed = new Map<string, Node>();
  readonly #inserted = new Map<string, Node>();
  readonly #removed = new Set<string>();
  readonly #neighbors = new Map<string, Neighbors>();
  readonly #replacements = new Replacements();
  readonly #subgraphs = new Map<string, Graph | undefined>();
  #names: Namespace | undefined;
  #done = false;

  constructor(graph: Graph, state: GraphState<Graph>) {
    this.#base = graph;
    this.#state = state;
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
    if (!isObject(patch)) throw notParts("replaceNode", patch);
    const keys = Object.keys(patch) as (keyof NodePatch)[];
    const unknown = keys.find((key) => !Object.hasOwn(before, key));
    if (unknown !== undefined) throw unknownNodePart("replaceNode", unknown, Object.keys(before));
    if (keys.every((key) => patch[key] === before[key])) return;
    const after = Object.freeze({ ...before, ...patch, name });
    (this.#inserted.has(name) ? this.#inserted : this.#changed).set(name, after);
  }

  setMeta(name: string, meta: NodeMeta): void {
    this.replaceNode(name, { meta });
  }

  insertBefore(anchor: string, node: NewNode): NodeRef {
    const { name } = this.#insert(anchor, node);
    this.#neighborsOf(anchor).before.push(name);
    return ref(name);
  }

  insertAfter(anchor: string, node: NewNode): NodeRef {
    const { name } = this.#insert(anchor, node);
    this.#neighborsOf(anchor).after.push(name);
    return ref(name);
  }

  remove(name: string): void {
    this.#open();
    this.node(name);
    this.#removed.add(name);
  }

  replaceAllUses(name: string, replacement: Argument, except?: Iterable<string>): void {
    this.#open();
    this.node(name);
    this.#replacements.set(name, replacement, except);
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

  /** Ends the edit: what differs in the next version. */
  finish(): Partial<GraphState<Graph>> {
    this.#done = true;
    inheritMeta(this.#inserted, this.#replacements.entries(), (name) => this.#base.find(name));
    return { ...this.#nextPages(this.#state), ...this.#nextSubgraphs(this.#state) };
  }

  #open(): void {
    if (this.#done) throw editFinished();
  }

  #insert(anchor: string, given: NewNode): Node {
    this.#open();
    if (!this.#inserted.has(anchor) && !this.#base.has(anchor)) throw nodeNotFound(anchor);
    if (!isObject(given)) throw notParts("an insertion", given);
    const { name = this.freshName(fxName(given)), kwargs = NO_KWARGS, meta = NO_META } = given;
    if (this.#inserted.has(name) || this.#base.has(name)) throw duplicateName(name);
    const isWhole = given.name === name && given.kwargs === kwargs && given.meta === meta;
    const node = isWhole ? (given as Node) : { ...given, name, kwargs, meta };
    this.#names?.reserve(name);
    this.#inserted.set(name, Object.freeze(node));
    return node;
  }

  #neighborsOf(anchor: string): Neighbors {
    return remember(this.#neighbors, anchor, () => ({ before: [], after: [] }));
  }

  #nextSubgraphs(state: GraphState<Graph>): Partial<GraphState<Graph>> {
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

  #nextPages(state: GraphState<Graph>): Partial<GraphState<Graph>> {
    const pages = this.#touchedPages(state);
    if (pages.size === 0) return {};
    const rewrite = this.#replacements.rewriter(wrappersOf(this.#inserted, this.#replacements.entries()));
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

  /**
   * Pages with a node that changes, goes, gets a neighbor or uses something replaced or removed.
   */
  #touchedPages(state: GraphState<Graph>): Set<number> {
    const index = Graph.indexOf(this.#base);
    const pages = new Set<number>();
    const touch = (name: string): void => {
      const position = index.position(name);
      if (position >= 0) pages.add(index.pageOf(position));
    };
    for (const name of this.#changed.keys()) touch(name);
    for (const name of this.#removed) touch(name);
    for (const name of this.#neighbors.keys()) touch(name);
    const targets = new Set([...this.#replacements.names(), ...this.#removed]);
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
    const around = this.#neighbors.get(node.name);
    if (around !== undefined) for (const name of around.before) this.#emitInserted(name, rewrite, out);
    if (!this.#removed.has(node.name)) out.push(rewrite(this.#changed.get(node.name) ?? node));
    if (around !== undefined) for (const name of around.after) this.#emitInserted(name, rewrite, out);
  }

  /** The same for an inserted node; a loop, because each may anchor the next in a long chain. */
  #emitInserted(name: string, rewrite: (node: Node) => Node, out: Node[]): void {
    const work: { readonly name: string; readonly self: boolean }[] = [];
    let item = { name, self: !this.#neighbors.has(name) };
    for (;;) {
      const around = item.self ? undefined : this.#neighbors.get(item.name);
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
}
