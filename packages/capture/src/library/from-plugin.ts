/** @file Operators of plugins in models. */

import { createEvaluator, type KernelTable } from "@sconce/backend-cpu";
import { defaultOperators } from "@sconce/ops";
import { addCustomOperator } from "@sconce/torch";
import { callableOf } from "./custom-op.js";
import type { OperatorPlugin } from "./plugin.js";

/** An operator of a plugin, as models call it. */
export type PluginOperator = (...args: readonly unknown[]) => unknown;

/**
 * Lets models call the operators of a plugin (`defineOp`), such as those of
 * `sconce/torch-libraries`. Returns functions by the names of the operators: `mylib::twice`.
 *
 * @throws SconceError `DUPLICATE_OPERATOR` for an operator of PyTorch's
 * @example const { "torchvision::nms": nms } = library.fromPlugin(torchLibraries);
 */
export function fromPlugin({
  ops = [],
  kernels = {},
}: Partial<OperatorPlugin>): Readonly<Record<string, PluginOperator>> {
  const operators = defaultOperators().extend(ops);
  const evaluate = createEvaluator({ operators, kernels: kernels as KernelTable });
  return Object.fromEntries(
    ops.map((row) => {
      const run = (args: readonly unknown[], kwargs: Readonly<Record<string, unknown>>): unknown =>
        evaluate(row.target, args as never, kwargs as never);
      addCustomOperator(row.target, { row, run });
      const { namespace, name, overload } = row.schema;
      const opName = `${namespace}::${name}${overload === "default" ? "" : `.${overload}`}`;
      return [opName, callableOf(opName, row.schema, row.schemaText)];
    }),
  );
}
