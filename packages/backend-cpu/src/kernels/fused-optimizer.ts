/** @file Steps of optimizers over lists of parameters, and of the scale of their gradients. */
import type { FakeTensor } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { readNumbers, writeNumbers } from "../kernel/dense.js";
import { allocate, defineKernels, emptyOutputs, kernel } from "../kernel/kernel.js";
import { mapTuple, type TupleOf } from "../kernel/tuple.js";

type List = readonly Tensor[];
type Numbers = Float64Array;

/** Arguments that all optimizers have. */
interface Common {
  readonly self: List;
  readonly grads: List;
  readonly lr: number | Tensor;
  readonly weight_decay: number;
  readonly maximize: boolean;
  readonly grad_scale: Tensor | null;
  readonly found_inf: Tensor | null;
}

/**
 * Returns the elements as float64; none for a list that is empty (`max_exp_avg_sqs` without
 * amsgrad).
 */
const copyOfNumbers = (tensor: Tensor | undefined): Numbers =>
  tensor === undefined ? new Float64Array(0) : Float64Array.from(readNumbers(tensor));
const numberIn = (value: number | Tensor): number =>
  typeof value === "number" ? value : Number(readNumbers(value)[0]);

type Metas = readonly (readonly FakeTensor[])[];

function copyOf(tensor: Tensor, meta: FakeTensor): Tensor {
  const copy = allocate(meta);
  copyInto(copy, tensor);
  return copy;
}

/** New values of one parameter: of itself, of its gradient as given, of its state. */
type Step = (param: Numbers, grad: Numbers, state: readonly Numbers[], place: number) => void;

/**
 * Runs a step for each parameter. `step` gets the gradient as it is to be used: divided by its
 * scale, negated to maximize, with the decay of the weight where `decay` says so.
 */
function optimize<M extends Metas>(
  args: Common,
  states: readonly List[],
  meta: M,
  decay: boolean,
  step: Step,
): TupleOf<M, List> {
  const lists = [args.self, args.grads, ...states];
  const copies = mapTuple(meta, (fakes, k) => fakes.map((fake, i) => copyOf(lists[k]![i]!, fake)));
  if (args.found_inf !== null && numberIn(args.found_inf) === 1) return copies;
  const scale = args.grad_scale === null ? 1 : numberIn(args.grad_scale);
  for (let at = 0; at < args.self.length; at++) {
    const [param, grad, ...state] = copies.map((list) => copyOfNumbers(list[at]));
    for (let i = 0; i < grad!.length; i++) grad![i]! /= scale;
    if (args.grad_scale !== null) writeNumbers(copies[1]![at]!, grad!);
    for (let i = 0; i < grad!.length; i++) {
      if (args.maximize) grad![i] = -grad![i]!;
      if (decay && args.weight_decay !== 0) grad![i]! += param![i]! * args.weight_decay;
    }
    step(param!, grad!, state, at);
    writeNumbers(copies[0]![at]!, param!);
    for (const [k, values] of state.entries()) {
      const target = copies[k + 2]?.[at];
      if (target !== undefined) writeNumbers(target, values);
    }
  }
  return copies;
}

interface AdamArgs extends Common {
  readonly exp_avgs: List;
  readonly exp_avg_sqs: List;
  readonly max_exp_avg_sqs: List;
  readonly state_steps: List;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly amsgrad: boolean;
}

/** Adam, or AdamW, which takes the decay of the weight from the parameter itself. */
function adam<M extends Metas>(args: AdamArgs, isDecoupled: boolean, meta: M): TupleOf<M, List> {
  const { exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, beta1, beta2, eps, amsgrad } = args;
  const rate = numberIn(args.lr);
  const states = [exp_avgs, exp_avg_sqs, max_exp_avg_sqs];
  return optimize(args, states, meta, !isDecoupled, (param, grad, [mean, square, most], at) => {
    const count = numberIn(state_steps[at]!);
    const size = rate / (1 - beta1 ** count);
    const correction = Math.sqrt(1 - beta2 ** count);
    for (let i = 0; i < param.length; i++) {
      const g = grad[i]!;
      if (isDecoupled && args.weight_decay !== 0) param[i]! -= rate * args.weight_decay * param[i]!;
      mean![i]! += (g - mean![i]!) * (1 - beta1);
      square![i] = beta2 * square![i]! + (1 - beta2) * g * g;
      if (amsgrad) most![i] = Math.max(most![i]!, square![i]!);
      const root = Math.sqrt(amsgrad ? most![i]! : square![i]!);
      param[i]! -= (size * mean![i]!) / (root / correction + eps);
    }
  });
}

interface SgdArgs extends Common {
  readonly momentum_buffer_list: List;
  readonly momentum: number;
  readonly dampening: number;
  readonly nesterov: boolean;
  readonly is_first_step: boolean;
}

function sgd<M extends Metas>(args: SgdArgs, { meta }: { readonly meta: M }): TupleOf<M, List> {
  const { momentum, dampening, nesterov, is_first_step: isFirst } = args;
  const rate = numberIn(args.lr);
  return optimize(args, [args.momentum_buffer_list], meta, true, (param, grad, [buffer]) => {
    for (let i = 0; i < param.length; i++) {
      let g = grad[i]!;
      if (momentum !== 0) {
        buffer![i] = isFirst ? g : momentum * buffer![i]! + (1 - dampening) * g;
        g = nesterov ? g + momentum * buffer![i]! : buffer![i]!;
      }
      param[i]! -= rate * g;
    }
  });
}

interface AdagradArgs extends Common {
  readonly state_sums: List;
  readonly state_steps: List;
  readonly lr_decay: number;
  readonly eps: number;
}

function adagrad<M extends Metas>(args: AdagradArgs, { meta }: { readonly meta: M }): TupleOf<M, List> {
  const { state_sums, state_steps, lr_decay, eps } = args;
  return optimize(args, [state_sums, state_steps], meta, true, (param, grad, [sum], at) => {
    const rate = numberIn(args.lr) / (1 + (numberIn(state_steps[at]!) - 1) * lr_decay);
    for (let i = 0; i < param.length; i++) {
      sum![i]! += grad[i]! * grad[i]!;
      param[i]! -= (rate * grad[i]!) / (Math.sqrt(sum![i]!) + eps);
    }
  });
}

/** A scale that would not be finite stays. */
const updateScale = kernel(
  "aten::_amp_update_scale(Tensor self, Tensor growth_tracker, Tensor found_inf, float scale_growth_factor, float scale_backoff_factor, int growth_interval) -> (Tensor, Tensor growth_tracker_out)",
  (args, context) => {
    const [scale, tracker] = emptyOutputs(context);
    let [now, steps] = [numberIn(args.self), numberIn(args.growth_tracker)];
    if (numberIn(args.found_inf) !== 0) [now, steps] = [now * args.scale_backoff_factor, 0];
    else if (++steps === args.growth_interval) {
      const grown = Math.fround(now * args.scale_growth_factor);
      [now, steps] = [Number.isFinite(grown) ? grown : now, 0];
    }
    writeNumbers(scale, [now]);
    writeNumbers(tracker, [steps]);
    return [scale, tracker];
  },
);

const unscale = kernel(
  "aten::_amp_foreach_non_finite_check_and_unscale(Tensor[] self, Tensor found_inf, Tensor inv_scale) -> (Tensor[] self_out, Tensor found_inf_out)",
  ({ self, found_inf, inv_scale }, { meta }) => {
    const factor = numberIn(inv_scale);
    const found = copyOf(found_inf, meta[1]);
    const scaled = self.map((tensor, i) => {
      const values = copyOfNumbers(tensor);
      if (!values.every(Number.isFinite)) writeNumbers(found, [1]);
      const out = allocate(meta[0][i]!);
      writeNumbers(out, factor === 1 ? values : values.map((value) => value * factor));
      return out;
    });
    return [scaled, found];
  },
);

export const fusedOptimizerKernels = defineKernels([
  kernel(
    [
      "aten::_fused_adam(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] exp_avgs_out, Tensor[] exp_avg_sqs_out, Tensor[] max_exp_avg_sqs_out)",
      "aten::_fused_adam.tensor_lr(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] exp_avgs_out, Tensor[] exp_avg_sqs_out, Tensor[] max_exp_avg_sqs_out)",
    ],
    (args, { meta }) => adam(args, false, meta),
  ),
  kernel(
    [
      "aten::_fused_adamw(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] exp_avgs_out, Tensor[] exp_avg_sqs_out, Tensor[] max_exp_avg_sqs_out)",
      "aten::_fused_adamw.tensor_lr(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, Tensor lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] exp_avgs_out, Tensor[] exp_avg_sqs_out, Tensor[] max_exp_avg_sqs_out)",
    ],
    (args, { meta }) => adam(args, true, meta),
  ),
  kernel(
    [
      "aten::_fused_sgd(Tensor[] self, Tensor[] grads, Tensor[] momentum_buffer_list, *, float weight_decay, float momentum, float lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] momentum_buffer_list_out)",
      "aten::_fused_sgd.tensor_lr(Tensor[] self, Tensor[] grads, Tensor[] momentum_buffer_list, *, float weight_decay, float momentum, Tensor lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] momentum_buffer_list_out)",
    ],
    sgd,
  ),
  kernel(
    "aten::_fused_adagrad(Tensor[] self, Tensor[] grads, Tensor[] state_sums, Tensor[] state_steps, *, float lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] state_sums_out, Tensor[] state_steps_out)",
    adagrad,
  ),
  kernel(
    "aten::_fused_adagrad.tensor_lr(Tensor[] self, Tensor[] grads, Tensor[] state_sums, Tensor[] state_steps, *, Tensor lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] state_sums_out)",
    adagrad,
  ),
  updateScale,
  unscale,
]);
