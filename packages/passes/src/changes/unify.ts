/**
 * @file Which values of two versions of a graph are the same: by congruence from the inputs on,
 * where a node that the change replaced counts as equal to its replacement. What is so assumed is a
 * claim, to be checked on values.
 */
import { type Argument, FakeTensor, type Graph, isRef, itemsOf, type MetaValue, type Node } from "@sconce/ir";
import { printExpr } from "@sconce/symbolic";
import { callKey, graphKey } from "./argument-key.js";

/** A value before and one after that have to be equal. */
export interface Claim {
  readonly before: string;
  readonly after: string;
  /**
   * Whether something says so: a result, or a rewrite of a rule. Others are guesses by names and
   * readers.
   */
  readonly firm: boolean;
}

/** One version of a graph, and what identifies its inputs and calls. */
export interface Side {
  readonly graph: Graph;
  /** Equal for inputs that are given the same value. */
  readonly inputKey: (name: string, position: number) => string;
  /** Results by purpose; by position when left out. */
  readonly results?: ReadonlyMap<string, Argument> | undefined;
  /**
   * What a call's key has besides its arguments: order distinguishes calls that draw random numbers
   * or write.
   */
  readonly callSuffix: (node: Node) => string;
}

/** Nested graphs that represent each other, by targets. */
interface NestedPair {
  readonly before: string;
  readonly after: string;
}

export interface Guesses {
  /** Nodes after by the node before that they replace, where a rewrite says so. */
  readonly firm: readonly { readonly before: string; readonly after: string }[];
  /** Nodes after to nodes before, by name and origin. */
  readonly likely: ReadonlyMap<string, string>;
  /** Claims that turned out wrong, as {@link claimKey} has them. */
  readonly rejected: ReadonlySet<string>;
}

export const claimKey = (before: string, after: string): string => `${before}|${after}`;

export interface Unified {
  readonly before: ReadonlyMap<string, number>;
  readonly after: ReadonlyMap<string, number>;
  /**
   * Calls after that no call before has for itself: new ones, and those that are claimed to
   * represent another.
   */
  readonly made: ReadonlySet<string>;
  readonly claims: readonly Claim[];
  readonly nested: readonly NestedPair[];
}

/**
 * How often the graphs are walked at most: equalities that readers suggest can make more calls
 * equal.
 */
const ROUNDS = 5;

export function unify(before: Side, after: Side, guesses: Guesses): Unified {
  const equal = new Map<string, string>();
  const pending = new Map<string, string>();
  for (const { before: root, after: value } of guesses.firm) {
    if (guesses.rejected.has(claimKey(root, value))) continue;
    if (after.graph.has(value)) pending.set(value, root);
  }
  for (let round = 1; ; round++) {
    const walk = new Walk(before, after, guesses, equal, pending);
    const result = walk.run();
    if (!walk.learned || round === ROUNDS) return result;
  }
}

class Walk {
  readonly #before: Side;
  readonly #after: Side;
  readonly #guesses: Guesses;
  /** Nodes before that count as equal to earlier ones. */
  readonly #equal: Map<string, string>;
  /** Nodes after that count as equal to nodes before. */
  readonly #pending: Map<string, string>;
  readonly #idsBefore = new Map<string, number>();
  readonly #idsAfter = new Map<string, number>();
  readonly #byKey = new Map<string, number>();
  readonly #nameOf = new Map<number, string>();
  readonly #firstAfter = new Map<number, string>();
  readonly #made = new Set<string>();
  readonly #firm: ReadonlySet<string>;
  readonly #claims = new Map<string, Claim>();
  readonly #nested = new Map<string, NestedPair>();
  #next = 0;
  learned = false;

  constructor(
    before: Side,
    after: Side,
    guesses: Guesses,
    equal: Map<string, string>,
    pending: Map<string, string>,
  ) {
    this.#before = before;
    this.#after = after;
    this.#guesses = guesses;
    this.#equal = equal;
    this.#pending = pending;
    this.#firm = new Set(guesses.firm.map((one) => claimKey(one.before, one.after)));
  }

  run(): Unified {
    this.#number(this.#before, this.#idsBefore, (node, key) => this.#idBefore(node, key));
    this.#number(this.#after, this.#idsAfter, (node, key) => {
      const id = this.#idAfter(node, key);
      if (!this.#firstAfter.has(id)) this.#firstAfter.set(id, node.name);
      return id;
    });
    for (const [before, after] of this.#equal) {
      // What represents a node before is the node after that has the value of the other.
      const id = this.#idsBefore.get(after);
      const value = id === undefined ? undefined : this.#afterOf(id);
      if (value !== undefined) this.#claim(before, value);
    }
    this.#results();
    return {
      before: this.#idsBefore,
      after: this.#idsAfter,
      made: this.#made,
      claims: [...this.#claims.values()],
      nested: [...this.#nested.values()],
    };
  }

  #number(side: Side, ids: Map<string, number>, idOf: (node: Node, key: string) => number): void {
    const nameKey = (name: string): string => String(ids.get(name));
    let position = 0;
    for (const node of side.graph.nodes()) {
      if (node.op === "output") continue;
      let key: string;
      if (node.op === "placeholder") key = `in ${side.inputKey(node.name, position++)}`;
      else if (node.op === "get_attr") {
        const nested = side.graph.subgraphs.get(node.target);
        key = nested === undefined ? `attr ${node.target}` : `graph ${graphKey(nested)}`;
      } else key = callKey(node, nameKey) + side.callSuffix(node);
      ids.set(node.name, idOf(node, key));
    }
  }

  #idBefore(node: Node, key: string): number {
    const other = this.#equal.get(node.name);
    const known = (other === undefined ? undefined : this.#idsBefore.get(other)) ?? this.#byKey.get(key);
    const id = known ?? this.#next++;
    this.#byKey.set(key, id);
    if (!this.#nameOf.has(id)) this.#nameOf.set(id, node.name);
    return id;
  }

  #idAfter(node: Node, key: string): number {
    const known = this.#byKey.get(key);
    const root = this.#pending.get(node.name);
    if (known !== undefined) {
      // The value of an earlier node represents another one from here on.
      if (root !== undefined && this.#idsBefore.get(root) !== known)
        this.#equate(root, this.#nameOf.get(known));
      return known;
    }
    if (node.op !== "call_function") return this.#fresh(key);
    if (root !== undefined && this.#fits(root, node)) return this.#claimed(root, node, key);
    const likely = this.#guesses.likely.get(node.name);
    const other = likely === undefined ? undefined : this.#before.graph.find(likely);
    if (other === undefined) return this.#fresh(key, node);
    if (this.#sameCall(other, node)) {
      const id = this.#idsBefore.get(other.name)!;
      this.#byKey.set(key, id);
      return id;
    }
    const isRejected = this.#guesses.rejected.has(claimKey(other.name, node.name));
    return isRejected || !this.#fits(other.name, node)
      ? this.#fresh(key, node)
      : this.#claimed(other.name, node, key);
  }

  #fresh(key: string, made?: Node): number {
    if (made !== undefined) this.#made.add(made.name);
    const id = this.#next++;
    this.#byKey.set(key, id);
    return id;
  }

  #claimed(root: string, node: Node, key: string): number {
    const id = this.#idsBefore.get(root)!;
    this.#byKey.set(key, id);
    this.#made.add(node.name);
    this.#claim(root, node.name);
    return id;
  }

  #claim(before: string, after: string, result = false): void {
    const key = claimKey(before, after);
    const known = this.#claims.get(key)?.firm === true;
    this.#claims.set(key, { before, after, firm: known || result || this.#firm.has(key) });
  }

  /**
   * Returns whether the value before may represent the node: a tensor or number of the same type.
   */
  #fits(before: string, after: Node): boolean {
    const node = this.#before.graph.find(before);
    return node !== undefined && sameValueType(node.meta.val, after.meta.val);
  }

  /**
   * Returns whether two calls differ in the values that they read at most: those then have to be
   * equal.
   */
  #sameCall(before: Node, after: Node): boolean {
    if (!sameResultType(before.meta.val, after.meta.val)) return false;
    if (before.target !== after.target || this.#before.callSuffix(before) !== this.#after.callSuffix(after))
      return false;
    const pairs: [string, string][] = [];
    if (!pairUp(before, after, pairs)) return false;
    const differing = pairs.filter(([a, b]) => this.#idsBefore.get(a) !== this.#idsAfter.get(b));
    const isReader = differing.every(([a, b]) => this.#mayEquate(a, b));
    if (!isReader || differing.length === 0) return false;
    for (const [a, b] of differing) this.#suggest(a, b);
    return true;
  }

  #mayEquate(before: string, after: string): boolean {
    const [a, b] = [this.#before.graph.node(before), this.#after.graph.node(after)];
    if (a.op === "get_attr" && b.op === "get_attr") {
      const [x, y] = [this.#before.graph.subgraphs.get(a.target), this.#after.graph.subgraphs.get(b.target)];
      return x !== undefined && y !== undefined && sameSignature(x, y);
    }
    if (a.op !== "call_function" || b.op === "get_attr") return false;
    // Inputs of a graph have their own keys: one does not become another.
    if (this.#guesses.rejected.has(claimKey(before, after))) return false;
    // A constant that is new represents no value by being read in its place.
    return (
      this.#fits(before, b) && (b.op === "call_function" || this.#nameOf.has(this.#idsAfter.get(after)!))
    );
  }

  #suggest(before: string, after: string): void {
    const [a, b] = [this.#before.graph.node(before), this.#after.graph.node(after)];
    if (a.op === "get_attr") {
      this.#nested.set(`${a.target}|${b.target}`, { before: a.target, after: b.target });
      return;
    }
    this.#claim(before, after);
    const same = this.#nameOf.get(this.#idsAfter.get(after)!);
    if (same !== undefined) this.#equate(before, same);
    else if (!this.#pending.has(after)) {
      this.#pending.set(after, before);
      this.learned = true;
    }
  }

  #equate(before: string, same: string | undefined): void {
    if (same === undefined || same === before || this.#equal.has(before)) return;
    const { graph } = this.#before;
    if (graph.indexOf(same) > graph.indexOf(before)) return;
    if (!sameValueType(graph.node(before).meta.val, graph.node(same).meta.val)) return;
    const value = this.#afterOf(this.#idsBefore.get(same)!);
    if (value !== undefined && this.#guesses.rejected.has(claimKey(before, value))) return;
    this.#equal.set(before, same);
    this.learned = true;
  }

  /** Returns the first node after with a value, as far as nodes have been visited. */
  #afterOf(id: number): string | undefined {
    return this.#firstAfter.get(id);
  }

  /** Results are in their places: whatever differs there is claimed to be equal. */
  #results(): void {
    const [wants, gots] = [resultsByKey(this.#before), resultsByKey(this.#after)];
    for (const [key, want] of wants) {
      const got = gots.get(key);
      if (!isRef(want) || !isRef(got)) continue;
      const isClaimed = this.#claims.has(claimKey(want.name, got.name));
      if (isClaimed || this.#idsBefore.get(want.name) !== this.#idsAfter.get(got.name))
        this.#claim(want.name, got.name, true);
    }
  }
}

const resultsByKey = ({ graph, results }: Side): ReadonlyMap<string, Argument> =>
  results ?? new Map(resultsOf(graph).map((value, i) => [String(i), value]));

export const resultsOf = (graph: Graph): readonly Argument[] =>
  itemsOf(graph.outputArgument()) ?? [graph.outputArgument()];

/** Pairs of references in the same places; false when anything else differs. */
function pairUp(before: Node, after: Node, pairs: [string, string][]): boolean {
  const keysBefore = Object.keys(before.kwargs);
  if (before.args.length !== after.args.length || keysBefore.length !== Object.keys(after.kwargs).length)
    return false;
  const [a, b]: string[][] = [[], []];
  const keyOf = (names: string[]) => (name: string) => {
    names.push(name);
    return "";
  };
  if (callKey(before, keyOf(a!)) !== callKey(after, keyOf(b!)) || a!.length !== b!.length) return false;
  for (const [i, name] of a!.entries()) pairs.push([name, b![i]!]);
  return true;
}

/**
 * Returns whether nested graphs take and give the same: values of the same types in the same
 * places.
 */
function sameSignature(a: Graph, b: Graph): boolean {
  const [x, y] = [a.placeholders(), b.placeholders()];
  if (x.length !== y.length || !x.every((node, i) => sameValueType(node.meta.val, y[i]!.meta.val)))
    return false;
  return resultsOf(a).length === resultsOf(b).length;
}

/** Tensors of one dtype and shape, or numbers of one kind. */
function sameValueType(a: MetaValue | undefined, b: MetaValue | undefined): boolean {
  if (a instanceof FakeTensor)
    return b instanceof FakeTensor && a.dtype === b.dtype && shapeText(a) === shapeText(b);
  if (b instanceof FakeTensor || Array.isArray(a) || Array.isArray(b)) return false;
  const kindOf = (value: MetaValue | undefined): unknown =>
    typeof value === "object" && value !== null && "kind" in value ? value.kind : undefined;
  return kindOf(a) !== undefined && kindOf(a) === kindOf(b);
}

/** Returns the same for several results. */
function sameResultType(a: MetaValue | undefined, b: MetaValue | undefined): boolean {
  if (!Array.isArray(a)) return (a === undefined && b === undefined) || sameValueType(a, b);
  return (
    Array.isArray(b) &&
    a.length === b.length &&
    a.every((item, i) => item === b[i] || sameResultType(item as MetaValue, b[i] as MetaValue))
  );
}

const shapeText = ({ shape }: FakeTensor): string => shape.map((size) => printExpr(size)).join(",");
