/** @file The operands of a call: what it reads, and what it writes to. */
import { FakeTensor, type OpSchema } from "@sconce/ir";
import type { NormalizedCall } from "@sconce/trace";
import type { OperatorArgument, OperatorKeywords } from "./dispatch.js";
import { TracedTensor } from "./traced-tensor.js";

/** Returns the operands that a call writes to and returns, by the places of its results. */
export function writtenOperands(
  { args: parameters, returns }: OpSchema,
  args: readonly OperatorArgument[],
  kwargs: OperatorKeywords,
): (TracedTensor | undefined)[] {
  return returns.map(({ alias }) => {
    if (alias?.write !== true) return undefined;
    const at = parameters.findIndex(
      (parameter) => parameter.alias?.write && parameter.alias.set === alias.set,
    );
    if (at < 0) return undefined;
    const parameter = parameters[at]!;
    const operand = parameter.kwargOnly || at >= args.length ? kwargs[parameter.name] : args[at];
    return operand instanceof TracedTensor ? operand : undefined;
  });
}

/** Returns the fake tensors among values, in lists too. */
export const fakesIn = (values: readonly unknown[]): FakeTensor[] =>
  values.flatMap((value) => {
    if (value instanceof FakeTensor) return [value];
    return Array.isArray(value) ? fakesIn(value as readonly unknown[]) : [];
  });

/** Returns the tensors that a call reads, as often as it does. */
export const operandsOf = ({ args, kwargs }: NormalizedCall): FakeTensor[] =>
  fakesIn([...args, ...Object.values(kwargs)]);

/** Results that autograd does not record: `detach`, and new tensors that only look like another. */
const NOT_DIFFERENTIATED = /^aten\.(?:detach_?|\w+_like|new_\w+)\./;

/** Returns whether the results of a call ask for gradients where they are recorded. */
export const isDifferentiated = (target: string, operands: readonly OperatorArgument[]): boolean =>
  !NOT_DIFFERENTIATED.test(target) && needsGrad(operands);

/** Returns whether values of the dtype of a tensor have gradients. */
export const isDifferentiable = ({ dtype }: FakeTensor): boolean => /^(float|bfloat|complex)/.test(dtype);

/** Returns whether an operand asks for gradients. */
const needsGrad = (operands: readonly OperatorArgument[]): boolean =>
  operands.some((operand) => {
    if (operand instanceof TracedTensor) return operand.fake.requiresGrad;
    return Array.isArray(operand) && needsGrad(operand as readonly OperatorArgument[]);
  });
