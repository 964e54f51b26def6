/**
 * @file Compares a pattern with the nodes of a graph, with backtracking over operands that may
 * change places.
 */
import {
  type Argument,
  FakeTensor,
  isFloat,
  isInt,
  isList,
  isRef,
  isTuple,
  type Node,
  ref,
  toNumber,
} from "@sconce/ir";
import { argumentText } from "@sconce/ir/text";
import type { OperatorTable } from "@sconce/ops";
import { sameArgument } from "../graphs/same-argument.js";
import type { CallPattern, ListPattern, Pattern } from "./pattern.js";
import { patternText } from "./pattern.js";
import type { WorkGraph } from "./work-graph.js";

/**
 * What a pattern found: captured arguments and named nodes, and all covered nodes, inner ones
 * first.
 */
export interface Found {
  readonly captures: ReadonlyMap<string, Argument>;
  readonly named: ReadonlyMap<string, Node>;
  readonly nodes: readonly Node[];
}

/** Why a pattern does not match: the reason that was found deepest in it. */
export interface Miss {
  readonly reason: string;
  /** How many calls matched before it. */
  readonly depth: number;
}

interface State {
  readonly captures: ReadonlyMap<string, Argument>;
  readonly named: ReadonlyMap<string, Node>;
  readonly nodes: readonly Node[];
}

/** Tries what is left to match with the state so far; undefined when that fails. */
type Next = (state: State) => State | undefined;

const START: State = { captures: new Map(), named: new Map(), nodes: [] };

/** Compares patterns with one version of a graph. */
export class Matcher {
  readonly #graph: WorkGraph;
  readonly #operators: OperatorTable;
  /** The deepest failure since {@link match} began; kept only when somebody asks for reasons. */
  #miss: Miss | undefined;
  readonly #explains: boolean;

  constructor(graph: WorkGraph, operators: OperatorTable, explains = false) {
    this.#graph = graph;
    this.#operators = operators;
    this.#explains = explains;
  }

  /** The match of a call pattern at a node, which may continue another. */
  match(pattern: CallPattern, node: Node, from: Found = START): Found | undefined {
    this.#miss = undefined;
    return this.#call(pattern, node, from, (state) => state);
  }

  /** Why the last {@link match} gave nothing. */
  get miss(): Miss | undefined {
    return this.#miss;
  }

  #fail(state: State, reason: () => string): undefined {
    if (this.#explains && (this.#miss === undefined || state.nodes.length >= this.#miss.depth))
      this.#miss = { reason: reason(), depth: state.nodes.length };
    return undefined;
  }

  #call(pattern: CallPattern, node: Node, state: State, next: Next): State | undefined {
    if (node.op !== "call_function" || !pattern.targets.includes(node.target))
      return this.#fail(
        state,
        () => `%${node.name} is ${described(node)}, not ${pattern.targets.join(" or ")}`,
      );
    const known = this.#known(pattern.name, state);
    if (known !== undefined && !sameArgument(known, ref(node.name)))
      return this.#fail(
        state,
        () => `$${pattern.name} would be both ${this.#described(known)} and %${node.name}`,
      );
    const named = pattern.name === undefined ? state.named : new Map(state.named).set(pattern.name, node);
    // Covered nodes are listed operands first, as they stand in the graph; one that two calls of
    // the pattern are, once.
    const finish: Next = (inner) =>
      next(inner.nodes.includes(node) ? inner : { ...inner, nodes: [...inner.nodes, node] });
    const pairs = this.#pairs(pattern, node, { ...state, named });
    if (pairs === undefined) return undefined;
    const straight = this.#all(pairs, 0, { ...state, named }, finish);
    if (straight !== undefined || !this.#commutes(node, pairs)) return straight;
    const [[first, a], [second, b], ...others] = pairs as [Pair, Pair, ...Pair[]];
    return this.#all([[first, b], [second, a], ...others], 0, { ...state, named }, finish);
  }

  /**
   * Patterns with the arguments that they are compared with; parameters left out are compared with
   * their defaults.
   */
  #pairs(pattern: CallPattern, node: Node, state: State): readonly Pair[] | undefined {
    const schema = this.#operators.schemaOf(node.target);
    if (schema === undefined) return this.#plainPairs(pattern, node, state);
    const pairs: Pair[] = [];
    let position = 0;
    for (const parameter of schema.args) {
      const byPosition = !parameter.kwargOnly && position < node.args.length;
      const given = byPosition ? node.args[position] : node.kwargs[parameter.name];
      const value = given === undefined ? (parameter.defaultValue ?? null) : given;
      const item =
        !parameter.kwargOnly && position < pattern.args.length
          ? pattern.args[position]
          : pattern.kwargs.get(parameter.name);
      if (!parameter.kwargOnly) position++;
      if (item !== undefined) pairs.push([item, value as Argument]);
      else if (!pattern.open && given !== undefined && !sameLiteral(given, parameter.defaultValue ?? null))
        return this.#fail(state, () => `%${node.name} has ${parameter.name}=${argumentText(given)}`);
    }
    return pairs;
  }

  /** Python's own functions have no schema. */
  #plainPairs(pattern: CallPattern, node: Node, state: State): readonly Pair[] | undefined {
    const longer = node.args.length > pattern.args.length && !pattern.open;
    if (node.args.length < pattern.args.length || longer)
      return this.#fail(state, () => `%${node.name} has ${node.args.length} arguments`);
    return pattern.args.map((item, i) => [item, node.args[i]!] as const);
  }

  /** Operands of a commutative call may change places, unless one of them is scaled. */
  #commutes(node: Node, pairs: readonly Pair[]): boolean {
    if (pairs.length < 2 || node.kwargs["alpha"] !== undefined) return false;
    return this.#operators.tagsOf(node.target).includes("commutative");
  }

  #all(pairs: readonly Pair[], at: number, state: State, next: Next): State | undefined {
    if (at === pairs.length) return next(state);
    const [pattern, value] = pairs[at]!;
    return this.#one(pattern, value, state, (after) => this.#all(pairs, at + 1, after, next));
  }

  #one(pattern: Pattern, value: Argument, state: State, next: Next): State | undefined {
    switch (pattern.kind) {
      case "any":
        return this.#capture(pattern.name, value, state, next);
      case "literal":
        return sameLiteral(value, pattern.value)
          ? next(state)
          : this.#fail(state, () => `${this.#described(value)} is not ${argumentText(pattern.value)}`);
      case "list":
        return this.#list(pattern, value, state, next);
      case "call": {
        const node = isRef(value) ? this.#graph.find(value.name) : undefined;
        return node === undefined
          ? this.#fail(
              state,
              () => `${this.#described(value)} is not a call of ${pattern.targets.join(" or ")}`,
            )
          : this.#call(pattern, node, state, next);
      }
    }
  }

  #capture(name: string | undefined, value: Argument, state: State, next: Next): State | undefined {
    if (name === undefined) return next(state);
    const { captures } = state;
    const known = this.#known(name, state);
    if (known !== undefined && !sameArgument(known, value))
      return this.#fail(
        state,
        () => `$${name} would be both ${this.#described(known)} and ${this.#described(value)}`,
      );
    return next(captures.has(name) ? state : { ...state, captures: new Map(captures).set(name, value) });
  }

  /** What a name stands for already: a capture, or a node that is called so. */
  #known(name: string | undefined, { captures, named }: State): Argument | undefined {
    if (name === undefined) return undefined;
    const node = named.get(name);
    return node === undefined ? captures.get(name) : ref(node.name);
  }

  #list(pattern: ListPattern, value: Argument, state: State, next: Next): State | undefined {
    const items = isTuple(value) ? value.items : isList(value) ? value : undefined;
    const least = fewest(pattern.items);
    const most = least === pattern.items.length ? least : Number.POSITIVE_INFINITY;
    if (items === undefined || items.length < least || items.length > most)
      return this.#fail(state, () => `${this.#described(value)} is not ${patternText(pattern)}`);
    return this.#items(pattern.items, items, state, next);
  }

  /**
   * Items with patterns of which some take any number: as few as they can, all that is left for the
   * last.
   */
  #items(
    patterns: readonly Pattern[],
    items: readonly Argument[],
    state: State,
    next: Next,
  ): State | undefined {
    const [first, ...others] = patterns;
    if (first === undefined) return next(state);
    if (first.kind !== "any" || !first.many)
      return this.#one(first, items[0]!, state, (after) => this.#items(others, items.slice(1), after, next));
    const least = fewest(others);
    const most = items.length - least;
    for (let count = least === others.length ? most : 0; count <= most; count++) {
      const rest: Next = (after) => this.#items(others, items.slice(count), after, next);
      const found = this.#capture(first.name, items.slice(0, count), state, rest);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #described(value: Argument): string {
    if (!isRef(value)) return argumentText(value);
    const node = this.#graph.find(value.name);
    return node === undefined ? `%${value.name}` : `%${node.name} (${described(node)})`;
  }
}

/** How many items a list must have at least. */
const fewest = (patterns: readonly Pattern[]): number =>
  patterns.filter((item) => item.kind !== "any" || !item.many).length;

type Pair = readonly [pattern: Pattern, value: Argument];

const described = (node: Node): string => {
  if (node.op !== "call_function") return node.op === "placeholder" ? "an input" : node.op;
  const { val } = node.meta;
  return val instanceof FakeTensor && val.ndim === 0 ? `${node.target}, a 0-d tensor` : node.target;
};

/** Equality with a literal of a pattern or schema: an int stands for the float of its value too. */
function sameLiteral(value: Argument, literal: Argument): boolean {
  if (sameArgument(value, literal)) return true;
  if (isList(value) || isTuple(value)) {
    const [left, right] = [isTuple(value) ? value.items : value, isTuple(literal) ? literal.items : literal];
    return (
      isList(right) && left.length === right.length && left.every((item, i) => sameLiteral(item, right[i]!))
    );
  }
  return isInt(literal) && isFloat(value) && Object.is(toNumber(value), Number(literal));
}
