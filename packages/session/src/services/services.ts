/** @file The services of a session. A test or an application replaces any of them by name. */
import type { RandomSource } from "@sconce/backend-cpu";
import type { Backend, ExportedProgram, Problem, ProgramRunner } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type {
  Clock,
  CustomDecompTable,
  Evaluator,
  PassContext,
  PassManager,
  PassManagerOptions,
} from "@sconce/passes";

/** Computes single calls, for constant folding, and whole programs, for differential checks. */
export interface EvaluatorService {
  /** Runs one operator on values. */
  readonly evaluate: Evaluator;
  /** Runs a whole program on values; checks of passes need it. */
  readonly run?: ProgramRunner | undefined;
}

/** Finds the problems of programs: for `verify`, and between passes. */
export interface Verifier {
  /**
   * Between passes, `before` is the program that the pass was given: unchanged parts are not
   * verified again.
   */
  verify(program: ExportedProgram, before?: ExportedProgram): readonly Problem[];
}

/** Receives warnings. */
export interface Logger {
  /** Takes a warning: something that works but may surprise. */
  warn(message: string): void;
}

/** Makes pass managers over the session's services. */
export interface PassManagers {
  /** Returns a manager for one run of a pipeline. */
  create(options?: PassManagerOptions): PassManager;
  /** Returns what passes may ask of the session. */
  context(): PassContext;
}

/** The services of a session, by name. */
export interface Services {
  /** The operator table: PyTorch's operators, and those of the plugins. */
  readonly operators: OperatorTable;
  /** The backends, the default first: `auto`, the interpreter, then those that were given. */
  readonly backends: readonly Backend[];
  /** A fresh decomposition table for each reader: PyTorch's entries, and those of the plugins. */
  readonly decompositions: CustomDecompTable;
  /** Computes calls and programs; the interpreter by default. */
  readonly evaluator: EvaluatorService;
  /** The verifier, with the dialects of the plugins. */
  readonly verifier: Verifier;
  /** Makes the managers that run pipelines. */
  readonly passManagers: PassManagers;
  /** Measures the time of passes; `performance` by default. */
  readonly clock: Clock;
  /** Receives warnings; `console.warn` by default. */
  readonly logger: Logger;
  /** The interpreter's source of random numbers; a Mersenne Twister of seed 0 by default. */
  readonly random: RandomSource;
}

/** A service in place of the session's own, or a function that makes it from the session's own. */
export type Override<Service extends object> = Service | ((own: Service) => Service);

/** Services in place of the session's own. */
export type ServiceOverrides = { readonly [Name in keyof Services]?: Override<Services[Name]> };
