/**
 * @file Compares a pattern with the nodes of a graph, with backtracking over operands that may
 * change places. What was found to fail is not tried again.
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
import { type Agenda, type Bound, DeadEnds, type Goal } from "./agenda.js";
import { patternTooCostly } from "./errors.js";
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

interface State extends Bound {
  readonly nodes: readonly Node[];
}

/** What is left to do, and what is known then. */
interface Move {
  readonly agenda: Agenda | undefined;
  readonly state: State;
}
type Way = Move | readonly Move[] | undefined;

const START: State = { captures: new Map(), named: new Map(), nodes: [] };

/** Steps of one match after which dead ends are remembered; few matches take as many. */
const FEW_STEPS = 256;
/** Steps of one match at most. */
const MOST_STEPS = 20_000;

/** Compares patterns with one version of a graph. */
export class Matcher {
  readonly #graph: WorkGraph;
  readonly #operators: OperatorTable;
  /** The deepest failure since {@link match} began; kept only when something asks for reasons. */
  #miss: Miss | undefined;
  readonly #explains: boolean;
  #steps = 0;
  /** The pattern and the node of the present match. */
  #tried: readonly [CallPattern, Node] | undefined;
  #deadEnds = new DeadEnds();

  constructor(graph: WorkGraph, operators: OperatorTable, explains = false) {
    this.#graph = graph;
    this.#operators = operators;
    this.#explains = explains;
  }

  /**
   * Returns the match of a call pattern at a node, which may continue another.
   *
   * @throws SconceError `PATTERN_COST`
   */
  match(pattern: CallPattern, node: Node, from: Found = START): Found | undefined {
    this.#miss = undefined;
    if (this.#steps > FEW_STEPS) this.#deadEnds = new DeadEnds();
    this.#steps = 0;
    this.#tried = [pattern, node];
    return this.#follow(this.#call(pattern, node, from, undefined));
  }

  /** Why the last {@link match} gave nothing. */
  get miss(): Miss | undefined {
    return this.#miss;
  }

  /** Meets all goals of a way, or returns undefined. */
  #follow(given: Way): State | undefined {
    let way = given;
    for (;;) {
      if (way === undefined) return undefined;
      if (Array.isArray(way)) return this.#first(way as readonly Move[]);
      const { agenda, state } = way as Move;
      if (agenda === undefined) return state;
      way = this.#step(agenda.goal, state, agenda.rest);
    }
  }
  /** Returns the first of several ways that succeeds; those that are known to fail are left out. */
  #first(moves: readonly Move[]): State | undefined {
    for (const move of moves) {
      const { agenda, state } = move;
      if (++this.#steps > MOST_STEPS) throw this.#tooCostly();
      if (this.#steps > FEW_STEPS && this.#deadEnds.has(agenda, state)) continue;
      const found = this.#follow(move);
      if (found !== undefined) return found;
      if (this.#steps > FEW_STEPS) this.#deadEnds.add(agenda, state);
    }
    return undefined;
  }
  /**
   * Returns what is left to do after a goal: one way, or several; undefined where it cannot be met.
   */
  #step(goal: Goal, state: State, rest: Agenda | undefined): Way {
    switch (goal.kind) {
      case "one":
        return this.#one(goal.pattern, goal.value, state, rest);
      case "items":
        return this.#items(goal, state, rest);
      case "take": {
        const { patterns, pattern, items, item, count } = goal;
        const after: Agenda = {
          goal: { ...goal, kind: "items", pattern: pattern + 1, item: item + count },
          rest,
        };
        return this.#one(patterns[pattern]!, items.slice(item, item + count), state, after);
      }
      case "cover": {
        // Covered nodes are listed operands first, as they stand in the graph; one that two calls
        // of the pattern are, once.
        const { nodes } = state;
        const isListed = nodes.includes(goal.node);
        return { agenda: rest, state: isListed ? state : { ...state, nodes: [...nodes, goal.node] } };
      }
    }
  }

  #tooCostly(): Error {
    const [pattern, node] = this.#tried!;
    return patternTooCostly(patternText(pattern), node.name);
  }

  #fail(state: State, reason: () => string): undefined {
    if (this.#explains && (this.#miss === undefined || state.nodes.length >= this.#miss.depth))
      this.#miss = { reason: reason(), depth: state.nodes.length };
    return undefined;
  }

  #call(pattern: CallPattern, node: Node, state: State, rest: Agenda | undefined): Way {
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
    const inside = { ...state, named };
    const pairs = this.#pairs(pattern, node, inside);
    if (pairs === undefined) return undefined;
    const covered: Agenda = { goal: { kind: "cover", node }, rest };
    if (!this.#commutes(node, pairs)) return { agenda: goalsOf(pairs, covered), state: inside };
    const [[first, a], [second, b], ...others] = pairs as [Pair, Pair, ...Pair[]];
    const swapped: readonly Pair[] = [[first, b], [second, a], ...others];
    return [pairs, swapped].map((order) => ({ agenda: goalsOf(order, covered), state: inside }));
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

  #one(pattern: Pattern, value: Argument, state: State, rest: Agenda | undefined): Way {
    switch (pattern.kind) {
      case "any":
        return this.#capture(pattern.name, value, state, rest);
      case "literal":
        return sameLiteral(value, pattern.value)
          ? { agenda: rest, state }
          : this.#fail(state, () => `${this.#described(value)} is not ${argumentText(pattern.value)}`);
      case "list":
        return this.#list(pattern, value, state, rest);
      case "call": {
        const node = isRef(value) ? this.#graph.find(value.name) : undefined;
        return node === undefined
          ? this.#fail(
              state,
              () => `${this.#described(value)} is not a call of ${pattern.targets.join(" or ")}`,
            )
          : this.#call(pattern, node, state, rest);
      }
    }
  }

  #capture(name: string | undefined, value: Argument, state: State, rest: Agenda | undefined): Way {
    if (name === undefined) return { agenda: rest, state };
    const { captures } = state;
    const known = this.#known(name, state);
    if (known !== undefined && !sameArgument(known, value))
      return this.#fail(
        state,
        () => `$${name} would be both ${this.#described(known)} and ${this.#described(value)}`,
      );
    const isNew = !captures.has(name);
    return {
      agenda: rest,
      state: isNew ? { ...state, captures: new Map(captures).set(name, value) } : state,
    };
  }

  /** Returns what a name represents already: a capture, or a node that is called so. */
  #known(name: string | undefined, { captures, named }: State): Argument | undefined {
    if (name === undefined) return undefined;
    const node = named.get(name);
    return node === undefined ? captures.get(name) : ref(node.name);
  }

  #list(pattern: ListPattern, value: Argument, state: State, rest: Agenda | undefined): Way {
    const items = isTuple(value) ? value.items : isList(value) ? value : undefined;
    const least = fewest(pattern.items);
    const most = least === pattern.items.length ? least : Number.POSITIVE_INFINITY;
    if (items === undefined || items.length < least || items.length > most)
      return this.#fail(state, () => `${this.#described(value)} is not ${patternText(pattern)}`);
    return this.#items({ kind: "items", patterns: pattern.items, pattern: 0, items, item: 0 }, state, rest);
  }

  /**
   * Items with patterns of which some take any number: as few as they can, all that is left for the
   * last.
   */
  #items(goal: Extract<Goal, { kind: "items" }>, state: State, rest: Agenda | undefined): Way {
    const { patterns, pattern, items, item } = goal;
    const first = patterns[pattern];
    if (first === undefined) return { agenda: rest, state };
    if (first.kind !== "any" || !first.many) {
      const after: Agenda = { goal: { ...goal, pattern: pattern + 1, item: item + 1 }, rest };
      return this.#one(first, items[item]!, state, after);
    }
    const others = patterns.slice(pattern + 1);
    const least = fewest(others);
    const most = items.length - item - least;
    const moves: Move[] = [];
    for (let count = least === others.length ? most : 0; count <= most; count++)
      moves.push({ agenda: { goal: { ...goal, kind: "take", count }, rest }, state });
    return moves;
  }

  #described(value: Argument): string {
    if (!isRef(value)) return argumentText(value);
    const node = this.#graph.find(value.name);
    return node === undefined ? `%${value.name}` : `%${node.name} (${described(node)})`;
  }
}

/** Returns how many items a list must have at least. */
const fewest = (patterns: readonly Pattern[]): number =>
  patterns.filter((item) => item.kind !== "any" || !item.many).length;

/** Returns the pairs as goals, in order, before others. */
function goalsOf(pairs: readonly Pair[], rest: Agenda): Agenda {
  let agenda = rest;
  for (let at = pairs.length - 1; at >= 0; at--) {
    const [pattern, value] = pairs[at]!;
    const goal: Goal = { kind: "one", pattern, value };
    agenda = { goal, rest: agenda };
  }
  return agenda;
}

type Pair = readonly [pattern: Pattern, value: Argument];

const described = (node: Node): string => {
  if (node.op !== "call_function") return node.op === "placeholder" ? "an input" : node.op;
  const { val } = node.meta;
  return val instanceof FakeTensor && val.ndim === 0 ? `${node.target}, a 0-d tensor` : node.target;
};

/** Equality with a literal of a pattern or schema: an int represents the float of its value too. */
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
