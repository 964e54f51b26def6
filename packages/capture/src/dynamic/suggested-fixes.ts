/** @file Changes of a specification that a program requires (`prettify_results`). */
import { asLinear, type IntLike, printExpr, SymExpr, symbol } from "@sconce/symbolic";
import { isDerived, isNamedDim, linearSize, type NamedDim, parseLinear } from "./dim.js";
import type { SizeResult } from "./dim-constraints.js";
import { isDimHint } from "./dim-hint.js";
import { containerOf } from "./tree.js";

/** What one dim has to become. */
export type SuggestedFix =
  | {
      readonly name: string;
      readonly kind: "bounds";
      readonly min: number | undefined;
      /** Infinite for a new root without a bound, which PyTorch writes as `oo`. */
      readonly max: number | undefined;
    }
  | { readonly name: string; readonly kind: "constant"; readonly value: number }
  | { readonly name: string; readonly kind: "formula"; readonly value: SymExpr };

/** Returns all dims of a specification by name, and the roots of derived ones. */
export function namedDims(spec: unknown): Map<string, NamedDim> {
  const found = new Map<string, NamedDim>();
  const visit = (value: unknown): void => {
    if (isNamedDim(value)) {
      found.set(value.name, value);
      if (isDerived(value)) found.set(value.root.name, value.root);
    } else if (!isDimHint(value)) containerOf(value)?.children.forEach(visit);
  };
  visit(spec);
  return found;
}

/** What is known of one name: a value, or bounds. */
interface Result {
  equal?: IntLike;
  min?: number;
  max?: number;
}

type Names = ReadonlyMap<string, string>;

/**
 * Returns the fixes for a specification, in PyTorch's order: bounds first, then constants and
 * formulas, each by the size that it concerns.
 */
export function suggestFixes(
  results: readonly SizeResult[],
  debugNames: Names,
  sources: (symbol: string) => string,
  spec: unknown,
): readonly SuggestedFix[] {
  if (debugNames.size === 0) return [];
  const table = readResults(results, debugNames, sources);
  const dims = namedDims(spec);
  new RootResolver(table, dims).resolve();
  const names = [...table.keys()];
  const order = new Map(names.map((name) => [name, sourceText(name, debugNames)]));
  names.sort((a, b) => (order.get(a)! < order.get(b)! ? -1 : order.get(a)! > order.get(b)! ? 1 : 0));
  const fixes = names.flatMap((name) => fixOf(name, table.get(name)!));
  return [...fixes.filter((fix) => fix.kind === "bounds"), ...fixes.filter((fix) => fix.kind !== "bounds")];
}

/** Names of dims replaced by sizes: what PyTorch sorts by. */
const sourceText = (name: string, debugNames: Names): string =>
  [...debugNames].reduce((text, [source, debug]) => text.replaceAll(debug, () => source), name);

function readResults(
  results: readonly SizeResult[],
  debugNames: Names,
  sources: (symbol: string) => string,
): Map<string, Result> {
  const table = new Map<string, Result>();
  for (const { source, equal, min, max } of results) {
    const name = debugNames.get(source) ?? source;
    const formula = equal === undefined ? undefined : inDims(equal, debugNames, sources);
    if (!debugNames.has(source) && formula?.isNamed !== true) continue;
    if (formula !== undefined && (formula.value === undefined || formula.text === name)) continue;
    const entry = table.get(name) ?? {};
    table.set(name, entry);
    if (formula?.value !== undefined) entry.equal = formula.value;
    if (min !== undefined) entry.min = min;
    if (max !== undefined) entry.max = max;
  }
  return table;
}

/** Returns an expression in terms of dims; the value is undefined where a size has no name. */
function inDims(value: IntLike, debugNames: Names, sources: (symbol: string) => string): InDims {
  if (typeof value === "number") return { value, isNamed: false, text: String(value) };
  const linear = asLinear(value);
  if (linear === undefined) return { value: undefined, isNamed: true, text: undefined };
  const { symbol: s, coefficient, offset } = linear;
  if (s.name.startsWith("_")) return { value, isNamed: true, text: undefined };
  const debug = debugNames.get(sources(s.name));
  const dim = debug === undefined ? undefined : parseLinear(debug);
  if (dim === undefined) return { value: undefined, isNamed: debug !== undefined, text: undefined };
  const root = linearSize(dim, symbol(dim.name));
  const text = value.op === "Symbol" ? debug : undefined;
  return { value: linearSize({ factor: coefficient, offset }, root), isNamed: true, text };
}

interface InDims {
  readonly value: IntLike | undefined;
  /** Whether a dim occurs. */
  readonly isNamed: boolean;
  /** The name, where the value is a dim as it was declared. */
  readonly text: string | undefined;
}

function fixOf(name: string, { equal, min, max }: Result): readonly SuggestedFix[] {
  if (typeof equal === "number") return [{ name, kind: "constant", value: equal }];
  if (equal !== undefined) return isIncreasing(equal) ? [{ name, kind: "formula", value: equal }] : [];
  return [{ name, kind: "bounds", min: min === 2 ? undefined : min, max }];
}

const isIncreasing = (value: SymExpr): boolean => asLinear(value) !== undefined;

/** PyTorch's text of a fix: `dx = Dim('dx', max=5)`. */
export function fixText(fix: SuggestedFix): string {
  const { name } = fix;
  if (fix.kind === "constant") return `${name} = ${fix.value}`;
  if (fix.kind === "formula") return `${name} = ${printExpr(fix.value)}`;
  const parts = [`'${name}'`];
  if (fix.min !== undefined) parts.push(`min=${fix.min}`);
  if (fix.max !== undefined) parts.push(`max=${fix.max === Infinity ? "oo" : fix.max}`);
  return `${name} = Dim(${parts.join(", ")})`;
}

/** Returns a fix as TypeScript: `const dx = Dim("dx", { max: 5 });`. */
export function fixCode(fix: SuggestedFix): string {
  const { name } = fix;
  if (fix.kind === "constant") return `use ${fix.value} for ${name}`;
  if (fix.kind === "formula") return `use ${formulaCode(fix.value, String)} for ${name}`;
  return `const ${name} = ${dimCode(fix)}`;
}

/** Returns a dim as TypeScript: `Dim("dx", { max: 5 })`. */
export function dimCode({
  name,
  min,
  max,
}: Pick<SuggestedFix & { kind: "bounds" }, "name" | "min" | "max">): string {
  const bounds = [
    ...(min === undefined || min === 0 ? [] : [`min: ${min}`]),
    ...(max === undefined || max === Infinity ? [] : [`max: ${max}`]),
  ];
  const options = bounds.length === 0 ? "" : `, { ${bounds.join(", ")} }`;
  return `Dim(${JSON.stringify(name)}${options})`;
}

/** Returns a linear formula as TypeScript: `dx.mul(2).add(1)`. */
export function linearCode(root: string, factor: number, offset: number): string {
  const scaled = factor === 1 ? root : `${root}.mul(${factor})`;
  return offset === 0 ? scaled : `${scaled}.${offset > 0 ? "add" : "sub"}(${Math.abs(offset)})`;
}

/** Returns the formula of a fix as TypeScript. */
export function formulaCode(formula: SymExpr, rootCode: (name: string) => string): string {
  const { symbol: root, coefficient, offset } = asLinear(formula)!;
  return linearCode(rootCode(root.name), coefficient, offset);
}

/** Expresses results by roots only: new roots of multiples, and roots that fixes swap. */
class RootResolver {
  readonly #table: Map<string, Result>;
  readonly #dims: Map<string, NamedDim>;

  constructor(table: Map<string, Result>, dims: Map<string, NamedDim>) {
    this.#table = table;
    this.#dims = dims;
  }

  resolve(): void {
    const introduced = this.#introduceRoots();
    for (const old of introduced.values()) this.#unify(old);
    const modified = this.#modifiedRoots();
    for (const name of introduced.keys()) modified.delete(name);
    const values = new Map<string, Result>();
    for (const name of modified) this.#evaluateRoot(name, values);
    for (const name of [...this.#table.keys()]) {
      const dim = this.#dims.get(name);
      if (dim === undefined || introduced.has(name)) continue;
      if (isDerived(dim) || modified.has(name)) this.#table.delete(name);
    }
    for (const [name, value] of values) this.#table.set(name, value);
  }

  /** `dx = 3*_dx + 1` within [4, 10] becomes `_dx` within [1, 3]. */
  #introduceRoots(): Map<string, string> {
    const introduced = new Map<string, string>();
    for (const [name, result] of [...this.#table]) {
      const linear = result.equal instanceof SymExpr ? asLinear(result.equal) : undefined;
      if (linear === undefined || this.#dims.has(linear.symbol.name)) continue;
      const { coefficient, offset } = linear;
      const min = Math.ceil(((result.min ?? 2) - offset) / coefficient);
      const max = Math.floor(((result.max ?? Infinity) - offset) / coefficient);
      delete result.min;
      delete result.max;
      if (min < max) {
        this.#table.set(linear.symbol.name, { min, max });
        introduced.set(linear.symbol.name, name);
      } else result.equal = min * coefficient + offset;
    }
    return introduced;
  }

  #unify(old: string): void {
    const replacement = asLinear(this.#table.get(old)!.equal!)!;
    for (const result of this.#table.values()) {
      const linear = result.equal instanceof SymExpr ? asLinear(result.equal) : undefined;
      if (linear?.symbol.name !== old) continue;
      const inner = linearSize(
        { factor: replacement.coefficient, offset: replacement.offset },
        replacement.symbol,
      );
      result.equal = linearSize({ factor: linear.coefficient, offset: linear.offset }, inner);
    }
  }

  #modifiedRoots(): Set<string> {
    const roots = new Set<string>();
    for (const [name, { equal, min, max }] of this.#table) {
      const dim = this.#dims.get(name);
      if (dim === undefined) continue;
      if (!isDerived(dim) && (min !== undefined || max !== undefined)) roots.add(name);
      else if (equal instanceof SymExpr) roots.add(asLinear(equal)!.symbol.name);
    }
    return roots;
  }

  #evaluateRoot(name: string, values: Map<string, Result>): void {
    const result = this.#table.get(name);
    if (
      result !== undefined &&
      (result.min !== undefined || result.max !== undefined || typeof result.equal === "number")
    ) {
      if (!this.#isUnchanged(result, name)) values.set(name, result);
      return;
    }
    for (const [other, { min, max }] of this.#table) {
      const dim = this.#dims.get(other);
      if (dim === undefined || !isDerived(dim) || dim.root.name !== name) continue;
      if (min === undefined && max === undefined) continue;
      const solve = (end: number | undefined): number | undefined =>
        end === undefined ? undefined : (end - dim.offset) / dim.factor;
      const root: Result = {};
      const [low, high] = [solve(min), solve(max)];
      if (low !== undefined) root.min = Math.ceil(low);
      if (high !== undefined) root.max = Math.floor(high);
      if (this.#isUnchanged(root, name)) continue;
      values.set(name, root);
      return;
    }
  }

  #isUnchanged({ min, max }: Result, name: string): boolean {
    const dim = this.#dims.get(name);
    if (dim === undefined || isDerived(dim) || (min === undefined && max === undefined)) return false;
    const least = min ?? 2;
    return ((dim.min < 2 && least === 2) || dim.min === least) && dim.max === (max ?? Infinity);
  }
}
