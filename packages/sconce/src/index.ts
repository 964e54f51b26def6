export { SconceError, isSconceError } from "@sconce/errors";
export { createContainer } from "./container.js";
export type { ModuleOptions, SconceOptions } from "./create-sconce.js";
export { createSconce, Sconce } from "./create-sconce.js";
export type { ProgramModule } from "./module.js";
export type { EvaluatorService, PassManagers } from "./tokens.js";
export { BACKEND, DECOMPOSITIONS, EVALUATOR, OPERATORS, PASS, PASS_MANAGER } from "./tokens.js";
