/**
 * @file Moves views past pointwise operators. `relu(permute(x))` is `permute(relu(x))`, to the bit;
 * where a permutation behind undoes the first, both are gone.
 *
 * A group is what can only move together: views that do the same to their tensors, and the
 * pointwise calls all of whose operands come from them. Either all of its views go behind its calls
 * or none does, whichever leaves fewer views: a view for each value that something else reads, but
 * none for a view that follows and cancels, or becomes one with it.
 */

import { eachInPieces, isSconceError, type Work } from "@sconce/errors";
import {
  type Argument,
  FakeTensor,
  forEachRef,
  type Graph,
  mapRefs,
  Namespace,
  NO_KWARGS,
  type Node,
  type NodeMeta,
  type NodeRef,
  rebuild,
  ref,
} from "@sconce/ir";
import { metaOf, type OperatorTable } from "@sconce/ops";
import type { SymEnv } from "@sconce/symbolic";
import { callName, refRenamer } from "@sconce/trace";
import { pointwiseCalls } from "../analysis/pointwise.js";
import { replacementProblem } from "../rewrite/replacement-problem.js";
import { type Follower, Group, type Moved } from "./group.js";
import { isIdentity, type Move, moveOf } from "./move.js";

export interface SinkOptions {
  readonly operators: OperatorTable;
  readonly env: SymEnv;
  /** The pass that new nodes name as their origin. */
  readonly pass: string;
  /** Asked before each group is moved. */
  readonly allows?: ((root: Node) => boolean) | undefined;
  /** Called with each group that moves. */
  readonly fired?: (() => void) | undefined;
}

export interface Sunk {
  readonly graph: Graph;
  /** Views that canceled, with what represents them. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** Moves views as long as that makes them fewer; the same graph when it does not. */
export function* sinkViews(graph: Graph, options: SinkOptions): Work<Sunk> {
  const renamed = new Map<string, string>();
  for (let current = graph; ; ) {
    const round = yield* new Round(current, options).run();
    if (round === undefined) return { graph: current, renamed };
    for (const [name, value] of renamed) renamed.set(name, round.renamed.get(value) ?? value);
    for (const [name, value] of round.renamed) renamed.set(name, value);
    current = round.graph;
  }
}

class Round {
  readonly #graph: Graph;
  readonly #options: SinkOptions;
  readonly #moved = new Map<string, Moved>();
  /** Union-find over positions. */
  readonly #parent: Int32Array;
  /** What the applied groups make of nodes, by name: empty for those that go. */
  readonly #changes = new Map<string, readonly Node[]>();
  readonly #renamed = new Map<string, string>();
  /** Names of calls before their views. */
  readonly #before = new Map<string, string>();
  #names: Namespace | undefined;

  constructor(graph: Graph, options: SinkOptions) {
    this.#graph = graph;
    this.#options = options;
    this.#parent = new Int32Array(graph.size).map((_, at) => at);
  }

  /** One round; undefined when nothing moves. */
  *run(): Work<Sunk | undefined> {
    yield* this.#find();
    if (this.#moved.size === 0) return undefined;
    const touched = new Set<string>();
    yield;
    for (const group of this.#groups()) {
      const views = [...group.views, ...group.followers].map(({ node }) => node.name);
      if (group.isFixed || group.calls.length === 0 || group.gain <= 0) continue;
      // What one group moves another must not move in the same round.
      const root = [...group.views, ...group.followers][0]!.node;
      if (views.some((name) => touched.has(name)) || this.#options.allows?.(root) === false) continue;
      for (const name of views) touched.add(name);
      this.#apply(group);
      this.#options.fired?.();
    }
    if (touched.size === 0) return undefined;
    yield;
    const rename = refRenamer(this.#renamed);
    const graph = rebuild(this.#graph, (node) => this.#changes.get(node.name)?.map(rename) ?? rename(node));
    return { graph, renamed: this.#renamed };
  }

  *#find(): Work<void> {
    const isPointwise = pointwiseCalls(this.#options.operators);
    const valOf = (name: string): unknown => this.#graph.node(name).meta.val;
    yield* eachInPieces(this.#graph.nodes(), (node, at) => {
      const move = moveOf(node, valOf);
      const val = move && valOf(move.source);
      if (move !== undefined && val instanceof FakeTensor)
        this.#moved.set(node.name, { node, at, val, move, view: node });
      else if (isPointwise(node)) this.#call(node, at);
    });
  }

  /**
   * A call moves when every tensor operand does, in the same way; numbers and tensors without
   * dimensions fit any.
   */
  #call(node: Node, at: number): void {
    const operands: Moved[] = [];
    let fits = true;
    const visit = (name: string): void => {
      const operand = this.#moved.get(name);
      const { val } = this.#graph.node(name).meta;
      if (operand !== undefined) operands.push(operand);
      else if (val instanceof FakeTensor ? val.ndim > 0 : Array.isArray(val)) fits = false;
    };
    for (const arg of node.args) forEachRef(arg, visit);
    for (const key in node.kwargs) forEachRef(node.kwargs[key]!, visit);
    const [first] = operands;
    if (!fits || first === undefined || operands.some(({ move }) => move.key !== first.move.key)) return;
    const val = this.#computed(node.target, node.args, node.kwargs);
    if (val === undefined || val.dtype !== (node.meta.val as FakeTensor).dtype) return;
    this.#moved.set(node.name, { node, at, val, move: first.move, view: first.view });
    for (const operand of operands) this.#join(at, operand.at);
  }

  /**
   * Returns the value of a call whose operands are taken before their views; undefined when it
   * refuses them.
   */
  #computed(
    target: string,
    args: readonly unknown[],
    kwargs: Readonly<Record<string, unknown>>,
  ): FakeTensor | undefined {
    const { operators, env } = this.#options;
    const resolve = ({ name }: NodeRef): unknown =>
      this.#moved.get(name)?.val ?? this.#graph.node(name).meta.val;
    try {
      const val = metaOf(operators, target, args, kwargs, env, resolve as never);
      return val instanceof FakeTensor ? new FakeTensor({ ...val, requiresGrad: false }) : undefined;
    } catch (error) {
      if (isSconceError(error)) return undefined;
      throw error;
    }
  }

  #join(a: number, b: number): void {
    const [first, second] = [this.#root(a), this.#root(b)];
    this.#parent[Math.max(first, second)] = Math.min(first, second);
  }

  #root(at: number): number {
    let root = at;
    while (this.#parent[root] !== root) {
      this.#parent[root] = this.#parent[this.#parent[root]!]!;
      root = this.#parent[root]!;
    }
    return root;
  }

  #groups(): Iterable<Group> {
    const groups = new Map<number, Group>();
    for (const moved of this.#moved.values()) {
      const root = this.#root(moved.at);
      const group = groups.get(root) ?? new Group();
      groups.set(root, group);
      const isView = moved.view === moved.node;
      (isView ? group.views : group.calls).push(moved);
      for (const user of this.#graph.users(moved.node.name)) this.#addUser(user, moved, group);
      if (!isView && group.read.has(moved.node.name) && !this.#canBeViewed(moved)) group.isFixed = true;
    }
    return groups.values();
  }

  #addUser(user: Node, moved: Moved, group: Group): void {
    const other = this.#moved.get(user.name);
    const isView = other?.view === user;
    if (other !== undefined && !isView) return;
    // A view of a call may belong to the call's own group; it needs the value that it views.
    const follows = isView && moved.view !== moved.node && this.#root(other.at) !== this.#root(moved.at);
    const follower = follows ? this.#follower(user, moved) : undefined;
    if (follower === undefined) group.read.add(moved.node.name);
    else group.followers.push(follower);
  }

  /** Returns what becomes of a view behind a call; undefined when it needs the call's own value. */
  #follower(node: Node, moved: Moved): Follower | undefined {
    if (replacementProblem(node.meta.val, moved.val, false) === undefined) {
      const { dims } = this.#moved.get(node.name)!.move;
      // Of equal sizes, dimensions may still have changed places.
      if (dims === undefined ? moved.move.dims === undefined : cancels(dims, moved.move.dims))
        return { node, moved, joined: undefined };
    }
    const joined = this.#joined(node, moved);
    return joined && { node, moved, joined };
  }

  #joined(node: Node, moved: Moved): Follower["joined"] {
    const { dims } = this.#moved.get(node.name)!.move;
    let call: { readonly target: string; readonly args: readonly Argument[] };
    if (dims !== undefined && moved.move.dims !== undefined)
      call = {
        target: "aten.permute.default",
        args: [node.args[0]!, dims.map((dim) => moved.move.dims![dim]!)],
      };
    else if (dims === undefined && moved.move.dims === undefined && /view\.default$/.test(node.target))
      call = { target: node.target, args: node.args };
    else return undefined;
    const val = this.#viewed(call.target, call.args.slice(1), moved.val);
    return replacementProblem(node.meta.val, val, false) === undefined
      ? { ...call, meta: this.#meta(node, node.meta.val!) }
      : undefined;
  }

  #viewed(target: string, rest: readonly Argument[], value: FakeTensor): FakeTensor | undefined {
    return this.#computed(target, [value, ...rest], NO_KWARGS);
  }

  /** Returns whether the view behind the call lies in memory as the call's result did. */
  #canBeViewed({ node, view, val, move }: Moved): boolean {
    const { target, rest } = viewCall(view, move);
    return replacementProblem(node.meta.val, this.#viewed(target, rest, val), false) === undefined;
  }

  #apply(group: Group): void {
    for (const { node } of group.views) if (!group.read.has(node.name)) this.#changes.set(node.name, []);
    for (const { node } of group.calls) this.#before.set(node.name, this.#fresh(callName(node.target)));
    for (const moved of group.calls) this.#changes.set(moved.node.name, this.#callNodes(moved, group));
    for (const { node, moved, joined } of group.followers) {
      const before = this.#before.get(moved.node.name)!;
      if (joined === undefined) {
        this.#renamed.set(node.name, before);
        this.#changes.set(node.name, []);
      } else {
        const args = [ref(before), ...joined.args.slice(1)];
        this.#changes.set(node.name, [{ ...node, ...joined, args, kwargs: NO_KWARGS }]);
      }
    }
  }

  /**
   * Returns the call of what is before the views, and the view of it under the call's name where
   * that is read.
   */
  #callNodes({ node, val, view, move }: Moved, group: Group): Node[] {
    const replace = (argument: Argument): Argument => mapRefs(argument, (input) => this.#operand(input));
    const kwargs: Record<string, Argument> = {};
    for (const key in node.kwargs) kwargs[key] = replace(node.kwargs[key]!);
    const name = this.#before.get(node.name)!;
    const args = node.args.map(replace);
    const call: Node = { ...node, name, args, kwargs, meta: this.#meta(node, val) };
    if (!group.read.has(node.name)) return [call];
    const { target, rest } = viewCall(view, move);
    const meta = this.#meta(node, node.meta.val!);
    return [call, { ...node, target, args: [ref(name), ...rest], kwargs: NO_KWARGS, meta }];
  }

  #operand(input: NodeRef): NodeRef {
    const moved = this.#moved.get(input.name);
    if (moved === undefined) return input;
    return ref(moved.view === moved.node ? moved.move.source : this.#before.get(input.name)!);
  }

  #meta({ name, meta }: Node, val: NonNullable<NodeMeta["val"]>): NodeMeta {
    return { ...meta, val, origin: { pass: this.#options.pass, from: [name] } };
  }

  #fresh(candidate: string): string {
    if (this.#names === undefined) {
      this.#names = new Namespace();
      for (const { name } of this.#graph.nodes()) this.#names.reserve(name);
    }
    return this.#names.create(candidate);
  }
}

/** Returns the operator of a view with what it takes besides the tensor. */
const viewCall = (view: Node, { dims }: Move): { target: string; rest: readonly Argument[] } =>
  dims === undefined
    ? { target: view.target, rest: view.args.slice(1) }
    : { target: "aten.permute.default", rest: [dims] };

/** Returns whether one permutation undoes the other. */
const cancels = (dims: readonly number[], first: readonly number[] | undefined): boolean =>
  first !== undefined && isIdentity(dims.map((dim) => first[dim]!));
