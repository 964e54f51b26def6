/**
 * @file Calls in functions of `vmap` that run at once, item by item. PyTorch runs such a function
 * once, on all items: a tensor that all items share is written once or not at all, and nothing
 * depends on the values of one item.
 */
import { writtenArguments } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import { modelOperators } from "./custom-operators.js";
import { refusedItemCall, repeatedWrite, sharedWrite, unequalItems } from "./errors.js";
import type { Draw } from "./lane-draws.js";
import { hideValues, isItemValue, readingItems, runningItems } from "./lane-items.js";
import { operand, refusedInLanes } from "./lane-verdicts.js";
import { tensorsIn } from "./tensors-in.js";

/**
 * Runs a call, and follows which of its results depend on items.
 *
 * @param isDraw whether the call draws random numbers
 * @throws SconceError `CONTROL_FLOW_ARGUMENTS` for a write to a tensor that items share, and for
 * what PyTorch cannot do for a batch
 */
export function inItems<T>({ target, args, kwargs }: Draw, isDraw: boolean, run: () => T): T {
  const running = runningItems();
  const operands = tensorsIn([args, Object.values(kwargs)]);
  const { schema } = modelOperators().require(target);
  const refused = refusedInLanes({ target, schema, args, kwargs, isBatched: isItemValue });
  if (refused !== undefined) throw refusedItemCall(target, refused);
  if (isFlatRoll(target, args) && isItemValue(args[0]))
    throw refusedItemCall(
      target,
      "roll of a number for each item moves numbers between the items in PyTorch",
    );
  if (schema.isMutable)
    for (const { name } of writtenArguments(schema))
      for (const one of tensorsIn(operand({ schema, args, kwargs }, name))) requireOwn(target, one, operands);
  const result = readingItems(run);
  const memory = new Set(operands.map(({ storage }) => storage));
  const results = tensorsIn(result);
  for (const item of running) {
    const isOther = isDraw && item.randomness === "different";
    const isBatched = isOther || operands.some((one) => item.batched.has(one));
    if (isBatched) {
      const unequal = item.note(results);
      if (unequal !== undefined) throw unequalItems(target, unequal.first, unequal.now, item.index);
    }
    for (const one of results) {
      if (isBatched) hideValues(item, one);
      if (!memory.has(one.storage)) item.made.add(one.storage);
    }
  }
  return result;
}

/**
 * Returns whether a call rolls a number without dimensions. It has no verdict: functorch takes it,
 * and so does an export, but items that run one by one cannot give its result.
 */
const isFlatRoll = (target: string, [self, , dims]: readonly unknown[]): boolean =>
  target === "aten.roll.default" &&
  (self as Tensor).ndim === 0 &&
  ((dims ?? []) as readonly unknown[]).length === 0;

function requireOwn(target: string, self: Tensor, operands: readonly Tensor[]): void {
  runningItems().forEach(({ batched, made }, at) => {
    if (batched.has(self)) return;
    if (operands.some((one) => batched.has(one))) throw sharedWrite(target, at + 1);
    if (!made.has(self.storage)) throw repeatedWrite(target);
  });
}
