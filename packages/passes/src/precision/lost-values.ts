/** @file Numbers that a narrower float dtype does not hold: they become 0 or infinite. */
import { countText } from "@sconce/errors";
import {
  type Argument,
  callPlace,
  isFloat,
  isInt,
  itemsOf,
  type Node,
  sourceLine,
  toNumber,
  withLine,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { castTensor, type DType, laneReader, Tensor } from "@sconce/tensor";

/** Most notes of one conversion. */
const MOST = 8;

const KEEP = "compute in float32 there with the option keep";

/** Finds such numbers and notes them, each with its node and the user's line. */
export class LostValues {
  readonly #to: DType;
  readonly #operators: OperatorTable;
  readonly #note: ((text: string) => void) | undefined;
  #found = 0;

  constructor(to: DType, operators: OperatorTable, note: ((text: string) => void) | undefined) {
    this.#to = to;
    this.#operators = operators;
    this.#note = note;
  }

  /** Notes the numbers among the arguments of a converted call, defaults included. */
  ofCall(node: Node): void {
    if (this.#note === undefined) return;
    const args = this.#operators.schemaOf(node.target)?.args ?? [];
    args.forEach(({ name, type, defaultValue }, position) => {
      if (!NUMBERS.has(type.base)) return;
      const given = node.args[position] ?? node.kwargs[name] ?? defaultValue ?? null;
      for (const value of itemsOf(given) ?? [given])
        this.#check(value, (text) => `${name}=${text} of ${callPlace(node)}`);
    });
  }

  /**
   * Notes elements of a converted weight, buffer or constant that become infinite, and the only
   * element of one that becomes 0.
   */
  ofState(target: string, before: Tensor, user: Node | undefined): void {
    if (this.#note === undefined || !before.hasValues || !before.isLoaded) return;
    const after = castTensor(before, this.#to).toFloat64Array();
    let [infinite, zero] = [0, 0];
    before.toFloat64Array().forEach((value, i) => {
      if (Number.isFinite(value) && !Number.isFinite(after[i]!)) infinite++;
      else if (value !== 0 && after[i] === 0) zero++;
    });
    const becomes = infinite > 0 ? "infinite" : "0";
    const count = infinite > 0 ? infinite : before.numel === 1 ? zero : 0;
    if (count === 0) return;
    const elements = before.numel === 1 ? "its value" : `${count} of ${countText(before.numel, "element")}`;
    const place = withLine(JSON.stringify(target), sourceLine(user));
    const verb = count === 1 ? "becomes" : "become";
    this.#report(`${place}: ${elements} ${verb} ${becomes} in ${this.#to}; ${KEEP}`);
  }

  /** Notes how many were not noted one by one. */
  end(): void {
    const more = this.#found - MOST;
    const become = more === 1 ? "becomes" : "become";
    if (more > 0) this.#note?.(`${countText(more, "more number")} ${become} 0 or infinite in ${this.#to}`);
  }

  #check(value: Argument, describe: (text: string) => string): void {
    if (!isFloat(value) && !isInt(value)) return;
    const number = toNumber(value as number);
    const rounded = laneValue(number, this.#to);
    const isLost = Number.isFinite(number) && (!Number.isFinite(rounded) || (number !== 0 && rounded === 0));
    if (!isLost) return;
    this.#report(
      `${describe(String(number))} becomes ${rounded === 0 ? "0" : "infinite"} in ${this.#to}; ${KEEP}, or change the number`,
    );
  }

  #report(text: string): void {
    if (this.#found++ < MOST) this.#note?.(text);
  }
}

/** Kinds of arguments that hold numbers to compute with: a number may represent a tensor. */
const NUMBERS: ReadonlySet<string> = new Set(["float", "Scalar", "Tensor"]);

const laneValue = (value: number, dtype: DType): number => {
  const { data } = castTensor(Tensor.from([value], [1], "float64"), dtype);
  return laneReader(dtype, data)(0);
};
