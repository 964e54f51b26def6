/** @file Operators for runs of equal values, and the plugin that gives them to a session. */
import { library, type Tensor, torch } from "sconce";

const { customOp, getCtx } = library;

/** Most values that a sequence of runs represents. */
const MOST = 1000;

/** Repeats each value as often as its count says. */
export const decode = customOp(
  "runs::decode",
  { schema: "(Tensor values, Tensor counts) -> Tensor", mutatesArgs: [] },
  (values, counts): Tensor => {
    const items = values.tolist() as number[];
    const times = counts.tolist() as number[];
    return torch.tensor(
      items.flatMap((item, i) => new Array<number>(times[i]!).fill(item)),
      { dtype: values.dtype },
    );
  },
);
decode.registerFake((values) => values.newEmpty([getCtx().newDynamicSize({ max: MOST })]));

/** Adds the number of values, and their sum, to the totals. */
export const record = customOp(
  "runs::record",
  { schema: "(Tensor(a0!) totals, Tensor values) -> ()", mutatesArgs: ["totals"] },
  (totals, values) => {
    totals.add_(torch.stack([torch.tensor(values.numel), values.sum()]));
  },
);

/** The operators, for sessions and for `--plugin`. */
export default library.plugin("runs", [decode, record]);
