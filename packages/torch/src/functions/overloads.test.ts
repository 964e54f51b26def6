import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { isSconceError } from "@sconce/errors";
import {
  type Argument,
  complex,
  device,
  dtypeLiteral,
  float,
  kindOf,
  layout,
  memoryFormat,
} from "@sconce/ir";
import { knownSchema } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { normalizeCall } from "@sconce/trace";
import { describe, expect, it } from "vitest";
import { type Recorder, withTrace } from "../trace/dispatch.js";
import { callFunction } from "./call-function.js";
import { FACTS } from "./facts.js";
import { signatureTable } from "./function-tables.js";
import { camelCase } from "./names.js";
import { torch } from "./torch.js";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Selected = readonly [string, readonly Json[], Readonly<Record<string, Json>>];
type Case = readonly [
  string,
  string,
  readonly Json[],
  Readonly<Record<string, Json>>,
  Selected | null | "TypeError",
];

const CASES = gunzipSync(
  readFileSync(new URL("../../../testing/fixtures/capture/parser-calls.jsonl.gz", import.meta.url)),
)
  .toString()
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

const TENSORS: Readonly<Record<string, Tensor>> = {
  $f: Tensor.from([
    [1.5, 1, 1],
    [1, 1, 1],
  ]),
  $i: Tensor.from([
    [1, 1, 1],
    [1, 1, 1],
  ]),
  $b: Tensor.from([
    [true, true, true],
    [true, true, true],
  ]),
  $s: Tensor.from(2.5),
  $n: Tensor.from(2),
};

/** An argument as a user of the API writes it. */
function decoded(value: Json): unknown {
  if (typeof value === "string") return TENSORS[value] ?? value;
  if (Array.isArray(value)) return value.map(decoded);
  if (typeof value !== "object" || value === null) return value;
  const [[kind, item]] = Object.entries(value as Record<string, Json>) as [[string, string]];
  if (kind === "float") return float(Number(item));
  if (kind === "re") return complex(Number(item), Number((value as { im: number }).im));
  return item;
}

/** An argument as PyTorch recorded it. */
function literal(value: Json): Argument {
  if (Array.isArray(value)) return value.map(literal);
  if (typeof value !== "object" || value === null) return value as Argument;
  const [[kind, item]] = Object.entries(value as Record<string, Json>) as [[string, string]];
  if (kind === "float")
    return item === "inf" || item === "-inf" ? Number(item.replace("inf", "Infinity")) : float(Number(item));
  if (kind === "dtype") return dtypeLiteral(item as never);
  if (kind === "device") return device(item);
  if (kind === "layout") return layout(item as never);
  if (kind === "memory_format") return memoryFormat(item as never);
  return decoded(value) as Argument;
}

const NAMES = new Map(Object.entries(TENSORS).map(([name, tensor]) => [tensor, name]));
const shown = (value: unknown): unknown => {
  if (value instanceof Tensor) return NAMES.get(value) ?? "$?";
  if (Array.isArray(value)) return value.map(shown);
  return kindOf(value) === undefined && typeof value === "object" && value !== null ? "?" : value;
};

/** Fields of the class of tensors, which are not methods here. */
const OWN = new Set(["numel", "storage_offset", "is_contiguous"]);

class Stop extends Error {}

/** A function that asks the tensor only, by the public API. */
function callFact(name: string, self: Tensor | undefined, given: readonly unknown[]): unknown {
  const home = (self ?? torch) as unknown as Record<string, (...args: readonly unknown[]) => unknown>;
  const method = home[camelCase(name)];
  return typeof method === "function" ? method.apply(home, given as unknown[]) : method;
}

/** The first operator that a call records, normalized as in a graph. */
function select([home, name, args, kwargs]: Case): unknown {
  let first: unknown = null;
  const call = (
    target: string,
    given: readonly unknown[],
    named: Readonly<Record<string, unknown>>,
  ): never => {
    const normal = normalizeCall(
      knownSchema(target)!,
      given.map(shown) as never,
      Object.fromEntries(Object.entries(named).map(([key, value]) => [key, shown(value)])) as never,
    );
    first = [target.slice("aten.".length), normal.args, normal.kwargs];
    throw new Stop();
  };
  const recorder = { call, inFunction: (_: string, __: string, run: () => unknown) => run() };
  const keywords = Object.fromEntries(
    Object.entries(kwargs).map(([key, value]) => [camelCase(key), decoded(value)]),
  );
  const values = args.map(decoded);
  const isMethod = home === "Tensor";
  const self = isMethod ? (values[0] as Tensor) : undefined;
  const given = [
    ...(isMethod ? values.slice(1) : values),
    ...(Object.keys(keywords).length > 0 ? [keywords] : []),
  ];
  const fact = name in FACTS;
  try {
    withTrace(recorder as unknown as Recorder, () =>
      fact ? callFact(name, self, given) : callFunction(name, signatureTable(home)(name), self, given),
    );
  } catch (error) {
    if (isSconceError(error) && /^(NO_SIGNATURE|TORCH_ARGUMENT)$/.test(error.code)) return "TypeError";
    if (!(error instanceof Stop)) throw error;
  }
  return first;
}

const expected = (selected: Case[4]): unknown => {
  if (selected === null || selected === "TypeError") return selected;
  const [target, args, kwargs] = selected;
  return [
    target,
    args.map(literal),
    Object.fromEntries(Object.entries(kwargs).map(([k, v]) => [k, literal(v)])),
  ];
};

/** JSON with the numbers that it does not have. */
const text = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) =>
    typeof item === "number" && !Number.isFinite(item) ? `number ${item}` : item,
  );

describe("overloads are those that PyTorch's argument parser selects", () => {
  it.each(["torch", "Tensor", "nn", "fft", "linalg", "special"])("%s", (home) => {
    const cases = CASES.filter(([own, name]) => own === home && !(own === "Tensor" && OWN.has(name)));
    expect(cases.length).toBeGreaterThan(100);
    const wrong = cases.flatMap((one) => {
      const got = text(select(one));
      const want = text(expected(one[4]));
      return got === want ? [] : [{ call: JSON.stringify(one.slice(0, 4)), got, want }];
    });
    expect(wrong).toEqual([]);
  });
});
