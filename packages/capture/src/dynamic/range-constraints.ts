/** @file The ranges that a program declares (`make_constraints`). */
import { FakeTensor } from "@sconce/ir";
import {
  freeSymbols,
  type IntLike,
  intersectRanges,
  isPoint,
  printExpr,
  SymExpr,
  type ValueRange,
} from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { dimSpecs, isEmptySpec } from "./check-shapes.js";
import { isNamedDim } from "./dim.js";
import { type DimHint, isDimHint } from "./dim-hint.js";
import { constraintViolation } from "./errors.js";
import { type FakeInput, type FakeInputs, rangeText } from "./fake-inputs.js";

/** Ranges by the printed size: `s77`, `2*s39`. */
type RangeConstraints = ReadonlyMap<string, ValueRange>;

/** What {@link rangeConstraints} finds. */
export interface RangeReport {
  readonly ranges: RangeConstraints;
  readonly warnings: readonly string[];
}

const NATURAL: ValueRange = { min: 0, max: Infinity };
const noneText = (value: number | undefined): string => (value === undefined ? "None" : String(value));

/**
 * Returns the ranges of all sizes of the inputs and of data-dependent symbols.
 *
 * @param unbacked symbols that the trace made for values of tensors
 * @param isStrict whether the ranges have these symbols twice: a strict export traces the model
 * once more, and keeps what it found of the symbols of the first trace
 * @throws SconceError `CONSTRAINT_VIOLATION` where a hint's bounds exclude what the program needs
 */
export function rangeConstraints(
  prepared: FakeInputs,
  unbacked: readonly SymExpr[] = [],
  isStrict = false,
): RangeReport {
  const maker = new RangeMaker(prepared);
  for (const s of unbacked) maker.set(printExpr(s), symbolRange(prepared.env, s));
  if (isStrict) {
    // The second trace has the symbols of inputs from the first.
    const late = unbacked.filter(({ name }) => !prepared.sources.has(name));
    const names = secondNames(late.map(printExpr), unbacked.map(printExpr));
    late.forEach((s, i) => {
      maker.set(names[i]!, symbolRange(prepared.env, s));
    });
  }
  if (!isEmptySpec(prepared.dynamicShapes)) maker.addInputs();
  return maker.finish();
}

/** Returns the range of a symbol; that of a float says so, since its infinities print otherwise. */
function symbolRange(env: FakeInputs["env"], value: SymExpr): ValueRange & { readonly float?: boolean } {
  const isFloat = value.assumptions.every(([assumption]) => assumption !== "integer");
  return isFloat ? { ...env.rangeOf(value), float: true } : env.rangeOf(value);
}

/** Names with further numbers: `u0` and `u1` become `u2` and `u3`. */
function secondNames(names: readonly string[], taken: readonly string[]): string[] {
  const baseOf = (name: string): string => name.replace(/\d+$/, "");
  const counts = new Map<string, number>();
  for (const name of taken) {
    const base = baseOf(name);
    counts.set(base, Math.max(counts.get(base) ?? 0, Number(name.slice(base.length)) + 1));
  }
  return names.map((name) => {
    const base = baseOf(name);
    const number = counts.get(base)!;
    counts.set(base, number + 1);
    return `${base}${number}`;
  });
}

class RangeMaker {
  readonly #prepared: FakeInputs;
  readonly #ranges = new Map<string, ValueRange>();
  readonly #free = new Map<string, SymExpr>();
  readonly #conflicts: string[] = [];
  readonly #warnings: string[] = [];

  constructor(prepared: FakeInputs) {
    this.#prepared = prepared;
  }

  set(name: string, range: ValueRange): void {
    this.#ranges.set(name, range);
  }

  addInputs(): void {
    for (const input of this.#prepared.inputs) this.#addInput(input);
  }

  #addInput({ fake, spec, value, path }: FakeInput): void {
    const { env } = this.#prepared;
    if (fake instanceof SymExpr) {
      const size = env.replace<IntLike>(fake);
      if (typeof size === "number") return;
      this.#narrow(size, env.range(fake));
      if (isDimHint(spec)) this.#checkHint(size, spec, value as number, path);
      for (const [name, s] of freeSymbols(size)) this.#free.set(name, s);
    }
    if (!(fake instanceof FakeTensor) || !(value instanceof Tensor)) return;
    const specs = dimSpecs(spec, fake.shape.length);
    fake.shape.forEach((original, dim) => {
      const size = env.replace(original);
      const given = specs.get(dim);
      if (size instanceof SymExpr) {
        this.#narrow(size, isNamedDim(given) ? given : env.range(size));
        for (const [name, s] of freeSymbols(size)) this.#free.set(name, s);
      }
      if (isDimHint(given)) this.#checkHint(size, given, value.shape[dim]!, `${path}.shape[${dim}]`);
    });
  }

  /** Intersects with what is known; the ends of different declarations may exclude each other. */
  #narrow(size: SymExpr, { min, max }: ValueRange): void {
    const name = printExpr(size);
    const known = this.#ranges.get(name) ?? NATURAL;
    const both = intersectRanges(known, { min, max });
    if (both === undefined)
      throw constraintViolation(
        `the ranges declared for ${name} exclude each other: ${rangeText(known)} and ${rangeText({ min, max })}`,
        "give the same bounds to sizes that are equal",
      );
    this.#ranges.set(name, both);
  }

  #checkHint(size: IntLike, hint: DimHint, example: number, path: string): void {
    const traced = typeof size === "number" ? { min: size, max: size } : this.#ranges.get(printExpr(size))!;
    const isTrivial = example === 0 || example === 1;
    if (hint.kind === "AUTO" && isPoint(traced) && isTrivial)
      this.#warnings.push(
        `dimension ${path} 0/1 specialized; Dim.AUTO was specified along with a sample input with hint = ${example}. Pass an example size of 2 or more to keep it dynamic.`,
      );
    const both = intersectRanges(traced, { min: hint.min ?? 0, max: hint.max ?? Infinity });
    if (both === undefined) {
      this.#conflicts.push(
        `- Received user-specified min/max range of [${noneText(hint.min)}, ${noneText(hint.max)}], conflicting with the inferred min/max range of ${rangeText(traced)}, for ${path}.`,
      );
      return;
    }
    if (size instanceof SymExpr) {
      this.#ranges.set(printExpr(size), both);
      if (size.op === "Symbol") this.#prepared.env.setRange(size, both);
    }
    if (hint.kind !== "DYNAMIC" || !isPoint(both)) return;
    const received = `- Received user-specified dim hint Dim.DYNAMIC(min=${noneText(hint.min)}, max=${noneText(hint.max)}), but`;
    this.#conflicts.push(
      isPoint(traced) && isTrivial
        ? `${received} export 0/1 specialized due to hint of ${example} for dimension ${path}.`
        : `${received} tracing inferred a static shape of ${both.min} for dimension ${path}.`,
    );
  }

  finish(): RangeReport {
    if (this.#conflicts.length > 0)
      throw constraintViolation(
        `Found the following conflicts between user-specified ranges and inferred ranges from model tracing:\n${this.#conflicts.join("\n")}`,
        "pass example sizes of 2 or more, widen the bounds, or use Dim.AUTO",
      );
    for (const [name, s] of this.#free)
      if (!this.#ranges.has(name)) this.#ranges.set(name, this.#prepared.env.range(s));
    return { ranges: this.#ranges, warnings: this.#warnings };
  }
}
