/**
 * @file A graph under construction, with the insertion points and the names of `torch.fx`
 * (`torch/fx/graph.py`).
 */
import {
  type Argument,
  type Graph,
  GraphBuilder,
  inputsOf,
  mapRefs,
  Namespace,
  NO_KWARGS,
  NO_META,
  type Node,
  type NodeMeta,
  type NodeOp,
  type NodeRef,
  ref,
} from "@sconce/ir";

/** What a node is made of; the rest has a default. */
export interface DraftNodeInit {
  readonly op: NodeOp;
  readonly target: string;
  readonly args?: readonly Argument[] | undefined;
  readonly kwargs?: Readonly<Record<string, Argument>> | undefined;
  readonly meta?: NodeMeta | undefined;
  /** The name that is asked for. @defaultValue made of the target */
  readonly name?: string | undefined;
}

/** A node that changes while its graph is made. */
export class DraftNode implements Node {
  readonly name: string;
  readonly op: NodeOp;
  target: string;
  args: readonly Argument[];
  kwargs: Readonly<Record<string, Argument>>;
  meta: NodeMeta;
  /** Neighbors; those of an erased node stay, as a place to insert at. */
  previous: DraftNode = this;
  next: DraftNode = this;

  constructor(name: string, { op, target, args = [], kwargs = NO_KWARGS, meta = NO_META }: DraftNodeInit) {
    this.name = name;
    this.op = op;
    this.target = target;
    this.args = args;
    this.kwargs = kwargs;
    this.meta = meta;
  }

  get ref(): NodeRef {
    return ref(this.name);
  }
}

/** Where new nodes go: before a node, or after one, each behind the node itself. */
type Place = { readonly before: DraftNode } | { readonly after: DraftNode };

/** A list of nodes with unique names. */
export class DraftGraph {
  readonly #names = new Namespace();
  readonly #root = new DraftNode("", { op: "output", target: "" });
  #place: Place = { before: this.#root };

  /** Returns the nodes in order; changes of the graph do not change the list. */
  nodes(): DraftNode[] {
    const found: DraftNode[] = [];
    for (let node = this.#root.next; node !== this.#root; node = node.next) found.push(node);
    return found;
  }

  get isEmpty(): boolean {
    return this.#root.next === this.#root;
  }

  /** Adds a node at the place of insertion: the end, unless {@link at} says otherwise. */
  add(init: DraftNodeInit): DraftNode {
    const node = new DraftNode(this.#names.create(init.name ?? nameOf(init)), init);
    const next = "before" in this.#place ? this.#place.before : this.#place.after.next;
    node.previous = next.previous;
    node.next = next;
    next.previous.next = node;
    next.previous = node;
    return node;
  }

  /** Inserts before a node, after one, or at the start, while a function runs. */
  at<T>(place: Place | "start", run: () => T): T {
    const outer = this.#place;
    this.#place = place === "start" ? { after: this.#root } : place;
    try {
      return run();
    } finally {
      this.#place = outer;
    }
  }

  erase(node: DraftNode): void {
    node.previous.next = node.next;
    node.next.previous = node.previous;
  }

  /** Replaces references to nodes by references to others. */
  replaceUses(replacements: ReadonlyMap<string, DraftNode>): void {
    if (replacements.size === 0) return;
    const change = (value: Argument): Argument =>
      mapRefs(value, (old) => replacements.get(old.name)?.ref ?? old);
    for (const node of this.nodes()) mapArguments(node, change);
  }

  /** Returns the users of each node that has some. */
  users(): Map<string, DraftNode[]> {
    const users = new Map<string, DraftNode[]>();
    for (const node of this.nodes())
      for (const input of inputsOf(node)) {
        const known = users.get(input);
        if (known === undefined) users.set(input, [node]);
        else known.push(node);
      }
    return users;
  }

  /** Returns the finished graph. */
  build(subgraphs: Iterable<readonly [target: string, graph: Graph]>): Graph {
    const nodes = this.nodes().map(
      ({ name, op, target, args, kwargs, meta }): Node => ({ name, op, target, args, kwargs, meta }),
    );
    return new GraphBuilder({ unknownTargets: "allow" }).addAll(nodes, subgraphs).build();
  }
}

/** Changes the arguments of a node. */
function mapArguments(node: DraftNode, change: (value: Argument) => Argument): void {
  node.args = node.args.map(change);
  node.kwargs = mapKeywords(node.kwargs, change);
}

/** Keyword arguments, each changed. */
export const mapKeywords = (
  kwargs: Readonly<Record<string, Argument>>,
  change: (value: Argument) => Argument,
): Readonly<Record<string, Argument>> => {
  const entries = Object.entries(kwargs);
  return entries.length === 0
    ? kwargs
    : Object.fromEntries(entries.map(([key, value]) => [key, change(value)]));
};

/** Returns the name that `torch.fx` proposes (`Graph._target_to_str`). */
function nameOf({ op, target }: DraftNodeInit): string {
  let name = target;
  if (op === "call_function") {
    const parts = target.split(".");
    // The name of an overload is that of the operator with the overload's.
    name = parts[0] === "torch" || parts.length < 3 ? parts.at(-1)! : parts.slice(-2).join(".");
  } else if (/^__.*__$/.test(target)) name = target.slice(2, -2);
  return name.replace(/(?<=[a-z])([A-Z])/g, "_$1").toLowerCase();
}
