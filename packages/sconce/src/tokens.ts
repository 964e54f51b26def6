/** @file Tokens of the container: a test or an application overrides any service by registering under its token. */
import type { Backend, ProgramRunner } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type {
  CustomDecompTable,
  Evaluator,
  Pass,
  PassContext,
  PassManager,
  PassManagerOptions,
  Rule,
} from "@sconce/passes";
import type { InjectionToken } from "tsyringe";

export const OPERATORS: InjectionToken<OperatorTable> = Symbol("Operators");
/** Registered once for each pass. */
export const PASS: InjectionToken<Pass> = Symbol("Pass");
/** Registered once for each rewrite rule. */
export const RULE: InjectionToken<Rule> = Symbol("Rule");
/** Registered once for each backend; the first is the default. */
export const BACKEND: InjectionToken<Backend> = Symbol("Backend");
/** A fresh default table each time it is resolved. */
export const DECOMPOSITIONS: InjectionToken<CustomDecompTable> = Symbol("Decompositions");
/** Computes single calls, for constant folding, and whole programs, for differential checks. */
export interface EvaluatorService {
  readonly evaluate: Evaluator;
  readonly run?: ProgramRunner | undefined;
}
export const EVALUATOR: InjectionToken<EvaluatorService> = Symbol("Evaluator");
/** Makes pass managers over the session's services. */
export interface PassManagers {
  create(options?: PassManagerOptions): PassManager;
  /** What passes may ask of the session. */
  context(): PassContext;
}
export const PASS_MANAGER: InjectionToken<PassManagers> = Symbol("PassManagers");
