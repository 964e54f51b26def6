/**
 * @file Gradients of convolutions: by the input a convolution the other way, by the weight a sum
 * over places.
 */
import { add, constant, divide, type Index, multiply, scale } from "../../ir/index-expr.js";
import { apply, both, cast, type Scalar, TRUE } from "../../ir/scalar.js";
import { cannot, fixedNumber, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType } from "../core/numbers.js";
import { convolutionElement, transposedElement } from "../rules/contract.js";
import { sumOf } from "../rules/reduce.js";
import { inside, type Window, windowOf } from "../rules/window.js";

interface Gradient {
  readonly call: LoweringCall;
  readonly grad: LazyTensor;
  readonly input: LazyTensor;
  readonly weight: LazyTensor;
  readonly groups: number;
  readonly window: Window;
  readonly isTransposed: boolean;
}

function result(
  { call, grad, input, weight }: Gradient,
  at: number,
  element: (at: readonly Index[]) => Scalar,
): LazyTensor {
  const out = outOf(call, at);
  const tensor = new LazyTensor({
    dtype: out.dtype,
    shape: shapeOf(out),
    node: call.node,
    inputs: [grad, input, weight],
    heavy: true,
    operations: 2,
    element: (place) => cast(element(place), out.dtype),
  });
  call.context.made(tensor);
  return tensor;
}

/** The weight of a convolution is that of the transposed one that leads back. */
const byInput = ({ call, grad, weight, groups, window, isTransposed }: Gradient) =>
  (isTransposed ? convolutionElement : transposedElement)(call, grad, weight, groups, window);

/**
 * `sum(narrow[n, a, p] * wide[n, g*c + b, p*stride - padding + k*dilation])` over images and
 * places.
 */
const byWeight = ({ call, grad, input, weight, groups, window, isTransposed }: Gradient) => {
  const [narrow, wide] = isTransposed ? [input, grad] : [grad, input];
  const compute = computeType(grad.dtype);
  const perGroup = divide(weight.shape[0]!, constant(groups));
  return ([a, b, ...k]: readonly Index[]): Scalar => {
    const { axes, at } = call.context.axes([narrow.shape[0]!, ...narrow.shape.slice(2)]);
    const [n, ...place] = at as [Index, ...Index[]];
    const from = place.map((p, d) =>
      add(scale(p, window.stride[d]!), scale(k[d]!, window.dilation[d]!), constant(-window.padding[d]!)),
    );
    const guard = from.reduce<Scalar>((all, index, d) => both(all, inside(index, wide.shape[d + 2]!)), TRUE);
    const channel = groups === 1 ? b! : add(multiply(divide(a!, perGroup), weight.shape[1]!), b!);
    const left = cast(narrow.element([n, a!, ...place]), compute);
    const right = cast(wide.element([n, channel, ...from]), compute);
    return sumOf(axes, apply("mul", left, right), guard.kind === "constant" ? undefined : guard);
  };
};

const byBias = ({ call, grad }: Gradient) => {
  const compute = computeType(grad.dtype);
  return ([channel]: readonly Index[]): Scalar => {
    const { axes, at } = call.context.axes([grad.shape[0]!, ...grad.shape.slice(2)]);
    return sumOf(axes, cast(grad.element([at[0]!, channel!, ...at.slice(1)]), compute));
  };
};

export const CONVOLUTION_GRADIENTS = defineLowerings([
  lowering(
    "aten::convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
    (args, call) => {
      const grad = call.context.many(args.grad_output);
      const [input, weight] = [call.context.many(args.input), call.context.many(args.weight)];
      if (grad.shape.length !== weight.shape.length) return cannot("its images have no batch dimension");
      const window = windowOf(args, weight.shape.length - 2);
      const groups = fixedNumber(args.groups, "groups");
      const gradient: Gradient = { call, grad, input, weight, groups, window, isTransposed: args.transposed };
      const [needsInput, needsWeight, needsBias] = args.output_mask;
      return [
        needsInput ? result(gradient, 0, byInput(gradient)) : null,
        needsWeight ? result(gradient, 1, byWeight(gradient)) : null,
        needsBias ? result(gradient, 2, byBias(gradient)) : null,
      ];
    },
  ),
]);
