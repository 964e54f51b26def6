/** @file Tokens of the container: a test or an application overrides any service by registering under its token. */
import type { RandomSource } from "@sconce/backend-cpu";
import type { Backend, DialectRules, ExportedProgram, Problem, ProgramRunner } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type {
  Clock,
  CustomDecompTable,
  Evaluator,
  Pass,
  PassContext,
  PassManager,
  PassManagerOptions,
  Rule,
} from "@sconce/passes";
import type { InjectionToken } from "tsyringe";
import type { PluginSet } from "./plugin-set.js";

export const OPERATORS: InjectionToken<OperatorTable> = Symbol("Operators");
/** Registered once for each pass. */
export const PASS: InjectionToken<Pass> = Symbol("Pass");
/** Registered once for each rewrite rule. */
export const RULE: InjectionToken<Rule> = Symbol("Rule");
/** Registered once for each dialect that is not PyTorch's. */
export const DIALECT: InjectionToken<DialectRules> = Symbol("Dialect");
/** Registered once for each backend. */
export const BACKEND: InjectionToken<Backend> = Symbol("Backend");
/** The session's backends, the default first: all that are registered as {@link BACKEND}, unless overridden. */
export const BACKENDS: InjectionToken<readonly Backend[]> = Symbol("Backends");
/** A fresh default table each time it is resolved. */
export const DECOMPOSITIONS: InjectionToken<CustomDecompTable> = Symbol("Decompositions");
/** Computes single calls, for constant folding, and whole programs, for differential checks. */
export interface EvaluatorService {
  readonly evaluate: Evaluator;
  readonly run?: ProgramRunner | undefined;
}
export const EVALUATOR: InjectionToken<EvaluatorService> = Symbol("Evaluator");
/** Finds what is wrong with programs: for `verify`, and between passes. */
export interface Verifier {
  /** Between passes, with the program that the pass was given: what it left alone need not be looked at again. */
  verify(program: ExportedProgram, before?: ExportedProgram): readonly Problem[];
}
export const VERIFIER: InjectionToken<Verifier> = Symbol("Verifier");
/** What passes are timed by. */
export const CLOCK: InjectionToken<Clock> = Symbol("Clock");
/** Where warnings go; nowhere by default. */
export interface Logger {
  warn(message: string): void;
}
export const LOGGER: InjectionToken<Logger> = Symbol("Logger");
/** What the interpreter draws random numbers from. */
export const RANDOM: InjectionToken<RandomSource> = Symbol("Random");
/** Makes pass managers over the session's services. */
export interface PassManagers {
  create(options?: PassManagerOptions): PassManager;
  /** What passes may ask of the session. */
  context(): PassContext;
}
export const PASS_MANAGER: InjectionToken<PassManagers> = Symbol("PassManagers");
/** What came from plugins. */
export const PLUGINS: InjectionToken<PluginSet> = Symbol("Plugins");
