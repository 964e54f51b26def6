/** @file Activations and dropout of `nn.functional` (`torch/nn/functional.py`). */
import { float, toNumber } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { invalidArgument } from "../functions/errors.js";
import { callMethod, callNn, callTorch } from "../functions/function-tables.js";
import type { PythonArguments } from "../functions/python-function.js";

/** The body of a function, which takes its arguments by name. */
export type Body = (args: PythonArguments) => unknown;

type Call = (name: string, args: readonly unknown[]) => unknown;

/** Calls a function or its in-place variant with these arguments. */
const activation =
  (call: Call, name: string, ...parameters: readonly string[]): Body =>
  (args) =>
    call(args["inplace"] ? `${name}_` : name, [args["input"], ...parameters.map((key) => args[key])]);

function checkProbability({ p }: PythonArguments): void {
  if (!(toNumber(p) >= 0 && toNumber(p) <= 1))
    throw invalidArgument(
      "functional.dropout",
      `p ${toNumber(p)} is not a probability`,
      "use a number from 0 to 1",
    );
}

const dropout =
  (name: string): Body =>
  ({ input, p, training, inplace, ...rest }) => {
    checkProbability({ p, ...rest });
    return callTorch(inplace ? `${name}_` : name, [input, p, training]);
  };

/** Drops whole channels; inputs without a batch get one for the call. */
const channelDropout =
  (batched: number | undefined, allowed: readonly number[]): Body =>
  (args) => {
    const { inplace, p, training } = args;
    checkProbability(args);
    let input = args["input"] as Tensor;
    if (batched === 3 && !allowed.includes(input.ndim))
      throw invalidArgument(
        "functional.dropout1d",
        `the input has ${input.ndim} dimensions`,
        "use 2 or 3 dimensions",
      );
    const wraps = batched !== undefined && input.ndim !== batched;
    if (wraps) input = callMethod(input, inplace ? "unsqueeze_" : "unsqueeze", [0]) as Tensor;
    const result = callTorch(inplace ? "feature_dropout_" : "feature_dropout", [
      input,
      p,
      training,
    ]) as Tensor;
    return wraps ? callMethod(result, inplace ? "squeeze_" : "squeeze", [0]) : result;
  };

/** Returns the dimension that PyTorch takes when none is given. */
const implicitDim = (ndim: number): number => (ndim === 0 || ndim === 1 || ndim === 3 ? 0 : 1);

const softmax =
  (name: string, isNegated = false): Body =>
  ({ input, dim, dtype }) => {
    const operand = isNegated ? (callMethod(input, "neg") as Tensor) : (input as Tensor);
    return callMethod(operand, name, [dim ?? implicitDim(operand.ndim)], dtype === null ? {} : { dtype });
  };

function gumbelSoftmax({ logits, tau, hard, dim }: PythonArguments): unknown {
  const format = { memoryFormat: "contiguous_format" };
  const empty = callTorch("empty_like", [logits], format) as Tensor;
  const logs = callMethod(callMethod(empty, "exponential_") as Tensor, "log") as Tensor;
  const noise = callMethod(logs, "neg") as Tensor;
  const gumbels = callMethod(callMethod(logits, "add", [noise]) as Tensor, "div", [tau]) as Tensor;
  const soft = callMethod(gumbels, "softmax", [dim]) as Tensor;
  if (!hard) return soft;
  const [, index] = callMethod(soft, "max", [dim], { keepdim: true }) as readonly Tensor[];
  const zeros = callTorch("zeros_like", [logits], format) as Tensor;
  const one = callMethod(zeros, "scatter_", [dim, index, float(1)]) as Tensor;
  const difference = callMethod(one, "sub", [callMethod(soft, "detach")]) as Tensor;
  return callMethod(difference, "add", [soft]);
}

function glu({ input, dim }: PythonArguments): unknown {
  if (input.ndim === 0)
    throw invalidArgument("functional.glu", "the input is a scalar", "use a tensor of even sizes");
  return callNn("glu", [input, dim]);
}

function hardtanh(args: PythonArguments): unknown {
  if (toNumber(args["minVal"]) > toNumber(args["maxVal"]))
    throw invalidArgument("functional.hardtanh", "minVal is greater than maxVal", "exchange them");
  return activation(callNn, "hardtanh", "minVal", "maxVal")(args);
}

/** The functions by PyTorch's name. */
export const ACTIVATIONS: Readonly<Record<string, Body>> = {
  alpha_dropout: dropout("alpha_dropout"),
  celu: activation(callTorch, "celu", "alpha"),
  dropout: dropout("dropout"),
  dropout1d: channelDropout(3, [2, 3]),
  dropout2d: channelDropout(undefined, []),
  dropout3d: channelDropout(5, []),
  elu: activation(callNn, "elu", "alpha"),
  feature_alpha_dropout: dropout("feature_alpha_dropout"),
  glu,
  gumbel_softmax: gumbelSoftmax,
  hardsigmoid: activation(callNn, "hardsigmoid"),
  hardswish: activation(callNn, "hardswish"),
  hardtanh,
  leaky_relu: activation(callNn, "leaky_relu", "negativeSlope"),
  log_softmax: softmax("log_softmax"),
  mish: activation(callNn, "mish"),
  relu: activation(callTorch, "relu"),
  relu6: activation(callNn, "relu6"),
  rrelu: activation(callTorch, "rrelu", "lower", "upper", "training"),
  selu: activation(callTorch, "selu"),
  sigmoid: ({ input }) => (input as Tensor).sigmoid(),
  silu: activation(callNn, "silu"),
  softmax: softmax("softmax"),
  softmin: softmax("softmax", true),
  softsign: ({ input }) => {
    const bound = callMethod(callMethod(input, "abs") as Tensor, "add", [1]);
    return callMethod(input, "div", [bound]);
  },
  tanh: ({ input }) => (input as Tensor).tanh(),
  tanhshrink: ({ input }) => callMethod(input, "sub", [callMethod(input, "tanh")]),
  threshold: activation(callTorch, "threshold", "threshold", "value"),
};
