/** @file Convolutions. */
import { type Index, ONE, ZERO } from "../../ir/index-expr.js";
import { apply, cast, type Scalar } from "../../ir/scalar.js";
import type { LoweringArgs } from "../core/arguments.js";
import { fixedNumber, type LoweringCall, outOf } from "../core/call.js";
import { broadcastTo, type LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType } from "../core/numbers.js";
import { contraction, convolutionElement, transposedElement } from "../rules/contract.js";
import { windowOf } from "../rules/window.js";

const CONVOLUTION =
  "aten::convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor";

function convolution(args: LoweringArgs<typeof CONVOLUTION>, call: LoweringCall): LazyTensor {
  const { input, weight, bias, transposed } = args;
  const window = windowOf(args, weight.shape.length - 2);
  const groups = fixedNumber(args.groups, "groups");
  if (bias !== null) call.context.many(bias);
  const compute = computeType(outOf(call).dtype);
  const isBatched = input.shape.length === weight.shape.length;
  const image = isBatched ? input : broadcastTo(input, call, [ONE, ...input.shape]);
  const elementOf = transposed ? transposedElement : convolutionElement;
  const sum = elementOf(call, image, weight, groups, window);
  const element = (at: readonly Index[]): Scalar => {
    const full = isBatched ? at : [ZERO, ...at];
    return bias === null ? sum(full) : apply("add", sum(full), cast(bias.element([full[1]!]), compute));
  };
  return contraction(call, [image, weight], element, bias === null ? [] : [bias]);
}

export const CONVOLUTIONS = defineLowerings([lowering(CONVOLUTION, convolution)]);
