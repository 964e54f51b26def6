/** @file What `sconce run` prints of the results. */
import {
  type ExportedProgram,
  floatRepr,
  isFloat,
  type ResultKind,
  resultKinds,
  toNumber,
  type Value,
} from "@sconce/ir";
import { outputPlaces } from "@sconce/ops";
import { printTensor, Tensor, tensorStatistics } from "@sconce/tensor";
import { usage } from "../errors.js";
import { json } from "../io.js";
import { elementJson, valuesJson } from "./json-values.js";

/** The options that say what is printed of results. */
export interface OutputOptions {
  readonly head?: string;
  readonly stats?: boolean;
  readonly outputs?: string;
  readonly expect?: string;
}

/** What is printed of each tensor. */
export interface Shown {
  readonly values: boolean;
  /** The most elements, in order; all when left out. */
  readonly head: number | undefined;
  readonly stats: boolean;
}

/** Elements of a tensor up to which its values are printed as JSON. */
const MOST_VALUES = 1_000_000;

/**
 * Values are printed, except where they are written to a file, compared with one, or summarized;
 * `--head` prints some in each case.
 *
 * @throws SconceError `USAGE`
 */
export function shownOf({ head, stats = false, outputs, expect }: OutputOptions): Shown {
  if (head !== undefined && !/^\d{1,15}$/.test(head))
    throw usage(
      `--head: ${JSON.stringify(head)} is not a number of elements`,
      "give a whole number, such as 10",
    );
  const isElsewhere = stats || outputs !== undefined || expect !== undefined;
  return {
    values: head !== undefined || !isElsewhere,
    head: head === undefined ? undefined : Number(head),
    stats,
  };
}

/** The results of a run, named and ready to print. */
export class OutputReport {
  readonly #outputs: readonly Value[];
  readonly #kinds: readonly ResultKind[];
  readonly #places: readonly string[];
  readonly #shown: Shown;

  constructor(program: ExportedProgram, outputs: readonly Value[], shown: Shown) {
    this.#outputs = outputs;
    this.#kinds = resultKinds(program);
    this.#places = outputPlaces(program);
    this.#shown = shown;
  }

  /** Returns the results as text, lines ended. */
  text(): string {
    return this.#outputs.map((value, i) => `${this.#name(i)}: ${this.#valueText(value, i)}\n`).join("");
  }

  /** Returns the results with whatever else a run reports, as JSON. */
  json(more: object): string {
    const texts: string[] = [];
    const raw = (text: string): string => `${RAW}${texts.push(text) - 1}`;
    const outputs = this.#outputs.map((value, i) => ({
      ...(this.#place(i) !== "" && { path: this.#place(i) }),
      ...(value instanceof Tensor
        ? this.#tensorJson(value, raw)
        : { kind: this.#kinds[i], value: plain(value) }),
    }));
    return json({ outputs, ...more }).replace(RAW_TEXT, (_, position: string) => texts[Number(position)]!);
  }

  #name(i: number): string {
    const place = this.#place(i);
    return place === "" ? `o${i}` : `o${i} ${place}`;
  }

  /** Where a result stands in what the program returns, when its position does not say that. */
  #place(i: number): string {
    const place = this.#places[i] ?? "";
    return place === `[${i}]` ? "" : place;
  }

  #valueText(value: Value, i: number): string {
    if (value instanceof Tensor) return this.#tensorText(value);
    if (this.#kinds[i] === "float" && typeof value === "number") return floatRepr(value);
    return typeof value === "string" ? JSON.stringify(value) : String(plain(value));
  }

  #tensorText(tensor: Tensor): string {
    const { values, head, stats } = this.#shown;
    const type = `${tensor.dtype}[${tensor.shape.join(", ")}]`;
    const isCut = head !== undefined && head < tensor.numel;
    const lines = [isCut ? `${type}, the first ${head} of ${tensor.numel} elements` : type];
    if (stats) lines.push(`  ${statisticsText(tensor)}`);
    if (values && isCut) lines.push(printTensor(firstOf(tensor, head), { threshold: Infinity }));
    else if (values) lines.push(printTensor(tensor, head === undefined ? {} : { threshold: Infinity }));
    return lines.join("\n");
  }

  #tensorJson(tensor: Tensor, raw: (text: string) => string): object {
    const { values, head, stats } = this.#shown;
    const { dtype, shape, numel } = tensor;
    const described = { dtype, shape, ...(stats && { statistics: statisticsJson(tensor, raw) }) };
    if (!values) return described;
    if (head !== undefined)
      return { ...described, head: raw(valuesJson(firstOf(tensor, Math.min(head, numel)))) };
    return numel <= MOST_VALUES
      ? { ...described, values: raw(valuesJson(tensor)) }
      : { ...described, omitted: `${numel} values: give --head N, or --outputs FILE` };
  }
}

/** Marks a text that is JSON already. */
const RAW = "\0raw ";
const RAW_TEXT = /"\\u0000raw (\d+)"/g;

/** Returns the first elements in logical order, as a vector. */
const firstOf = (tensor: Tensor, count: number): Tensor => {
  const rows = tensor.contiguous();
  return rows.asStrided([count], [1]);
};

/** Six digits; all of an integer of 64 bits. */
function digits(value: number | bigint | undefined): string {
  if (value === undefined) return "none";
  if (typeof value === "bigint") return String(value);
  const text = value.toPrecision(6);
  return text.includes("e") ? text : String(Number(text));
}

function statisticsText(tensor: Tensor): string {
  const { min, max, mean, std, nan, positiveInfinity, negativeInfinity } = tensorStatistics(tensor);
  return (
    `min ${digits(min)}, max ${digits(max)}, mean ${digits(mean)}, std ${digits(std)}, ` +
    `${nan} NaN, ${positiveInfinity} Inf, ${negativeInfinity} -Inf`
  );
}

function statisticsJson(tensor: Tensor, raw: (text: string) => string): object {
  const { count: _, ...statistics } = tensorStatistics(tensor);
  const parts = Object.entries(statistics).map(([name, value]) => [
    name,
    value === undefined ? null : raw(elementJson(value)),
  ]);
  return Object.fromEntries(parts) as object;
}

/** Returns a scalar as JSON has it: non-finite floats and integers past 2^53 as text. */
function plain(value: Exclude<Value, Tensor>): string | number | boolean | null {
  if (isFloat(value)) return Number.isFinite(toNumber(value)) ? toNumber(value) : String(toNumber(value));
  return typeof value === "bigint" ? String(value) : value;
}
