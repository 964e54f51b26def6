/**
 * @file Outputs of `out=` overloads that are operands too, or share memory with them, as PyTorch
 * answers. It refuses what its kernels detect. Where they detect nothing and read what they have
 * written, Sconce refuses the call: its numbers would depend on PyTorch's kernels.
 */
import type { FakeTensor, IntLike, SchemaArgument } from "@sconce/ir";
import type { BoundArgs, OpDefinition } from "../rows/define-op.js";
import { invalidArgument, shapeMismatch } from "../rows/errors.js";
import { describeSizes } from "../rules/describe.js";
import { OPERAND_RULES } from "./operand-rules.js";

/** Returns whether an argument is an output (`out=`). */
export const isOutput = (arg: SchemaArgument): boolean => arg.kwargOnly && arg.alias?.write === true;

/** What happens where an output shares memory with an operand. */
export interface OperandRule {
  /** Whether the operand itself is refused, for a result of its sizes. */
  readonly same: boolean;
  /** The operand itself, for a result of other sizes: resized, or refused by one of two errors. */
  readonly other: "resized" | "shape" | "overlap";
  /** Whether an output in a part of the operand's memory is refused. */
  readonly part: boolean;
}

const ruleOf = ([same, other, part]: string): OperandRule => ({
  same: same === "o",
  other: other === "s" ? "shape" : other === "o" ? "overlap" : "resized",
  part: part === "o",
});
/** Kernels of pointwise operators take an output for an operand that is written in place. */
const POINTWISE = ruleOf("=so");
const COPIES = ruleOf("===");

let rules: ReadonlyMap<string, OperandRule> | undefined;

function readRules(): ReadonlyMap<string, OperandRule> {
  const found = new Map<string, OperandRule>();
  for (const line of OPERAND_RULES) {
    const [letters, ...names] = line.split(" ");
    for (const name of names) found.set(`aten.${name}`, ruleOf(letters!));
  }
  return found;
}

/** Returns the rule of an operand of an overload with outputs. */
export function outputRule(
  { target, tags }: Pick<OpDefinition, "target" | "tags">,
  operand: string,
): OperandRule {
  rules ??= readRules();
  const isPointwise = target.startsWith("aten.") && tags.includes("pointwise");
  return rules.get(`${target}:${operand}`) ?? rules.get(target) ?? (isPointwise ? POINTWISE : COPIES);
}

/** Returns whether the kernel of an overload is a loop over its operands and outputs together. */
export const iteratesOutput = (definition: Pick<OpDefinition, "target" | "tags" | "schema">): boolean =>
  definition.schema.args.some(
    (arg) =>
      !isOutput(arg) && arg.type.base === "Tensor" && outputRule(definition, arg.name).other === "shape",
  );

/** Returns PyTorch's refusal of a call that reads memory which it writes to. */
export const overlapError = (name: string): Error =>
  invalidArgument(
    `${name}: unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. ` +
      "Please clone() the tensor before performing the operation.",
  );

/**
 * Refuses an output that is an operand of the call, where PyTorch does or its kernel reads what it
 * has written.
 *
 * @param isSame whether the result has the sizes of the output
 * @throws SconceError `SHAPE_MISMATCH`, `INVALID_ARGUMENT`
 */
export function refuseOutputOperand(
  definition: Pick<OpDefinition, "target" | "tags" | "schema">,
  given: BoundArgs,
  output: FakeTensor,
  shape: readonly IntLike[],
  isSame: boolean,
): void {
  for (const arg of definition.schema.args) {
    if (isOutput(arg)) continue;
    const value = given[arg.name];
    const isOperand = Array.isArray(value) ? value.includes(output) : value === output;
    if (!isOperand) continue;
    const { same, other } = outputRule(definition, arg.name);
    if (isSame ? same : other === "overlap") throw overlapError(definition.schema.name);
    if (!isSame && other === "shape")
      throw shapeMismatch(
        `output with shape ${describeSizes(output.shape)} doesn't match the broadcast shape ${describeSizes(shape)}`,
      );
  }
}
