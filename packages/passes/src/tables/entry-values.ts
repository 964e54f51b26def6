/**
 * @file Values that decompositions take and return, compared: by symbolic equality where sizes are
 * symbolic.
 */
import { FakeTensor, type MetaValue, type SymScalar } from "@sconce/ir";
import type { BoundArgs } from "@sconce/ops";
import {
  eq,
  evaluateInt,
  freeSymbols,
  type IntLike,
  printExpr,
  type SymEnv,
  SymExpr,
  symbol,
  symEquals,
} from "@sconce/symbolic";
import type { RetraceEnv } from "@sconce/trace";

const PROBE_INT = symbol("_probe", { integer: true, unbacked: true }) as SymExpr;
const PROBE_FLOAT = symbol("_probe_float", { float: true, unbacked: true }) as SymExpr;

/**
 * Returns a copy of what is known of a program's symbols: what a rule decides, or asks fresh
 * symbols for, leaves no trace.
 */
export function probeEnv(env: RetraceEnv): SymEnv {
  return Object.assign(env.clone(), {
    freshUnbackedInt: () => PROBE_INT,
    freshUnbackedFloat: () => PROBE_FLOAT,
  });
}

/**
 * `returned float32[2], the replaced call gives float32[3]`; undefined for values that may be the
 * same.
 */
export function valueDifference(expected: MetaValue, got: MetaValue, env: RetraceEnv): string | undefined {
  const place = placeOfDifference(expected, got, env);
  if (place === undefined) return undefined;
  const [wanted, given, index] = place;
  const result = index === "" ? "" : ` as result ${index}`;
  return `returned ${textOf(given)}${result}, the replaced call gives ${textOf(wanted)}`;
}

type Place = readonly [expected: MetaValue, got: MetaValue, index: string];

function placeOfDifference(expected: MetaValue, got: MetaValue, env: RetraceEnv): Place | undefined {
  // A result that a mask leaves out may be computed all the same.
  if (expected === null) return undefined;
  if (Array.isArray(expected) && Array.isArray(got)) {
    if (expected.length !== got.length) return [expected, got, ""];
    for (const [i, item] of (expected as readonly MetaValue[]).entries()) {
      const place = placeOfDifference(item, (got as readonly MetaValue[])[i]!, env);
      if (place !== undefined) return [place[0], place[1], place[2] === "" ? `${i}` : `${i}.${place[2]}`];
    }
    return undefined;
  }
  const same =
    expected instanceof FakeTensor && got instanceof FakeTensor
      ? sameTensor(expected, got, env)
      : expected instanceof FakeTensor === got instanceof FakeTensor &&
        Array.isArray(expected) === Array.isArray(got) &&
        sameScalarKind(expected, got);
  return same ? undefined : [expected, got, ""];
}

function sameTensor(a: FakeTensor, b: FakeTensor, env: RetraceEnv): boolean {
  return (
    a.dtype === b.dtype &&
    a.device.type === b.device.type &&
    a.ndim === b.ndim &&
    a.shape.every((size, dim) => !sizesDiffer(size, b.shape[dim]!, env))
  );
}

function sameScalarKind(expected: MetaValue, got: MetaValue): boolean {
  const kinds = [expected, got].map((value) => (value as Partial<SymScalar> | null)?.kind);
  return kinds[0] === kinds[1] || kinds.some((kind) => !/^Sym/.test(kind ?? ""));
}

/**
 * Returns whether two sizes differ: always, or for some values of their symbols. What cannot be
 * decided counts as equal, such as `s0` and `2*(s0//2)` for a program that only takes even sizes.
 */
function sizesDiffer(a: IntLike, b: IntLike, env: RetraceEnv): boolean {
  if (typeof a === "number" && typeof b === "number") return a !== b;
  if (symEquals(a, b)) return false;
  const names = [...new Set([a, b].flatMap((size) => [...symbolsOf(size)]))];
  if (names.some((name) => name.startsWith("_probe"))) return false;
  const known = env.staticallyKnown(eq(a, b));
  if (known !== undefined) return !known;
  return samples(names, isPolynomial(a) && isPolynomial(b), env).some((values) => {
    try {
      return evaluateInt(a, values) !== evaluateInt(b, values);
    } catch {
      return false;
    }
  });
}

/**
 * Returns the example sizes; for polynomials, which differ almost everywhere or nowhere, larger
 * ones too.
 */
function samples(
  names: readonly string[],
  polynomial: boolean,
  env: RetraceEnv,
): ReadonlyMap<string, number>[] {
  const hinted = names.every((name) => env.hints.has(name));
  const example = new Map(names.map((name, i) => [name, env.hints.get(name) ?? 5 + 2 * i]));
  const larger = new Map(names.map((name, i) => [name, example.get(name)! + 3 + 4 * i]));
  return [...(hinted ? [example] : []), ...(polynomial ? [larger] : [])];
}

const symbolsOf = (size: IntLike): Iterable<string> =>
  typeof size === "number" ? [] : freeSymbols(size).keys();

function isPolynomial(size: IntLike | SymExpr): boolean {
  if (typeof size === "number") return true;
  if (/^(Symbol|Integer)$/.test(size.op)) return true;
  return /^(Add|Mul)$/.test(size.op) && size.args.every(isPolynomial);
}

/**
 * Returns whether two calls of one operator have the same literals, and tensors that no rule can
 * distinguish.
 */
export function sameCall(a: BoundArgs, b: BoundArgs): boolean {
  return Object.keys(a).every((name) => sameValue(a[name], b[name]));
}

function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a instanceof FakeTensor && b instanceof FakeTensor)
    return (
      a.dtype === b.dtype &&
      a.layout === b.layout &&
      sameValue(a.shape, b.shape) &&
      sameValue(a.strides, b.strides)
    );
  if (a instanceof SymExpr || b instanceof SymExpr) return symEquals(a as IntLike, b as IntLike);
  const [left, right] = [a, b] as Readonly<Record<string, unknown>>[];
  const keys = Object.keys(left!);
  return (
    keys.length === Object.keys(right!).length && keys.every((key) => sameValue(left![key], right![key]))
  );
}

function textOf(value: MetaValue): string {
  if (value instanceof FakeTensor) {
    const sizes = value.shape.map((size) => (typeof size === "number" ? size : printExpr(size)));
    const device = value.device.type === "cpu" ? "" : ` on ${value.device.type}`;
    return `${value.dtype}[${sizes.join(", ")}]${device}`;
  }
  if (Array.isArray(value)) return `${value.length} results`;
  return value === null ? "None" : String((value as { kind?: string }).kind ?? typeof value);
}
