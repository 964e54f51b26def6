/** @file `library`: operators of the user's, as `torch.library` defines them. */
export {
  type CustomOp,
  type CustomOpOf,
  customOp,
  type DecompositionOptions,
  type ModelTypes,
  type SchemaOptions,
  type TypeOptions,
} from "./custom-op.js";
export { type DynamicSizeBounds, type FakeContext, getCtx } from "./fake-context.js";
export { fromPlugin, type PluginOperator } from "./from-plugin.js";
export { type OpCheckName, type OpCheckOptions, type OpCheckReport, opCheck } from "./op-check.js";
export { type OperatorPlugin, operators, plugin } from "./plugin.js";
export type { MutatesArgs, OperatorTypes } from "./read-schema.js";
