/** @file Guards of a program on inputs that are traced: what they require becomes guards again. */
import type { ExportedProgram } from "@sconce/ir";
import { guardFailed, leafFinder, programGuards, userLeaves } from "@sconce/ops";
import { evaluateGuard, type GuardNode, type GuardSource, printGuard } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { sizeOf, storageOffsetOf, stridesOf } from "../torch/sizes.js";
import { type Condition, guard, type SymNumber, sym } from "../torch/sym.js";
import { isSym } from "../trace/sym-int.js";
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

function evaluate(node: GuardNode, read: (source: GuardSource) => Value): Value {
  const visit = (part: GuardNode): Value => evaluate(part, read);
  const number = (part: GuardNode): SymNumber => visit(part) as SymNumber;
  switch (node.kind) {
    case "source":
      return read(node);
    case "number":
      return node.exact ?? node.value;
    case "constant":
      return node.value;
    case "unary":
      if (node.op === "not") return !isTrue(visit(node.operand));
      return node.op === "-" ? sym.neg(number(node.operand)) : visit(node.operand);
    case "binary":
      return (BINARY[node.op] as Binary)(number(node.left), number(node.right));
    case "compare":
      return compared(node, visit);
    case "bool": {
      const stop = node.op === "or";
      return node.values.some((part) => isTrue(visit(part)) === stop) === stop;
    }
    case "conditional":
      return visit(isTrue(visit(node.test)) ? node.then : node.otherwise);
    case "call":
      return called(node, node.args.map(number));
  }
}

function compared(
  { first, rest }: Extract<GuardNode, { readonly kind: "compare" }>,
  visit: (part: GuardNode) => Value,
): Value {
  let left = visit(first);
  let result: Value = true;
  for (const [op, part] of rest) {
    if (!isTrue(result)) return false;
    const right = visit(part);
    const plain = [left, right].some((value) => typeof value === "string" || value === null);
    result = plain ? (left === right) === (op === "==") : COMPARE[op](left as SymNumber, right as SymNumber);
    left = right;
  }
  return result;
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
