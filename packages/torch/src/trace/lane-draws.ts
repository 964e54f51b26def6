/** @file Random numbers in functions of `vmap` that run at once, item by item. */
import { dtypeLiteral, type ScalarLiteral, toNumber } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { differentItemDraw, differentSharedDraw, randomItem, sameItemDraw } from "./errors.js";
import { type ItemRun, runningItems } from "./lane-items.js";
import { tensorsIn } from "./tensors-in.js";

/** Runs an operator on tensors with values. */
export type Run = (
  target: string,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
) => unknown;

/** A call that draws random numbers. */
export interface Draw {
  readonly target: string;
  readonly args: readonly unknown[];
  readonly kwargs: Readonly<Record<string, unknown>>;
}

/** Factories, with the place of their sizes. */
const SIZES: Readonly<Record<string, number>> = {
  "aten.rand.default": 0,
  "aten.randn.default": 0,
  "aten.randint.default": 1,
  "aten.randint.low": 2,
  "aten.normal.float_float": 2,
};

/** Writes of numbers that do not depend on those that are there. */
const FILLS =
  /^aten\.(normal_|uniform_|exponential_|cauchy_|log_normal_|geometric_|random_|bernoulli_)\.(default|float|from|to)$/;
/** New tensors of the sizes of one that is there. */
const LIKES = /^aten\.(rand|randn|randint)_like\./;
const DROPOUTS = /^aten\.(native_)?dropout\.default$/;

/** Returns whether a call of a random operator draws: dropout of evaluation does not. */
export function drawsNumbers({ target, args, kwargs }: Draw): boolean {
  const [p, train] = [args[1] ?? kwargs["p"], args[2] ?? kwargs["train"]];
  if (target === "aten.native_dropout.default") return train !== false;
  if (/^aten\.(feature_|alpha_|feature_alpha_)?dropout_?\.default$/.test(target))
    return train !== false && numberOf(p) > 0 && numberOf(p) < 1;
  if (/^aten\.(rnn_tanh|rnn_relu|gru|lstm)\.input$/.test(target))
    return numberOf(args[5]) !== 0 && args[6] !== false && Number(args[4]) > 1;
  if (target === "aten.scaled_dot_product_attention.default")
    return numberOf(args[4] ?? kwargs["dropout_p"] ?? 0) !== 0;
  return true;
}

/** Returns a number of a call whose arguments are not checked yet; null counts as 0. */
const numberOf = (value: unknown): number => toNumber((value === null ? 0 : value) as ScalarLiteral);

const operandsOf = ({ args, kwargs }: Draw): Tensor[] => tensorsIn([args, Object.values(kwargs)]);

/**
 * Runs a random operator in the items that run: it draws as PyTorch draws for all items at once.
 *
 * @throws SconceError `CONTROL_FLOW_ARGUMENTS` for what the modes of the batches refuse
 */
export function drawnInItems<T>(call: Draw, run: Run): T {
  const items = runningItems();
  return drawAt(items, items.length - 1, call, run) as T;
}

/** Draws in the batches up to one. */
function drawAt(items: readonly ItemRun[], at: number, call: Draw, run: Run): unknown {
  const item = items[at];
  if (item === undefined) return run(call.target, call.args, call.kwargs);
  if (item.randomness === "error") throw randomItem();
  const outside = (target: string, args: readonly unknown[], kwargs: Draw["kwargs"] = {}): unknown =>
    drawAt(items, at - 1, { target, args, kwargs }, run);
  const batched = operandsOf(call).filter((one) => item.batched.has(one));
  const readsSizesOnly = FILLS.test(call.target) || LIKES.test(call.target) || DROPOUTS.test(call.target);
  if (item.randomness === "same") {
    // Each item begins with the same state of the generator.
    if (batched.length > 0 && !readsSizesOnly && !isSizedBySelf(call, batched)) throw sameItemDraw();
    return outside(call.target, call.args, call.kwargs);
  }
  return differentDraw(item, call, { batched, run, outside });
}

/** Returns whether a draw reads only the sizes of its batched operands. */
const isSizedBySelf = ({ target, args }: Draw, batched: readonly Tensor[]): boolean =>
  /^aten\.(feature_dropout|alpha_dropout|feature_alpha_dropout|scaled_dot_product_attention)\./.test(
    target,
  ) ||
  (target === "aten.bernoulli_.Tensor" && batched.every((one) => one === args[0]));

interface Around {
  readonly batched: readonly Tensor[];
  readonly run: Run;
  readonly outside: (target: string, args: readonly unknown[], kwargs?: Draw["kwargs"]) => unknown;
}

/** Draws for all items at the first one, and gives each item its part. */
function differentDraw(item: ItemRun, call: Draw, { batched, run, outside }: Around): unknown {
  const { target, args, kwargs } = call;
  const own = (all: unknown): unknown =>
    Array.isArray(all) ? all.map(own) : run("aten.select.int", [all, 0, item.index], {});
  const rows = (tensor: Tensor): Tensor => Tensor.empty([item.count, ...tensor.shape], tensor.dtype);
  const place = SIZES[target];
  if (place !== undefined) {
    const sizes = args.with(place, [item.count, ...(args[place] as number[])]);
    return own(item.drawn(() => outside(target, sizes, kwargs)));
  }
  const self = args[0] as Tensor;
  if (LIKES.test(target)) return own(item.drawn(() => outside(target, args.with(0, rows(self)), kwargs)));
  if (FILLS.test(target) || target === "aten.bernoulli_.Tensor") {
    if (!item.batched.has(self)) throw differentSharedDraw();
    if (batched.some((one) => one !== self)) throw differentItemDraw(target);
    const drawn = item.drawn(() => outside(target, args.with(0, rows(self)), kwargs));
    return run("aten.copy_.default", [self, own(drawn)], {});
  }
  if (DROPOUTS.test(target)) return dropped(item, call, { batched, run, outside }, own);
  if (batched.length > 0 && target !== "aten.bernoulli.p") throw differentItemDraw(target);
  if (target === "aten.randperm.default") {
    const all = item.drawn(() => Array.from({ length: item.count }, () => outside(target, args, kwargs)));
    return all[item.index];
  }
  if (!EXPANDED.test(target)) throw differentItemDraw(target);
  const expand = (value: unknown): unknown =>
    value instanceof Tensor ? run("aten.expand.default", [value, [item.count, ...value.shape]], {}) : value;
  return own(item.drawn(() => outside(target, args.map(expand), kwargs)));
}

/** Operators that draw for each element of their operands. */
const EXPANDED =
  /^aten\.(bernoulli\.(default|p)|normal\.(Tensor_Tensor|Tensor_float|float_Tensor)|poisson\.default|multinomial\.default|_standard_gamma\.default|_sample_dirichlet\.default|binomial\.default)$/;

/** Multiplies a tensor with the part of the item of what dropout leaves of ones. */
function dropped(
  item: ItemRun,
  { target, args, kwargs }: Draw,
  { run, outside }: Around,
  own: (all: unknown) => unknown,
): unknown {
  const self = args[0] as Tensor;
  const all = item.drawn(() => {
    const ones = run("aten.ones.default", [[item.count, ...self.shape]], { dtype: dtypeLiteral(self.dtype) });
    return outside(target, args.with(0, ones), kwargs);
  });
  const kept = own(all);
  if (!Array.isArray(kept)) return run("aten.mul.Tensor", [self, kept], {});
  return [run("aten.mul.Tensor", [self, (kept as Tensor[])[0]], {}), (kept as Tensor[])[1]];
}
