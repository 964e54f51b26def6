import { type ExportedProgram, FakeTensor, isSymScalar, type RangeConstraint } from "@sconce/ir";
import { freeSymbols, ShapeEnv, type SymEnv, SymExpr, symbol, symbolByName } from "@sconce/symbolic";

/**
 * A program's symbols while it is retraced: data-dependent ones come back under the names that they
 * had.
 */
export class RetraceEnv extends ShapeEnv {
  #expected: string[] = [];

  /** What decompositions ask. */
  get inDecompositions(): SymEnv {
    return this;
  }

  /**
   * Names of the symbols that the node being run created in the source program. They were numbered
   * as they were made; a call may return a later one first.
   */
  expect(names: readonly string[]): void {
    this.#expected = names.toSorted((a, b) => numberOf(a) - numberOf(b));
  }

  override freshUnbackedInt(): SymExpr {
    const name = this.#take(/^u\d+$/);
    return name === undefined ? super.freshUnbackedInt() : symbol(name, { unbacked: true });
  }

  override freshUnbackedFloat(): SymExpr {
    const name = this.#take(/^zuf\d+$/);
    return name === undefined ? super.freshUnbackedFloat() : symbol(name, { float: true, unbacked: true });
  }

  /** A declared range with what is known since; the same object when that is no more. */
  narrowed(name: string, declared: RangeConstraint): RangeConstraint {
    if (!/^\w+$/.test(name) || declared.float === true) return declared;
    const known = this.range(symbolByName(name));
    // A size counts as at least 2 while shapes are computed, whatever its range says.
    const min = known.min > Math.max(2, declared.min) ? known.min : declared.min;
    const max = Math.min(known.max, declared.max);
    return min === declared.min && max === declared.max ? declared : { min, max };
  }

  #take(kind: RegExp): string | undefined {
    const at = this.#expected.findIndex((name) => kind.test(name));
    return at === -1 ? undefined : this.#expected.splice(at, 1)[0];
  }
}

/** The number of `u12`. */
const numberOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);

/** What a program declares of its symbols: ranges and example values. */
export function shapeEnvOf(program: ExportedProgram): RetraceEnv {
  const ranges = new Map([...program.rangeConstraints].map(([name, { min, max }]) => [name, { min, max }]));
  return new RetraceEnv({ ranges, hints: program.symbolHints });
}

/** Symbols of a value, in order of appearance: the names that a data-dependent size goes by. */
export function symbolNames(val: unknown): string[] {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (value instanceof SymExpr) for (const name of freeSymbols(value).keys()) names.add(name);
    else if (value instanceof FakeTensor) [...value.shape, ...value.strides].forEach(visit);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (isSymScalar(value)) visit(value.expr);
  };
  visit(val);
  return [...names];
}
