export { proveRows, type RowProof } from "./rows/prove-rows.js";
export { type ModelServer, serve } from "./serve.js";
export type { ServedProgram, ServeEvent, ServeOptions } from "./settings/options.js";
