import { Namespace } from "@sconce/ir";

/** The numbers from one to another, both included. */
interface Range {
  readonly first: number;
  last: number;
}

const NUMBERED = /^([a-zA-Z_][0-9a-zA-Z_]*?)_(\d+)$/;

/** Names that many nodes may take in one step. */
export class ManyNames extends Namespace {
  /** By base, ranges of numbers whose names were taken together, in order. */
  readonly #ranges = new Map<string, Range[]>();
  /** Bases with names that their counter did not give. */
  readonly #uneven = new Set<string>();

  override reserve(name: string): void {
    super.reserve(name);
    this.#uneven.add(NUMBERED.exec(name)?.[1] ?? name);
  }

  override create(candidate: string): string {
    const base = endsInDigit(candidate) ? NUMBERED.exec(candidate)?.[1] : undefined;
    if (base !== undefined) this.#uneven.add(base);
    return super.create(candidate);
  }

  override has(name: string): boolean {
    return super.has(name) || (this.#ranges.size > 0 && this.#isInRange(name));
  }

  #isInRange(name: string): boolean {
    const [, base, digits] = NUMBERED.exec(name) ?? [];
    const ranges = base === undefined ? undefined : this.#ranges.get(base);
    const number = Number(digits);
    if (ranges === undefined || String(number) !== digits) return false;
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ranges[middle]!.last < number) low = middle + 1;
      else high = middle;
    }
    return low < ranges.length && ranges[low]!.first <= number;
  }

  /**
   * Takes as many names as {@link create} would give one after another, in one step where it can.
   * Returns the name at each place, the first at 0.
   */
  createMany(candidate: string, count: number): (at: number) => string {
    const names: string[] = [];
    while (names.length < count && !this.#isEven(candidate)) names.push(this.create(candidate));
    const single = names.length;
    const rest = count - single;
    const first = (this.counts.get(candidate) ?? 0) + 1;
    if (rest > 0) {
      this.counts.set(candidate, first + rest - 1);
      const ranges = this.#ranges.get(candidate) ?? [];
      this.#ranges.set(candidate, ranges);
      const last = ranges.at(-1);
      if (last?.last === first - 1) last.last += rest;
      else ranges.push({ first, last: first + rest - 1 });
    }
    return (at) => names[at] ?? `${candidate}_${first + at - single}`;
  }

  /** Returns whether all numbers above the counter of a base are free. */
  #isEven(base: string): boolean {
    return this.counts.has(base) && !this.#uneven.has(base) && !NUMBERED.test(base);
  }
}

function endsInDigit(name: string): boolean {
  const last = name.charCodeAt(name.length - 1);
  return last >= 48 && last <= 57;
}
