/**
 * @file Steps of optimizers over all parameters at once (`torch/optim`, `fused=True`): the new
 * values of every list, in the order of the arguments.
 */
import type { FakeTensor } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { invalidArgument } from "../rows/errors.js";
import { emptyLike } from "../rules/options.js";

type List = readonly FakeTensor[];

/** Clones of the tensors of each list. */
function copiesOf(env: SymEnv, lists: readonly List[]): readonly List[] {
  const [first] = lists;
  if (first === undefined || first.length === 0)
    throw invalidArgument("Tensor list must have at least one tensor.");
  return lists.map((list) => list.map((tensor) => emptyLike(tensor, env)));
}

type AdamSchema =
  "aten::_fused_adam(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] exp_avgs_out, Tensor[] exp_avg_sqs_out, Tensor[] max_exp_avg_sqs_out)";
type SgdSchema =
  "aten::_fused_sgd(Tensor[] self, Tensor[] grads, Tensor[] momentum_buffer_list, *, float weight_decay, float momentum, float lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] momentum_buffer_list_out)";
type AdagradSchema =
  "aten::_fused_adagrad(Tensor[] self, Tensor[] grads, Tensor[] state_sums, Tensor[] state_steps, *, float lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] state_sums_out, Tensor[] state_steps_out)";

/** The learning rate is a number, or a tensor of one element. */
const RATES = [
  ["", "float"],
  [".tensor_lr", "Tensor"],
] as const;

const adam = ["adam", "adamw"].flatMap((name) =>
  RATES.map(([overload, rate]) =>
    defineOp({
      schema:
        `aten::_fused_${name}${overload}(Tensor[] self, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, Tensor[] max_exp_avg_sqs, Tensor[] state_steps, *, ${rate} lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] exp_avgs_out, Tensor[] exp_avg_sqs_out, Tensor[] max_exp_avg_sqs_out)` as AdamSchema,
      meta: ({ self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs }, { env }) =>
        copiesOf(env, [self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs]),
    }),
  ),
);

const sgd = RATES.map(([overload, rate]) =>
  defineOp({
    schema:
      `aten::_fused_sgd${overload}(Tensor[] self, Tensor[] grads, Tensor[] momentum_buffer_list, *, float weight_decay, float momentum, ${rate} lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] momentum_buffer_list_out)` as SgdSchema,
    meta: ({ self, grads, momentum_buffer_list: buffers }, { env }) => copiesOf(env, [self, grads, buffers]),
  }),
);

const adagrad = RATES.map(([overload, rate]) =>
  defineOp({
    schema:
      `aten::_fused_adagrad${overload}(Tensor[] self, Tensor[] grads, Tensor[] state_sums, Tensor[] state_steps, *, ${rate} lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> (Tensor[] self_out, Tensor[] grads_out, Tensor[] state_sums_out${overload === "" ? ", Tensor[] state_steps_out" : ""})` as AdagradSchema,
    meta: ({ self, grads, state_sums, state_steps }, { env }) =>
      copiesOf(env, [self, grads, state_sums, ...(overload === "" ? [state_steps] : [])]),
  }),
);

export const fusedOptimizerOps: readonly OpDefinition[] = [...adam, ...sgd, ...adagrad];
