/** @file Sizes within the declared ranges that break what a program requires. */
import { FakeTensor } from "@sconce/ir";
import { evaluate, freeSymbols, SymExpr, type SymValue } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { dimSpecs } from "./check-shapes.js";
import { isNamedDim } from "./dim.js";
import { isDimHint } from "./dim-hint.js";
import { type FakeInput, type FakeInputs, sizeSource } from "./fake-inputs.js";
import type { Requirement } from "./produce-guards.js";

/** Sizes that a specification admits and a program refuses. */
export interface Counterexample {
  /** The sizes of all inputs, by source: `L['x'].size()[0]`. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Values of the dims that differ from the example's, by name: `batch = 3`. */
  readonly dims: ReadonlyMap<string, number>;
}

/** A number that may be chosen freely: a dim with a name, or a size with a hint. */
export interface Variable {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly example: number;
}

/** A size as a function of a variable; without one it is the example's. */
interface Size {
  readonly variable: string | undefined;
  readonly factor: number;
  readonly offset: number;
}

/** How many values of one variable are tried nearest to the example. */
const NEAR = 96;
/** How many combinations of two variables are tried. */
const MOST = 40_000;

/** Searches counterexamples for one set of inputs. */
export class CounterexampleSearch {
  readonly #variables = new Map<string, Variable>();
  readonly #sizes = new Map<string, Size>();
  readonly #sourceOf: (symbol: string) => string;

  /**
   * @param inputs the inputs, with their specifications
   * @param sourceOf the size that a symbol represents after the trace, or the name of its dim
   */
  constructor({ inputs }: FakeInputs, sourceOf: (symbol: string) => string) {
    this.#sourceOf = sourceOf;
    for (const input of inputs) this.#addInput(input);
  }

  #addInput({ source, value, spec, fake }: FakeInput): void {
    if (fake instanceof SymExpr && isDimHint(spec)) this.#addHint(source, spec, value as number, -Infinity);
    if (!(fake instanceof FakeTensor) || !(value instanceof Tensor)) return;
    const specs = dimSpecs(spec, value.shape.length);
    value.shape.forEach((example, dim) => {
      const given = specs.get(dim);
      const name = sizeSource(source, dim);
      if (isDimHint(given) && given.kind !== "STATIC") this.#addHint(name, given, example, 0);
      else if (isNamedDim(given)) {
        const { root, factor, offset } = given;
        this.#sizes.set(name, { variable: root.name, factor, offset });
        const start = (example - offset) / factor;
        this.#variables.set(root.name, { name: root.name, min: root.min, max: root.max, example: start });
      } else this.#sizes.set(name, { variable: undefined, factor: 0, offset: example });
    });
  }

  #addHint(
    name: string,
    { min, max }: { min: number | undefined; max: number | undefined },
    example: number,
    least: number,
  ): void {
    this.#sizes.set(name, { variable: name, factor: 1, offset: 0 });
    this.#variables.set(name, { name, min: min ?? least, max: max ?? Infinity, example });
  }

  /** Sizes for which a requirement does not hold; undefined when none were found. */
  find(requirement: Requirement): Counterexample | undefined {
    const names = this.#relevant(requirement);
    const variables = [...names].map((name) => this.#variables.get(name)!).slice(0, 2);
    const [first, second] = variables;
    if (first === undefined) return undefined;
    const numbers = constantsOf(requirement);
    const others = second === undefined ? [undefined] : candidates(second, numbers);
    let tries = 0;
    let last: Counterexample | undefined;
    for (const b of others) {
      for (const a of candidates(first, numbers)) {
        if (++tries > MOST) return last;
        const chosen = new Map([[first.name, a]]);
        if (second !== undefined) chosen.set(second.name, b!);
        const sizes = this.#assign(chosen);
        if (sizes !== undefined && this.#fails(requirement, sizes, chosen)) {
          const found = { sizes, dims: this.#changes(chosen) };
          // Sizes of 0 and 1 break what every program requires.
          if (![...sizes].some(([source, size]) => size < 2 && this.#isChosen(source, chosen))) return found;
          last ??= found;
        }
      }
    }
    return last;
  }

  #isChosen(source: string, chosen: ReadonlyMap<string, number>): boolean {
    const variable = this.#sizes.get(source)?.variable;
    return variable !== undefined && chosen.has(variable);
  }

  /** Returns the variables that differ from the example. */
  #changes(chosen: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const values = [...this.#variables.values()].map(
      (variable) => [variable, chosen.get(variable.name) ?? nearest(variable)] as const,
    );
    return new Map(
      values.filter(([{ example }, value]) => value !== example).map(([{ name }, value]) => [name, value]),
    );
  }

  #relevant(requirement: Requirement): ReadonlySet<string> {
    const sources = new Set<string>([requirement.source]);
    const found = new Set<string>();
    if (requirement.kind === "equal")
      for (const name of freeSymbols(requirement.value).keys()) {
        const source = this.#sourceOf(name);
        if (this.#sizes.has(source)) sources.add(source);
        else found.add(source);
      }
    for (const source of sources) {
      const variable = this.#sizes.get(source)?.variable;
      if (variable !== undefined) found.add(variable);
    }
    return new Set([...found].filter((name) => this.#variables.has(name)));
  }

  /** Returns all sizes for a choice of variables; undefined if one is negative. */
  #assign(chosen: ReadonlyMap<string, number>): ReadonlyMap<string, number> | undefined {
    const sizes = new Map<string, number>();
    for (const [source, { variable, factor, offset }] of this.#sizes) {
      const root =
        variable === undefined ? 0 : (chosen.get(variable) ?? nearest(this.#variables.get(variable)!));
      const size = factor * root + offset;
      if (variable !== undefined && source.includes(".size()") && size < 0) return undefined;
      sizes.set(source, size);
    }
    return sizes;
  }

  #fails(
    requirement: Requirement,
    sizes: ReadonlyMap<string, number>,
    chosen: ReadonlyMap<string, number>,
  ): boolean {
    const bindings = new Map<string, number>();
    const value: SymValue = requirement.kind === "equal" ? requirement.value : requirement.condition;
    for (const name of freeSymbols(value).keys()) {
      const source = requirement.kind === "condition" ? requirement.source : this.#sourceOf(name);
      const size = sizes.get(source) ?? chosen.get(source);
      if (size !== undefined) bindings.set(name, size);
    }
    try {
      return requirement.kind === "equal"
        ? evaluate(requirement.value, bindings) !== sizes.get(requirement.source)
        : evaluate(requirement.condition, bindings) === false;
    } catch {
      return false;
    }
  }
}

/**
 * Returns the example, or the bound next to it: an example of 0 or 1 may lie outside of the bounds.
 */
const nearest = ({ min, max, example }: Variable): number => Math.min(Math.max(example, min), max);

/** Numbers that a requirement mentions: it often changes its truth next to them. */
const constantsOf = (requirement: Requirement): readonly number[] =>
  numbersIn(requirement.kind === "equal" ? requirement.value : requirement.condition);

/** Returns the integers of an expression. */
export function numbersIn(value: SymValue): readonly number[] {
  if (!(value instanceof SymExpr)) return [];
  return [...(value.op === "Integer" ? [Number(value.value)] : []), ...value.args.flatMap(numbersIn)];
}

/** Values of a variable to try: the nearest to the example first, sizes of 0 and 1 last. */
export function candidates({ min, max, example }: Variable, constants: readonly number[]): readonly number[] {
  const values = new Set<number>();
  const add = (value: number): void => {
    if (Number.isSafeInteger(value) && value >= min && value <= max) values.add(value);
  };
  for (let d = 0; d <= NEAR; d++) {
    add(example - d);
    add(example + d);
  }
  for (const constant of constants) for (const d of [-1, 0, 1]) add(Math.abs(constant) + d);
  for (const end of [min, max]) for (const d of [-1, 0, 1]) add(end + d);
  for (const scale of [2, 10, 1000]) add(example * scale + 1);
  const rank = (value: number): number => (value === 0 || value === 1 ? 1 : 0);
  return [...values].sort((a, b) => rank(a) - rank(b) || Math.abs(a - example) - Math.abs(b - example));
}
