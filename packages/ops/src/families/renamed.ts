/** @file Overloads that are another one under a second name: same arguments in the same order. */
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { EmitArg } from "../rows/emit.js";
import { knownSchema, knownSchemaText } from "../schema/known-schemas.js";

/** Which overload each of them calls, as PyTorch's composite kernels do. */
const RENAMED: Readonly<Record<string, string>> = {
  "aten.clip.Tensor": "aten.clamp.Tensor",
  "aten.data.default": "aten.detach.default",
  "aten.divide.Scalar": "aten.div.Scalar",
  "aten.matrix_power.default": "aten.linalg_matrix_power.default",
  "aten.multiply.Scalar": "aten.mul.Scalar",
  "aten.slow_conv3d.default": "aten.slow_conv3d_forward.default",
  "aten.special_gammainc.default": "aten.igamma.default",
  "aten.special_gammaincc.default": "aten.igammac.default",
  "aten.special_log_softmax.default": "aten.log_softmax.int",
  "aten.special_logit.default": "aten.logit.default",
  "aten.special_logsumexp.default": "aten.logsumexp.default",
  "aten.special_multigammaln.default": "aten.mvlgamma.default",
  "aten.special_round.default": "aten.round.decimals",
  "aten.special_softmax.default": "aten.softmax.int",
  "aten.special_xlogy.default": "aten.xlogy.Tensor",
  "aten.special_xlogy.other_scalar": "aten.xlogy.Scalar_Other",
  "aten.special_xlogy.self_scalar": "aten.xlogy.Scalar_Self",
  "aten.subtract.Scalar": "aten.sub.Scalar",
  "aten.thnn_conv2d.default": "aten._slow_conv2d_forward.default",
  "aten.true_divide.Scalar": "aten.div.Scalar",
};

type AnySchema = "aten::exp(Tensor self) -> Tensor";

function renamed(target: string, called: string): OpDefinition {
  const schema = knownSchema(target)!;
  const byKeyword = new Set(knownSchema(called)!.args.flatMap((arg) => (arg.kwargOnly ? [arg.name] : [])));
  return defineOp({
    schema: knownSchemaText(target)! as AnySchema,
    tags: ["composite"],
    decompose: (emit, bound) => {
      const values = bound as Readonly<Record<string, EmitArg>>;
      const kwargs = Object.fromEntries(Object.entries(values).filter(([name]) => byKeyword.has(name)));
      const positional = schema.args.filter(({ name }) => !byKeyword.has(name));
      return emit(
        called,
        positional.map(({ name }) => values[name]),
        kwargs,
      );
    },
  });
}

/** Second names of other overloads. */
export const renamedOps: readonly OpDefinition[] = Object.entries(RENAMED).map(([target, called]) =>
  renamed(target, called),
);
