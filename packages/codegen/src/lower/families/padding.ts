/** @file Padding by a number. */
import type { IntLike } from "@sconce/symbolic";
import { add, constant, type Index, scale, size, subtract } from "../../ir/index-expr.js";
import { apply, both, cast, indexScalar, type Scalar, select, TRUE } from "../../ir/scalar.js";
import { type LoweringCall, outOf } from "../core/call.js";
import type { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { checkedScalar } from "../core/numbers.js";
import { made } from "../rules/made.js";
import { inside } from "../rules/window.js";

interface ReflectionArgs {
  readonly self: LazyTensor;
  readonly padding: readonly IntLike[];
}
/** Elements before and after are those of the mirror: three ranges of each dimension. */
function reflected({ self, padding }: ReflectionArgs, call: LoweringCall): LazyTensor {
  const source = call.context.many(self, 2);
  const rank = self.shape.length;
  const dims = padding.length / 2;
  const element = (at: readonly Index[], dim: number): Scalar => {
    if (dim === rank) return source.element(at);
    const [before, extent] = [size(padding[2 * (rank - 1 - dim)]!), self.shape[dim]!];
    const place = subtract(at[dim]!, before);
    const from = (one: Index): Scalar => element(at.with(dim, one), dim + 1);
    const last = scale(subtract(extent, constant(1)), 2);
    const isBefore = apply("lt", indexScalar(at[dim]!), indexScalar(before));
    const isInside = apply("lt", indexScalar(at[dim]!), indexScalar(add(before, extent)));
    const behind = select(isInside, from(place), from(subtract(last, place)));
    return select(isBefore, from(scale(place, -1)), behind);
  };
  return made(call, { inputs: [source], operations: 2, element: (at) => element(at, rank - dims) });
}

export const PADDINGS = defineLowerings([
  lowering("aten::reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor", reflected),
  lowering("aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor", reflected),
  lowering("aten::reflection_pad3d(Tensor self, SymInt[6] padding) -> Tensor", reflected),
  // `pad` holds before and after for dimensions from the last; negative ones cut.
  lowering("aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor", (args, call) => {
    const { pad, value } = args;
    const self = call.context.reduced(args.self);
    const { dtype } = outOf(call);
    const before = self.shape.map((_, d) => size(pad[2 * (self.shape.length - 1 - d)] ?? 0));
    const outside = checkedScalar(value, dtype);
    return made(call, {
      inputs: [self],
      operations: 2,
      element: (at) => {
        const from = at.map((index, d) => add(index, scale(before[d]!, -1)));
        const guard = from.reduce<Scalar>((all, index, d) => both(all, inside(index, self.shape[d]!)), TRUE);
        return select(guard, cast(self.element(from), dtype), outside);
      },
    });
  }),
]);
