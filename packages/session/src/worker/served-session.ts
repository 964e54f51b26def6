import type { LongWorkOptions } from "@sconce/errors";
import type { Backend, CompileOptions, Executable, ExportedProgram } from "@sconce/ir";
import type { ParseIrOptions } from "@sconce/ir/text";
import type { OperatorTable } from "@sconce/ops";
import type { Pass, PassManagerOptions, PipelineItem, Rule } from "@sconce/passes";

/** What a worker uses of a session. The optional parts are for passes. */
export interface ServedSession {
  readonly operators: OperatorTable;
  /** The passes by name. */
  readonly passes?: ReadonlyMap<string, Pass>;
  /** The rules by name. */
  readonly rules?: ReadonlyMap<string, Rule>;
  /** The backends by name. */
  readonly backends?: ReadonlyMap<string, Backend>;
  /** Reads the program. */
  parseIr?(text: string, options?: ParseIrOptions): ExportedProgram;
  /** Runs the passes. */
  transformAsync?(
    program: ExportedProgram,
    passes: readonly PipelineItem[],
    options?: PassManagerOptions & LongWorkOptions,
  ): Promise<ExportedProgram>;
  load(file: Uint8Array, options: LongWorkOptions): Promise<ExportedProgram>;
  compile(program: ExportedProgram, backend?: string, options?: CompileOptions): Promise<Executable>;
}
