/** @file What an expression always computes, and how much code it takes. */
import { partsOf, type Scalar } from "./scalar.js";

/**
 * Finds the parts of scalars that are computed whenever the scalar is: none that only one branch of
 * a choice computes, and none inside a reduction, which may have no elements.
 */
export class AlwaysComputed {
  readonly #known = new Map<Scalar, ReadonlySet<Scalar>>();

  /**
   * Returns the parts that are computed wherever this scalar is, itself included; parts come first.
   */
  of(scalar: Scalar): ReadonlySet<Scalar> {
    const known = this.#known.get(scalar);
    if (known !== undefined) return known;
    const found = new Set<Scalar>();
    for (const part of unconditional(scalar)) for (const one of this.of(part)) found.add(one);
    if (scalar.kind === "select") for (const one of this.inBoth(scalar)) found.add(one);
    found.add(scalar);
    this.#known.set(scalar, found);
    return found;
  }

  /** Returns what a choice computes whichever branch it takes, besides its condition. */
  inBoth({ then, otherwise }: Extract<Scalar, { kind: "select" }>): readonly Scalar[] {
    if (isLeaf(then) || isLeaf(otherwise)) return [];
    const other = this.of(otherwise);
    return [...this.of(then)].filter((one) => !isLeaf(one) && other.has(one));
  }
}
const isLeaf = ({ kind }: Scalar): boolean => kind === "constant" || kind === "index";
const unconditional = (scalar: Scalar): readonly Scalar[] => {
  if (scalar.kind === "select") return [scalar.condition];
  return scalar.kind === "reduce" ? [] : partsOf(scalar);
};

/** How large the code of an expression may become. */
export interface CodeLimits {
  /** Values that it computes. */
  readonly values: number;
  /** Choices among its values: code of both branches. */
  readonly choices: number;
  /** Branches and loops inside of each other: emitters write some of what is in them twice. */
  readonly nested: number;
}
/**
 * Returns whether the code of an expression stays within limits. A value is computed once in each
 * branch and in each loop that needs it, unless something around has computed it.
 */
export function fitsInto(root: Scalar, { values, choices, nested }: CodeLimits): boolean {
  const always = new AlwaysComputed();
  const scopes: Set<Scalar>[] = [new Set()];
  let left = values;
  let choicesLeft = choices;
  const inside = (scalar: Scalar): void => {
    if (scopes.length > nested) left = -1;
    scopes.push(new Set());
    walk(scalar);
    scopes.pop();
  };
  const walk = (scalar: Scalar): void => {
    if (left < 0 || scopes.some((scope) => scope.has(scalar))) return;
    left -= 1;
    if (scalar.kind === "select") {
      if (--choicesLeft < 0) left = -1;
      walk(scalar.condition);
      for (const part of always.inBoth(scalar)) walk(part);
      inside(scalar.then);
      inside(scalar.otherwise);
    } else if (scalar.kind === "reduce") for (const part of partsOf(scalar)) inside(part);
    else for (const part of partsOf(scalar)) walk(part);
    scopes.at(-1)!.add(scalar);
  };
  walk(root);
  return left >= 0;
}
