/**
 * @file How a call of an operator is written: as a method or a function, where that selects the
 * same overload with the same arguments, and by the name of the overload otherwise.
 */

import { FakeTensor, isSymScalar, kindOf, type MetaValue, type Node } from "@sconce/ir";
import { knownSchema } from "@sconce/ops";
import { SymExpr } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import {
  camelCase,
  functional,
  isSym,
  type OperatorArgument,
  type Recorder,
  SymBool,
  SymFloat,
  SymInt,
  TracedTensor,
  torch,
  UNTYPED,
  withTrace,
} from "@sconce/torch";

/** How a call is written. */
export interface CallForm {
  /** A method of the first argument, a function, or an overload of `torch.ops`. */
  readonly kind: "method" | "function" | "overload";
  /** What is called: `add`, `torch.cat`, `torch.ops.aten.add.Tensor`. */
  readonly callee: string;
  /** Keyword arguments that are written. */
  readonly keywords: readonly string[];
}

type Values = readonly OperatorArgument[];
type Named = Readonly<Record<string, OperatorArgument>>;

/** What a method or function calls. */
interface Called {
  readonly target: string;
  readonly args: Values;
  readonly kwargs: Named;
}

/** Represents the value of a node. */
export function standIn(val: MetaValue | undefined): OperatorArgument {
  if (val instanceof FakeTensor) return new TracedTensor(val);
  if (!isSymScalar(val)) return undefined;
  const { expr } = val;
  if (!(expr instanceof SymExpr)) return expr as number | boolean;
  if (val.kind === "SymInt") return new SymInt(expr);
  return val.kind === "SymFloat" ? new SymFloat(expr) : new SymBool(expr);
}

const REFUSED = (): never => {
  throw new Error("not a plain call");
};

/**
 * Returns the one call of an operator that a function makes; undefined where it does something
 * else.
 */
function calledBy(run: () => unknown): Called | undefined {
  const calls: Called[] = [];
  const recorder = {
    env: { replace: (expr: unknown) => expr, guardInt: REFUSED, guard: REFUSED },
    isNested: false,
    call: (target: string, args: Values, kwargs: Named) => {
      calls.push({ target, args, kwargs });
      return null;
    },
    arithmetic: REFUSED,
    freshConstant: REFUSED,
    inFunction: <T>(_name: string, _kind: string, inner: () => T): T => inner(),
  } as unknown as Recorder;
  try {
    withTrace(recorder, run);
  } catch {
    return undefined;
  }
  return calls.length === 1 ? calls[0] : undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => isSame(item, b[i]));
  if (isSym(a) || isSym(b) || a instanceof Tensor || b instanceof Tensor) return false;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
  );
}

/** Returns whether a function fills in itself what the graph has. */
const isFilledIn = (name: string, value: unknown): boolean =>
  (name === "pin_memory" && value === false) ||
  (name === "device" && kindOf(value) === "device" && (value as { type: string }).type === "cpu");

type Functions = Readonly<Record<string, ((...given: readonly unknown[]) => unknown) | undefined>>;

/** Where functions of an operator may be, with the beginning of their names there. */
const HOMES: readonly (readonly [functions: unknown, shownAs: string, prefix: string])[] = [
  [torch, "torch", ""],
  [torch.linalg, "torch.linalg", "linalg_"],
  [torch.fft, "torch.fft", "fft_"],
  [torch.special, "torch.special", "special_"],
  [functional, "nn.functional", ""],
];

/** Returns how a call of an operator is written. `args` and `kwargs` represent its arguments. */
export function callForm({ target }: Node, args: Values, kwargs: Named): CallForm {
  const [namespace, packet] = target.split(".") as [string, string, string];
  const wanted: Called = { target, args, kwargs };
  const overload: CallForm = {
    kind: "overload",
    callee: `torch.ops.${target}`,
    keywords: Object.keys(kwargs),
  };
  // Types of functions have no integers past 2^53.
  const isPlain = !args.some((arg) => arg === undefined || typeof arg === "bigint");
  if (namespace !== "aten" || !isPlain) return overload;
  const keywords = Object.keys(kwargs).filter((name) => !isFilledIn(name, kwargs[name]));
  const named = Object.fromEntries(keywords.map((name) => [camelCase(name), kwargs[name]]));
  const options = keywords.length === 0 ? [] : [named];
  const fits = (fn: (...given: readonly unknown[]) => unknown, given: Values): boolean => {
    const called = calledBy(() => fn(...given, ...options));
    return called !== undefined && isSame(called, wanted);
  };
  if (UNTYPED.test(packet)) return overload;
  const [self] = args;
  if (self instanceof TracedTensor && knownSchema(target)?.args[0]?.name === "self") {
    const { value: method } = (Object.getOwnPropertyDescriptor(Tensor.prototype, camelCase(packet)) ??
      {}) as {
      readonly value?: Functions[string];
    };
    if (typeof method === "function" && fits((...given) => method.apply(self, [...given]), args.slice(1)))
      return { kind: "method", callee: camelCase(packet), keywords };
  }
  for (const [functions, shownAs, prefix] of HOMES) {
    if (!packet.startsWith(prefix)) continue;
    const name = camelCase(packet.slice(prefix.length));
    const fn = Object.hasOwn(functions as object, name) ? (functions as Functions)[name] : undefined;
    if (typeof fn === "function" && fits(fn, args))
      return { kind: "function", callee: `${shownAs}.${name}`, keywords };
  }
  return overload;
}
