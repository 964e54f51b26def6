/**
 * @file The references that PyTorch runs for operators in place, on copies of operands without data
 * (`_make_inplace` in `torch/_refs`, `register_inplace` in `torch/_decomp`,
 * `torch/_meta_registrations.py`): primitives and broadcasts, whose questions about sizes take
 * names.
 */
import { FakeTensor } from "@sconce/ir";
import type { BoundArgs } from "@sconce/ops";
import type { DroppedArithmetic, ReferenceArithmetic, ReferenceTensor } from "@sconce/trace";

/** A number has no sizes. */
type Operand = ReferenceTensor | undefined;

/** A call in place: what it writes to, and the other operands. */
class ReferenceCall {
  readonly sizes: ReferenceArithmetic;
  readonly self: ReferenceTensor;
  readonly args: BoundArgs;
  readonly #copies = new Map<string, ReferenceTensor>();

  constructor(sizes: ReferenceArithmetic, args: BoundArgs) {
    this.sizes = sizes;
    this.args = args;
    this.self = sizes.of(args["self"] as FakeTensor);
  }

  /** Returns an operand by its name. */
  operand(name: string): Operand {
    const value = this.args[name];
    if (!(value instanceof FakeTensor)) return undefined;
    const copy = this.#copies.get(name) ?? this.sizes.of(value);
    this.#copies.set(name, copy);
    return copy;
  }

  /** Returns the tensors but for the one that is written to. */
  others(): readonly ReferenceTensor[] {
    const names = Object.keys(this.args).filter((name) => name !== "self");
    return names.flatMap((name) => this.operand(name) ?? []);
  }

  /** Returns an operator of operands that are broadcast first. */
  op(...operands: readonly Operand[]): ReferenceTensor {
    return this.sizes.prim(this.broadcast(operands), this.self.itemSize);
  }

  /** Returns the same with booleans as the result. */
  test(...operands: readonly Operand[]): ReferenceTensor {
    return this.sizes.prim(this.broadcast(operands), 1);
  }

  /** Returns a primitive of one tensor. */
  prim(value: ReferenceTensor): ReferenceTensor {
    return this.sizes.prim([value], this.self.itemSize);
  }

  /** `isnan` compares a tensor with itself. */
  isNaN(value: ReferenceTensor): ReferenceTensor {
    return this.sizes.prim([value, value], 1);
  }

  broadcast(operands: readonly Operand[]): readonly ReferenceTensor[] {
    return this.sizes.broadcast(operands.filter((one) => one !== undefined));
  }
}

type Reference = (call: ReferenceCall) => ReferenceTensor;

const unary: Reference = (call) => call.prim(call.self);
const elementwise: Reference = (call) => call.op(call.self, ...call.others());

/** Returns the larger or smaller one of a value and a bound; NaN stays. */
function bounded(call: ReferenceCall, value: ReferenceTensor, bound: Operand): ReferenceTensor {
  const kept = call.isNaN(value);
  return call.op(call.test(call.test(value, bound), kept), value, bound);
}

/** Between bounds, as far as there are any. */
const clamp: Reference = (call) =>
  ["min", "max"].reduce(
    (value, name) => ((call.args[name] ?? null) === null ? value : bounded(call, value, call.operand(name))),
    call.self,
  );

/** Some exponents have separate operators. */
function power(call: ReferenceCall, exponent: unknown): ReferenceTensor {
  if (exponent !== 2 && exponent !== 0.5) return elementwise(call);
  call.broadcast([call.self]);
  return exponent === 2 ? call.op(call.self, call.self) : unary(call);
}

const sigmoid: Reference = (call) => call.op(call.op(call.prim(call.prim(call.self))));

const logit: Reference = (call) => {
  const isSmall = call.test(call.self);
  const isLarge = call.test(call.self);
  const value = call.op(isLarge, call.op(isSmall, call.self));
  return call.prim(call.op(value, call.op(value)));
};

const xlogy: Reference = (call) => {
  const other = call.operand("other");
  const isZero = call.test(call.self);
  const product = call.op(call.self, other === undefined ? undefined : call.prim(other));
  const value = call.op(isZero, product);
  return other === undefined ? value : call.op(call.isNaN(other), value);
};

/** NaN, then both infinities. */
const nanToNum: Reference = (call) => {
  let value = call.op(call.isNaN(call.self), call.self);
  for (let infinity = 0; infinity < 2; infinity++) value = call.op(call.test(value), value);
  return value;
};

const UNARY =
  "abs acos acosh asin asinh atan atanh ceil cos cosh digamma erf erfc erfinv exp exp2 expm1 floor i0 lgamma log log10 " +
  "log1p log2 neg reciprocal rsqrt sgn sign sin sinh sqrt tan tanh trunc";
const BINARY = "atan2 fmod gcd heaviside hypot igamma igammac lcm nextafter remainder";

/** References whose results are written by `out=`. */
const REFERENCES: ReadonlyMap<string, Reference> = new Map<string, Reference>([
  ...UNARY.split(" ").map((name) => [name, unary] as const),
  ...BINARY.split(" ").map((name) => [name, elementwise] as const),
  ["clamp", clamp],
  ["clamp_min", clamp],
  ["clamp_max", clamp],
  ["frac", (call) => call.op(call.self, call.prim(call.self))],
  ["nan_to_num", nanToNum],
  ["pow", (call) => power(call, call.args["exponent"])],
  ["sigmoid", sigmoid],
  ["square", (call) => power(call, 2)],
  ["xlogy", xlogy],
]);

/** Those whose results are copied. */
const COPIED: ReadonlyMap<string, Reference> = new Map([
  ["logit", logit],
  ["round", elementwise],
]);

/** Shape rules that compare the result with what is written to. */
const RULES: ReadonlySet<string> = new Set(["addcdiv", "addcmul", "lerp"]);

/** Rules that look whether an operand can be broadcast. */
const BROADCAST = /^(add|sub|mul|div|logical_and|logical_or|logical_xor|masked_fill)$/;

/** Whether an index fits what is written to, and what is written (`scatter_shape_check`). */
function askScatter(dropped: DroppedArithmetic, args: BoundArgs): void {
  const [self, index, source] = [args["self"], args["index"], args["src"]];
  if (!(self instanceof FakeTensor) || !(index instanceof FakeTensor)) return;
  dropped.scattered(self, index, source instanceof FakeTensor ? source : null, Number(args["dim"]));
}

/**
 * Takes the names of what an operator in place asks.
 *
 * @param target the overload: `aten.exp_.default`
 */
export function askReference(dropped: DroppedArithmetic, target: string, args: BoundArgs): void {
  const [, name, overload] = /^aten\.(\w+)_\.(\w+)$/.exec(target) ?? [];
  if (name === undefined || !(args["self"] instanceof FakeTensor)) return;
  if (/^scatter(_add|_reduce)?$/.test(name)) askScatter(dropped, args);
  const reference = REFERENCES.get(name);
  const copied = COPIED.get(name);
  const isBroadcast = BROADCAST.test(name) && (overload !== "Scalar" || name === "masked_fill");
  if (reference === undefined && copied === undefined && !isBroadcast && !RULES.has(name) && name !== "copy")
    return;
  const call = new ReferenceCall(dropped.references, args);
  const { sizes, self } = call;
  const others = call.others();
  if (reference !== undefined) {
    if (others.length > 0) sizes.fits(self, others);
    sizes.written(self, reference(call));
  } else if (copied !== undefined) sizes.copied(self, copied(call));
  else if (name === "copy") others.forEach((source) => void sizes.copied(self, source));
  // A number is an operand without dimensions.
  else if (isBroadcast)
    sizes.common([self.shape, call.operand(name === "masked_fill" ? "mask" : "other")?.shape ?? []]);
  else sizes.common([self.shape, elementwise(call).shape]);
}
