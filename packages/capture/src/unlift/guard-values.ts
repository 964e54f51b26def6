/** @file Guards of a program on inputs that are traced: what they require becomes guards again. */

import type { ExportedProgram } from "@sconce/ir";
import { guardFailed, leafFinder, programGuards, userLeaves } from "@sconce/ops";
import {
  evaluateGuard,
  foldGuard,
  type GuardNode,
  type GuardSource,
  printGuard,
  pythonChoices,
} from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import {
  type Condition,
  guard,
  isSym,
  type SymNumber,
  sizeOf,
  storageOffsetOf,
  stridesOf,
  sym,
} from "@sconce/torch";
import { notRecordable } from "./errors.js";

type Value = SymNumber | Condition | string | null;
type Binary = (a: SymNumber, b: SymNumber) => Value;

const BINARY = {
  "+": sym.add,
  "-": sym.sub,
  "*": sym.mul,
  "/": sym.trueDiv,
  "//": sym.floorDiv,
  "%": sym.mod,
  "**": sym.pow,
} as const;
const COMPARE = {
  "==": sym.eq,
  "!=": sym.ne,
  "<": sym.lt,
  "<=": sym.le,
  ">": sym.gt,
  ">=": sym.ge,
} as const;
const FUNCTIONS: Readonly<Partial<Record<string, (...args: readonly SymNumber[]) => Value>>> = {
  max: sym.max,
  min: sym.min,
  "torch.sym_max": sym.max,
  "torch.sym_min": sym.min,
  abs: (value) => sym.abs(value!),
  int: (value) => sym.int(value!),
  float: (value) => sym.float(value!),
  "torch.sym_float": (value) => sym.float(value!),
  "torch._sym_sqrt": (value) => sym.sqrt(value!),
  "math.sqrt": (value) => sym.sqrt(value!),
  "math.trunc": (value) => sym.trunc(value!),
  "math.floor": (value) => sym.floor(value!),
  "math.ceil": (value) => sym.ceil(value!),
};

/**
 * Requires the guards of a program of traced inputs, as its `_guards_fn` does.
 * @throws SconceError `GUARD_FAILED` for one that does not hold, `NOT_RETRACEABLE`
 */
export function requireGuards(program: ExportedProgram, inputs: readonly unknown[]): void {
  const leaves = userLeaves(program);
  const indexOf = leafFinder(leaves);
  const read = (source: GuardSource): Value => {
    const i = indexOf(source);
    if (i === undefined) throw notRecordable(printGuard(source));
    return propertyOf(inputs[i], source);
  };
  for (const node of programGuards(program, leaves))
    if (!isTrue(evaluate(node, read))) throw guardFailed(node);
}

function propertyOf(value: unknown, source: GuardSource): Value {
  const { property, index = 0 } = source;
  if (property === undefined) return value as Value;
  if (!(value instanceof Tensor) || index >= value.ndim) throw guardFailed(source);
  if (property === "storage_offset") return storageOffsetOf(value);
  return property === "size" ? sizeOf(value, index) : stridesOf(value)[index]!;
}

const isTrue = (value: Value): boolean =>
  typeof value === "boolean" || isSym(value) ? guard(value as Condition) : Boolean(value);

const evaluate = (node: GuardNode, read: (source: GuardSource) => Value): Value =>
  foldGuard<Value>(node, {
    source: read,
    number: ({ exact, value }) => exact ?? value,
    constant: (value) => value,
    not: (operand) => !isTrue(operand),
    negate: (operand) => sym.neg(operand as SymNumber),
    binary: (op, left, right) => (BINARY[op] as Binary)(left as SymNumber, right as SymNumber),
    compare: compared,
    ...pythonChoices(isTrue, (value) => value as Value),
    call: (call, args) => called(call, args as readonly SymNumber[]),
  });

function compared(op: keyof typeof COMPARE, left: Value, right: Value): Value {
  if ([left, right].some((value) => typeof value === "string" || value === null))
    return (left === right) === (op === "==");
  return COMPARE[op](left as SymNumber, right as SymNumber);
}

function called(node: Extract<GuardNode, { readonly kind: "call" }>, args: readonly SymNumber[]): Value {
  if (args.every((arg) => typeof arg === "number"))
    return evaluateGuard(
      { ...node, args: args.map((value) => ({ kind: "number", value: value as number, float: false })) },
      () => undefined,
    );
  const run = FUNCTIONS[node.fn];
  if (run === undefined) throw notRecordable(printGuard(node));
  return run(...args);
}
