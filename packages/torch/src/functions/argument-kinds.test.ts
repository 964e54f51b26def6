/**
 * @file Calls of the API with one argument of another kind: PyTorch's verdict, and never an error
 * without a code.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { SconceError } from "@sconce/errors";
import { float } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { functional } from "../nn/functional.js";
import { torch } from "./torch.js";

const FILE = new URL("../../../testing/fixtures/capture/argument-kinds.json.gz", import.meta.url);
/** By call, a verdict on each of {@link KINDS} in place of each argument; see the oracle script. */
const VERDICTS = JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as Readonly<
  Record<string, readonly string[]>
>;
/** The same calls as text: `["F.relu(x)", ["x"], (x: Tensor) => F.relu(x)],`. */
const SOURCE = readFileSync(new URL("api-cases.fixture.ts", import.meta.url), "utf8");

class Thing {}
const KINDS: readonly (readonly [string, unknown])[] = [
  ["null", null],
  ["an object", new Thing()],
  ["NaN", Number.NaN],
  ["a text", "text"],
  ["an empty list", []],
  ["1.5", 1.5],
];

const ramp = (shape: readonly number[]): Tensor =>
  Tensor.from(
    Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => ((i * 7) % 11) / 11),
    shape,
    "float32",
  );
const INPUTS: Readonly<Record<string, () => Tensor>> = {
  x: () => ramp([2, 3, 4, 4]),
  y: () => ramp([2, 3, 4, 4]),
  u: () => ramp([2, 3, 4, 4]),
  m: () => ramp([3, 5]),
  t: () => Tensor.from([0, 4, 2]),
  v: () => ramp([4, 3, 6]),
  q: () => ramp([5, 2, 8]),
  w: () => ramp([24, 8]),
  b: () => ramp([24]),
  i: () => Tensor.from([0, 2, 1, 1, 3, 0, 2, 1]).reshape([2, 4]),
  k: () => Tensor.from([true, false, true, false]),
};

type Call = (...args: readonly unknown[]) => unknown;
interface Made {
  readonly call: Call;
  readonly args: readonly unknown[];
}

/** Runs a case; returns the outermost call of a function of `torch` or of `F` in it. */
function outermost(names: readonly string[], arrow: string): Made {
  let last: Made | undefined;
  const recording = (space: object): object =>
    new Proxy(
      {},
      {
        get: (_, name) => {
          const member = Reflect.get(space, name) as unknown;
          if (typeof member !== "function") return member;
          const call = member as Call;
          return (...args: readonly unknown[]) => {
            const result = call(...args);
            last = { call, args };
            return result;
          };
        },
      },
    );
  const run = new Function("F", "torch", "float", `return ${arrow.replaceAll(/: (Tensor|any)\b/g, "")}`) as (
    ...scope: readonly unknown[]
  ) => Call;
  run(recording(functional), recording(torch), float)(...names.map((name) => INPUTS[name]!()));
  return last!;
}

const isOptions = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" &&
  value !== null &&
  Object.getPrototypeOf(value) === Object.prototype &&
  !("kind" in value);

/** Returns the arguments with another one at a place; keywords are counted after the others. */
function changed(args: readonly unknown[], at: number, value: unknown): unknown[] {
  const options = args.at(-1);
  const count = isOptions(options) ? args.length - 1 : args.length;
  if (at < count) return args.map((arg, i) => (i === at ? value : arg));
  const names = Object.keys(options as object);
  return [...args.slice(0, -1), { ...(options as object), [names[at - count]!]: value }];
}

const cases = [...SOURCE.matchAll(/^ {2}\[("(?:[^"\\]|\\.)*"), (\[.*?\]), (\(.*)\],$/gm)].flatMap(
  ([, name, names, arrow]) => {
    const text = JSON.parse(name!) as string;
    const verdicts = VERDICTS[text];
    return verdicts === undefined ? [] : [[text, JSON.parse(names!) as string[], arrow!, verdicts] as const];
  },
);

test("the cases are found", () => expect(cases.length).toBeGreaterThan(180));

test.each(cases)("%s", (_, names, arrow, verdicts) => {
  const { call, args } = outermost(names, arrow);
  const problems = verdicts.flatMap((row, at) =>
    KINDS.flatMap(([kind, value], i) => {
      const found = outcomeOf(() => call(...changed(args, at, value)));
      if (found.startsWith("raw")) return [`argument ${at}, ${kind}: ${found}`];
      return row[i] === "x" && found === "result" ? [`argument ${at}, ${kind}: PyTorch refuses it`] : [];
    }),
  );
  expect(problems).toEqual([]);
});

function outcomeOf(run: () => unknown): string {
  try {
    run();
    return "result";
  } catch (error) {
    return error instanceof SconceError ? "refused" : `raw ${String(error)}`;
  }
}
