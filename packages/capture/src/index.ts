export { callOperator } from "./trace/dispatch.js";
export { type Size, SymInt } from "./trace/sym-int.js";
export { TracedTensor } from "./trace/traced-tensor.js";
