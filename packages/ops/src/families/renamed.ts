/** @file Overloads that are another one under a second name: same arguments in the same order. */
import { defineOp, type OpDefinition, type OpTag } from "../rows/define-op.js";
import type { EmitArg } from "../rows/emit.js";
import { parseSchema } from "../schema/schema.js";

/** Which overload each of them calls, as PyTorch's composite kernels do. */
const RENAMED: Readonly<Record<string, string>> = {
  "aten::clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor": "aten.clamp.Tensor",
  "aten::data(Tensor self) -> Tensor": "aten.detach.default",
  "aten::divide.Scalar(Tensor self, Scalar other) -> Tensor": "aten.div.Scalar",
  "aten::matrix_power(Tensor self, int n) -> Tensor": "aten.linalg_matrix_power.default",
  "aten::multiply.Scalar(Tensor self, Scalar other) -> Tensor": "aten.mul.Scalar",
  "aten::slow_conv3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0]) -> Tensor":
    "aten.slow_conv3d_forward.default",
  "aten::special_gammainc(Tensor self, Tensor other) -> Tensor": "aten.igamma.default",
  "aten::special_gammaincc(Tensor self, Tensor other) -> Tensor": "aten.igammac.default",
  "aten::special_log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor":
    "aten.log_softmax.int",
  "aten::special_logit(Tensor self, float? eps=None) -> Tensor": "aten.logit.default",
  "aten::special_logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor": "aten.logsumexp.default",
  "aten::special_multigammaln(Tensor self, int p) -> Tensor": "aten.mvlgamma.default",
  "aten::special_round(Tensor self, *, int decimals=0) -> Tensor": "aten.round.decimals",
  "aten::special_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor": "aten.softmax.int",
  "aten::special_xlogy(Tensor self, Tensor other) -> Tensor": "aten.xlogy.Tensor",
  "aten::special_xlogy.other_scalar(Tensor self, Scalar other) -> Tensor": "aten.xlogy.Scalar_Other",
  "aten::special_xlogy.self_scalar(Scalar self, Tensor other) -> Tensor": "aten.xlogy.Scalar_Self",
  "aten::subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor": "aten.sub.Scalar",
  "aten::thnn_conv2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0]) -> Tensor":
    "aten._slow_conv2d_forward.default",
  "aten::true_divide.Scalar(Tensor self, Scalar other) -> Tensor": "aten.div.Scalar",
};

/** Which overload has the numbers of an inner one, which lowering keeps. */
const INNER: Readonly<Record<string, string>> = {
  "aten::_index_put_impl(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False, bool unsafe=False) -> Tensor":
    "aten.index_put.default",
  "aten::_cholesky_solve_helper(Tensor self, Tensor A, bool upper) -> Tensor": "aten.cholesky_solve.default",
  "aten::_stack(Tensor[] tensors, int dim=0) -> Tensor": "aten.stack.default",
  "aten::_grid_sampler_2d_cpu_fallback(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor":
    "aten.grid_sampler_2d.default",
  "aten::_is_all_true(Tensor self) -> Tensor": "aten.all.default",
  "aten::_is_any_true(Tensor self) -> Tensor": "aten.any.default",
};

/** Arguments of {@link INNER} that say how PyTorch's kernel works, not what it computes. */
const IGNORED: ReadonlySet<string> = new Set(["unsafe"]);

/** Arguments that the called overload takes by keyword only: those of `round.decimals`. */
const BY_KEYWORD: ReadonlySet<string> = new Set(["decimals"]);

type AnySchema = "aten::exp(Tensor self) -> Tensor";

function renamed(schema: string, called: string, tag: OpTag): OpDefinition {
  const names = parseSchema(schema).args.flatMap(({ name }) => (IGNORED.has(name) ? [] : [name]));
  return defineOp({
    schema: schema as AnySchema,
    tags: [tag],
    decompose: (emit, bound) => {
      const values = bound as Readonly<Record<string, EmitArg>>;
      const positional = names.filter((name) => !BY_KEYWORD.has(name));
      const keywords = names.filter((name) => BY_KEYWORD.has(name));
      return emit(
        called,
        positional.map((name) => values[name]),
        Object.fromEntries(keywords.map((name) => [name, values[name]])),
      );
    },
  });
}

/** Second names of other overloads. */
export const renamedOps: readonly OpDefinition[] = [
  ...Object.entries(RENAMED).map(([schema, called]) => renamed(schema, called, "composite")),
  ...Object.entries(INNER).map(([schema, called]) => renamed(schema, called, "not_in_default_table")),
];
