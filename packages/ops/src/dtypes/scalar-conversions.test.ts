/** @file Which numbers are refused, against PyTorch (oracle: scalar_refusals.py). */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { createEvaluator } from "@sconce/backend-cpu";
import { isSconceError } from "@sconce/errors";
import { float, type ScalarLiteral, toNumber } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { castTensor, type DType, numel, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { convertsScalars } from "./scalar-conversions.js";
import { holdsAll } from "./scalar-range.js";

type Template = string | number | boolean | readonly Template[];
interface Fixture {
  readonly messages: readonly string[];
  readonly shapes: readonly (readonly number[])[];
  readonly numbers: readonly (readonly [kind: "int" | "float", text: string])[];
  readonly verdicts: readonly (readonly [
    target: string,
    args: readonly Template[],
    kwargs: Readonly<Record<string, Template>>,
    rows: Readonly<Record<string, string>>,
  ])[];
}

const FIXTURE = new URL("../../../testing/fixtures/ops/scalar-refusals.json.gz", import.meta.url);
const { messages, shapes, numbers, verdicts } = JSON.parse(
  gunzipSync(readFileSync(FIXTURE)).toString(),
) as Fixture;
const evaluate = createEvaluator({ operators: defaultOperators() });

const SPECIAL: Readonly<Record<string, number>> = { inf: Number.POSITIVE_INFINITY, nan: Number.NaN };
const literals = numbers.map(([kind, text]): ScalarLiteral => {
  const value = SPECIAL[text] ?? Number(text);
  return kind === "float" ? float(value) : value;
});

const filled = (value: number, shape: readonly number[], dtype: DType): Tensor =>
  castTensor(Tensor.from(new Array<number>(numel(shape)).fill(value), shape, "float64"), dtype);

function built(template: Template, dtype: DType, shape: readonly number[], number: ScalarLiteral): unknown {
  if (typeof template === "object") return template.map((one) => built(one, dtype, shape, number));
  const [n = 1] = shape;
  const long = shape.length > 0 ? shape : [1];
  const isFloat = typeof number === "object" || !Number.isInteger(number);
  switch (template) {
    case "V":
      return number;
    case "T":
      return isFloat
        ? Tensor.from([toNumber(number)], [], "float64")
        : Tensor.from([BigInt(toNumber(number))], [], "int64");
    case "X":
      return filled(1, shape, dtype);
    case "X1":
      return filled(1, long, dtype);
    case "X2":
      return filled(1, [...long, 2], dtype);
    case "A":
      return filled(1, [n, n], dtype);
    case "B":
      return filled(1, [n, n, n], dtype);
    case "M":
      return filled(1, shape, "bool");
    case "I":
      return filled(0, [Math.min(n, 1)], "int64");
    case "IX":
      return filled(0, long, "int64");
    case "J":
      return filled(0, [n], "int64");
    case "S":
      return shape;
    case "D":
      return dtype;
    default:
      return template;
  }
}

function refusal(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (isSconceError(error)) return error.message;
    throw error;
  }
}

describe("numbers that a dtype cannot hold", () => {
  test.each(verdicts)("%s %j %j", (target, args, kwargs, rows) => {
    const wrong: string[] = [];
    for (const [dtype, row] of Object.entries(rows) as [DType, string][]) {
      [...row].forEach((verdict, i) => {
        // Of numbers that all shapes take, one is enough.
        const verdictsOfNumber = shapes.map((_, s) => row[s * numbers.length + (i % numbers.length)]);
        if (verdict === "-" || (i >= numbers.length && verdictsOfNumber.every((one) => one === "."))) return;
        const [shape, number] = [
          shapes[Math.floor(i / numbers.length)]!,
          literals[i % numbers.length]!,
        ] as const;
        const make = (template: Template): unknown => built(template, dtype, shape, number);
        const words = Object.entries(kwargs).map(([name, value]) => [name, make(value)]);
        const got = refusal(() =>
          evaluate(target, args.map(make) as never, Object.fromEntries(words) as never),
        );
        const want = verdict === "." ? undefined : messages[verdict.charCodeAt(0) - 97]!;
        const at = `${dtype}[${shape}] ${numbers[i % numbers.length]!.join(" ")}`;
        const isSame = want === undefined ? !got?.includes("without overflow") : got?.startsWith(want);
        if (isSame !== true) wrong.push(`${at}: ${got}; PyTorch: ${want}`);
      });
    }
    expect(wrong).toEqual([]);
  });

  test("the table names operators that exist", () => {
    const operators = defaultOperators();
    const targets = [...operators.known.targets()].filter(convertsScalars);
    expect(targets.length).toBeGreaterThan(40);
  });

  test.each<[DType, DType, boolean]>([
    ["float32", "float32", true],
    ["float32", "float64", false],
    ["float64", "float32", true],
    ["float32", "bfloat16", true],
    ["bfloat16", "float32", false],
    ["bfloat16", "int64", true],
    ["float16", "int16", true],
    ["float16", "int32", false],
    ["int64", "float16", false],
    ["int16", "uint8", true],
    ["int16", "uint16", false],
    ["uint8", "int8", true],
    ["int64", "uint64", false],
    ["int8", "bool", true],
    ["bool", "float64", true],
    ["complex64", "float32", true],
    ["float64", "complex64", false],
  ])("%s holds all of %s: %s", (into, from, holds) => {
    expect(holdsAll(into, from)).toBe(holds);
  });
});
