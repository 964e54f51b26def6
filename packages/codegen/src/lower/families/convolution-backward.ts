/** @file Gradients of convolutions: by the input a convolution the other way, by the weight a sum over places. */
import { add, constant, divide, type Index, multiply, scale } from "../../ir/index-expr.js";
import { apply, both, cast, type Scalar, TRUE } from "../../ir/scalar.js";
import {
  cannot,
  computeType,
  flag,
  type Lowering,
  type LoweringCall,
  outOf,
  shapeOf,
  tensorArg,
} from "../call.js";
import { LazyTensor } from "../lazy.js";
import { convolutionCell, inside, sumOf, transposedCell, type Window, windowOf } from "./contract.js";

interface Gradient {
  readonly of: LoweringCall;
  readonly grad: LazyTensor;
  readonly input: LazyTensor;
  readonly weight: LazyTensor;
  readonly groups: number;
  readonly window: Window;
  readonly isTransposed: boolean;
}

export const convolutionBackward: Lowering = {
  rule: (of) => {
    const [grad, input, weight] = ["grad_output", "input", "weight"].map((name) =>
      of.context.many(tensorArg(of, name)),
    ) as [LazyTensor, LazyTensor, LazyTensor];
    if (grad.shape.length !== weight.shape.length) return cannot("its images have no batch dimension");
    const window = windowOf(of, weight.shape.length - 2);
    const isTransposed = flag(of, "transposed");
    const gradient = { of, grad, input, weight, groups: Number(of.args["groups"]), window, isTransposed };
    const mask = of.args["output_mask"] as readonly boolean[];
    const cells = [byInput, byWeight, byBias];
    return cells.map((cell, i) => (mask[i] === true ? result(gradient, i, cell(gradient)) : null));
  },
};
function result(
  { of, grad, input, weight }: Gradient,
  at: number,
  cell: (at: readonly Index[]) => Scalar,
): LazyTensor {
  const out = outOf(of, at);
  const tensor = new LazyTensor({
    dtype: out.dtype,
    shape: shapeOf(out),
    node: of.node,
    inputs: [grad, input, weight],
    heavy: true,
    operations: 2,
    cell: (place) => cast(cell(place), out.dtype),
  });
  of.context.made(tensor);
  return tensor;
}

/** The weight of a convolution is that of the transposed one that leads back. */
const byInput = ({ of, grad, weight, groups, window, isTransposed }: Gradient) =>
  (isTransposed ? convolutionCell : transposedCell)(of, grad, weight, groups, window);

/** `sum(narrow[n, a, p] * wide[n, g*c + b, p*stride - padding + k*dilation])` over images and places. */
const byWeight = ({ of, grad, input, weight, groups, window, isTransposed }: Gradient) => {
  const [narrow, wide] = isTransposed ? [input, grad] : [grad, input];
  const compute = computeType(grad.dtype);
  const perGroup = divide(weight.shape[0]!, constant(groups));
  return ([a, b, ...k]: readonly Index[]): Scalar => {
    const { axes, at } = of.context.axes([narrow.shape[0]!, ...narrow.shape.slice(2)]);
    const [n, ...place] = at as [Index, ...Index[]];
    const from = place.map((p, d) =>
      add(scale(p, window.stride[d]!), scale(k[d]!, window.dilation[d]!), constant(-window.padding[d]!)),
    );
    const guard = from.reduce<Scalar>((all, index, d) => both(all, inside(index, wide.shape[d + 2]!)), TRUE);
    const channel = groups === 1 ? b! : add(multiply(divide(a!, perGroup), weight.shape[1]!), b!);
    const left = cast(narrow.cell([n, a!, ...place]), compute);
    const right = cast(wide.cell([n, channel, ...from]), compute);
    return sumOf(axes, apply("mul", left, right), guard.kind === "constant" ? undefined : guard);
  };
};

const byBias = ({ of, grad }: Gradient) => {
  const compute = computeType(grad.dtype);
  return ([channel]: readonly Index[]): Scalar => {
    const { axes, at } = of.context.axes([grad.shape[0]!, ...grad.shape.slice(2)]);
    return sumOf(axes, cast(grad.cell([at[0]!, channel!, ...at.slice(1)]), compute));
  };
};
