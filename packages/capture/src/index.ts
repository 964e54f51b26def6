export { float } from "@sconce/ir";
export { guard, sym } from "./torch/sym.js";
export { torch } from "./torch/torch.js";
export { callOperator } from "./trace/dispatch.js";
export { type Size, SymInt } from "./trace/sym-int.js";
export { TracedTensor } from "./trace/traced-tensor.js";
