/** @file Tables looked up by indices, one at a time or in bags. */
import { add, constant, type Index, isWithin, ONE } from "../../ir/index-expr.js";
import {
  apply,
  cast,
  constantScalar,
  indexScalar,
  type ReduceKind,
  type Scalar,
  select,
} from "../../ir/scalar.js";
import { type LoweringCall, outOf } from "../core/call.js";
import type { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType } from "../core/numbers.js";
import { made, placeIn } from "../rules/made.js";

const MEAN = 1;
const MAXIMUM = 2;

interface BagArgs {
  readonly weight: LazyTensor;
  readonly indices: LazyTensor;
  readonly offsets: LazyTensor;
  readonly mode: number;
  readonly per_sample_weights: LazyTensor | null;
  readonly padding_idx: number;
}
/** A bag and a column of the result. */
interface Place {
  readonly bag: Index;
  readonly column: Index;
}
/** Bags of rows of a table. */
class Bags {
  readonly #context: LoweringCall["context"];
  readonly #weight: LazyTensor;
  readonly #indices: LazyTensor;
  readonly #offsets: LazyTensor;
  readonly #scales: LazyTensor | null;
  /** The row that is left out. */
  readonly #skipped: Index | undefined;

  constructor({ context }: LoweringCall, args: BagArgs) {
    this.#context = context;
    this.#weight = context.many(args.weight);
    this.#indices = context.many(args.indices);
    this.#offsets = context.many(args.offsets);
    this.#scales = args.per_sample_weights && context.many(args.per_sample_weights);
    this.#skipped = paddingRow(args.padding_idx, this.#weight.shape[0]!);
  }

  get inputs(): LazyTensor[] {
    const tensors = [this.#weight, this.#indices, this.#offsets];
    return this.#scales === null ? tensors : [...tensors, this.#scales];
  }

  #startOf(bag: Index): Scalar {
    return cast(this.#offsets.element([bag]), "int64");
  }
  #endOf(bag: Index): Scalar {
    const next = add(bag, ONE);
    const bags = this.#offsets.shape[0]!;
    if (isWithin(next, bags)) return this.#startOf(next);
    const isInner = apply("lt", indexScalar(next), indexScalar(bags));
    return select(isInner, this.#startOf(next), indexScalar(this.#indices.shape[0]!));
  }

  /** Reductions over the entries of a bag: of their elements, and of 1. */
  at({ bag, column }: Place, compute: LazyTensor["dtype"]) {
    const { axes, at } = this.#context.axes([this.#indices.shape[0]!]);
    const entry = at[0]!;
    const row = cast(this.#indices.element([entry]), "int64");
    const isIn = apply(
      "and",
      apply("ge", indexScalar(entry), this.#startOf(bag)),
      apply("lt", indexScalar(entry), this.#endOf(bag)),
    );
    const skipped = this.#skipped;
    const when = skipped === undefined ? isIn : apply("and", isIn, apply("ne", row, indexScalar(skipped)));
    const place = placeIn(row, this.#weight.shape[0]!, false);
    const element = cast(this.#weight.element([place, column]), compute);
    const scales = this.#scales;
    const value = scales === null ? element : apply("mul", element, cast(scales.element([entry]), compute));
    const reduced = (reduce: ReduceKind, body: Scalar): Scalar => ({
      kind: "reduce",
      dtype: body.dtype,
      reduce,
      axes,
      body,
      when,
    });
    return {
      count: reduced("sum", constantScalar(1, "int64")),
      total: (kind: ReduceKind) => reduced(kind, value),
    };
  }
}
/** The row that is left out: -1 is none, other negative ones count from the end. */
const paddingRow = (given: number, rows: Index): Index | undefined =>
  given === -1 ? undefined : given < 0 ? add(rows, constant(given)) : constant(given);

/** Rows of each bag summed, averaged, or their greatest elements. */
function embeddingBag(args: BagArgs, call: LoweringCall) {
  const bags = new Bags(call, args);
  const { dtype } = outOf(call);
  const compute = computeType(dtype);
  const out = made(call, {
    inputs: bags.inputs,
    operations: 4,
    heavy: true,
    element: ([bag, column]) => {
      const { count, total } = bags.at({ bag: bag!, column: column! }, compute);
      const isEmpty = apply("eq", count, constantScalar(0, "int64"));
      const zero = constantScalar(0, compute);
      if (args.mode === MAXIMUM) return cast(select(isEmpty, zero, total("max")), dtype);
      const sum = total("sum");
      if (args.mode !== MEAN) return cast(sum, dtype);
      return cast(select(isEmpty, zero, apply("div", sum, cast(count, compute))), dtype);
    },
  });
  call.context.materialize(out, { hint: { kind: "scatter" } });
  // The other results are for gradients only.
  return [out, null, null, null] as const;
}

export const EMBEDDINGS = defineLowerings([
  lowering(
    "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
    (args, call) => {
      const weight = call.context.many(args.weight);
      const indices = call.context.many(args.indices, 2);
      const lead = indices.shape.length;
      return made(call, {
        inputs: [weight, indices],
        element: (at) =>
          weight.element([
            placeIn(indices.element(at.slice(0, lead)), weight.shape[0]!, false),
            ...at.slice(lead),
          ]),
      });
    },
  ),
  lowering(
    [
      "aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
      "aten::_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
    ],
    embeddingBag,
  ),
]);
