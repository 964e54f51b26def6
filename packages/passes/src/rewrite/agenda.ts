/** @file What is left to match, and which of it is known to fail. */
import { type Argument, isRef, type Node } from "@sconce/ir";
import { argumentText } from "@sconce/ir/text";
import type { Pattern } from "./pattern.js";

interface Items {
  readonly kind: "items";
  readonly patterns: readonly Pattern[];
  /** The first pattern that is left. */
  readonly pattern: number;
  readonly items: readonly Argument[];
  /** The first item that is left. */
  readonly item: number;
}

/** One thing that has to hold. */
export type Goal =
  /** The pattern matches the value. */
  | { readonly kind: "one"; readonly pattern: Pattern; readonly value: Argument }
  /** The rest of a list's patterns, of which some take any number of items, match its items. */
  | Items
  /** The same, where the first of those patterns takes so many items. */
  | (Omit<Items, "kind"> & { readonly kind: "take"; readonly count: number })
  /** The operands of a node match: it is covered. */
  | { readonly kind: "cover"; readonly node: Node };

/** Goals in order. */
export interface Agenda {
  readonly goal: Goal;
  readonly rest: Agenda | undefined;
}

/** What names represent. */
export interface Bound {
  readonly captures: ReadonlyMap<string, Argument>;
  readonly named: ReadonlyMap<string, Node>;
}

/**
 * Remembers which goals cannot be met: whether they can depends on what those names represent that
 * occur in them, and on nothing else.
 */
export class DeadEnds {
  readonly #known = new Set<string>();
  readonly #ids = new Map<string, number>();
  readonly #agendas = new Map<Agenda, { readonly id: number; readonly names: ReadonlySet<string> }>();
  readonly #objects = new Map<object, number>();

  has(agenda: Agenda | undefined, bound: Bound): boolean {
    return this.#known.has(this.#key(agenda, bound));
  }
  add(agenda: Agenda | undefined, bound: Bound): void {
    this.#known.add(this.#key(agenda, bound));
  }

  #key(agenda: Agenda | undefined, { captures, named }: Bound): string {
    if (agenda === undefined) return "";
    const { id, names } = this.#facts(agenda);
    let key = String(id);
    for (const name of names) {
      const [node, value] = [named.get(name), captures.get(name)];
      if (node !== undefined) key += ` ${name}=%${node.name}`;
      else if (value !== undefined) key += ` ${name}=${this.#value(value)}`;
    }
    return key;
  }

  /** Agendas of the same goals have one number. */
  #facts(agenda: Agenda): { readonly id: number; readonly names: ReadonlySet<string> } {
    const open: Agenda[] = [];
    for (let at: Agenda | undefined = agenda; at !== undefined && !this.#agendas.has(at); at = at.rest)
      open.push(at);
    for (const one of open.reverse()) {
      const rest = one.rest === undefined ? undefined : this.#agendas.get(one.rest)!;
      const text = `${this.#goal(one.goal)} ${rest?.id ?? ""}`;
      const names = new Set(rest?.names);
      for (const pattern of patternsOf(one.goal)) namesIn(pattern, names);
      this.#agendas.set(one, { id: numberOf(this.#ids, text), names });
    }
    return this.#agendas.get(agenda)!;
  }
  #goal(goal: Goal): string {
    if (goal.kind === "cover") return `cover %${goal.node.name}`;
    if (goal.kind === "one") return `one ${numberOf(this.#objects, goal.pattern)} ${this.#value(goal.value)}`;
    const { patterns, items } = goal;
    const lists = `${numberOf(this.#objects, patterns)} ${numberOf(this.#objects, items)}`;
    const count = goal.kind === "take" ? goal.count : "";
    return `items ${lists} ${goal.pattern} ${goal.item} ${count}`;
  }
  #value(value: Argument): string {
    if (isRef(value)) return `%${value.name}`;
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? `object ${numberOf(this.#objects, value)}`
      : argumentText(value);
  }
}

function patternsOf(goal: Goal): readonly Pattern[] {
  if (goal.kind === "cover") return [];
  return goal.kind === "one" ? [goal.pattern] : goal.patterns.slice(goal.pattern);
}

function namesIn(pattern: Pattern, names: Set<string>): void {
  if ((pattern.kind === "any" || pattern.kind === "call") && pattern.name !== undefined)
    names.add(pattern.name);
  if (pattern.kind === "list") for (const item of pattern.items) namesIn(item, names);
  if (pattern.kind === "call")
    for (const item of [...pattern.args, ...pattern.kwargs.values()]) namesIn(item, names);
}

function numberOf<Key>(numbers: Map<Key, number>, key: Key): number {
  let number = numbers.get(key);
  if (number === undefined) {
    number = numbers.size;
    numbers.set(key, number);
  }
  return number;
}
