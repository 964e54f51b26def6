/**
 * @file Writes in functions of `vmap` that run at once, item by item. PyTorch runs such a function
 * once, on all items: a tensor that all items share is written once or not at all.
 */
import { writtenArguments } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import { modelOperators } from "./custom-operators.js";
import { repeatedWrite, sharedWrite } from "./errors.js";
import { tensorsIn } from "./tensors-in.js";

/** What is known of the values of an item. */
interface ItemValues {
  /** Values that the item decides. */
  readonly batched: WeakSet<Tensor>;
  /** Memory that was allocated for the item. */
  readonly made: WeakSet<object>;
}

/** The items that run, the outermost first. */
const running: ItemValues[] = [];

/** Runs the function of one item, which reads these tensors of the batch. */
export function withItem<T>(items: readonly Tensor[], run: () => T): T {
  running.push({ batched: new WeakSet(items), made: new WeakSet() });
  try {
    return run();
  } finally {
    running.pop();
  }
}

/** Takes note of a tensor that is made of numbers. */
export function noteMade({ storage }: Tensor): void {
  for (const { made } of running) made.add(storage);
}

/**
 * Runs a call, and follows which of its results depend on items.
 *
 * @throws SconceError `CONTROL_FLOW_ARGUMENTS` for a write to a tensor that items share
 */
export function inItems<T>(
  target: string,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
  run: () => T,
): T {
  if (running.length === 0) return run();
  const operands = tensorsIn([args, Object.values(kwargs)]);
  const { schema } = modelOperators().require(target);
  if (schema.isMutable) {
    const place = (name: string): number => schema.args.findIndex((arg) => arg.name === name);
    for (const { name } of writtenArguments(schema))
      for (const one of tensorsIn(kwargs[name] ?? args[place(name)])) requireOwn(target, one, operands);
  }
  const result = run();
  const memory = new Set(operands.map(({ storage }) => storage));
  const results = tensorsIn(result);
  for (const { batched, made } of running) {
    const isBatched = operands.some((one) => batched.has(one));
    for (const one of results) {
      if (isBatched) batched.add(one);
      if (!memory.has(one.storage)) made.add(one.storage);
    }
  }
  return result;
}

function requireOwn(target: string, self: Tensor, operands: readonly Tensor[]): void {
  running.forEach(({ batched, made }, at) => {
    if (batched.has(self)) return;
    if (operands.some((one) => batched.has(one))) throw sharedWrite(target, at + 1);
    if (!made.has(self.storage)) throw repeatedWrite(target);
  });
}
