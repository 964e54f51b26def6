/** @file Reading and building graphs of Sconce's own operators: unknown targets are refused. */
import {
  type ExportedProgram,
  type Graph,
  GraphBuilder as IrGraphBuilder,
  type TargetOptions,
} from "@sconce/ir";
import {
  type ParseGraphOptions,
  type ParseIrOptions,
  parseGraph as parseIrGraph,
  parseIr as parseIrProgram,
} from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";

const known = <T extends TargetOptions>(options: T): T => ({
  ...options,
  operators: options.operators ?? defaultOperators(),
});

/**
 * Reads a graph of IR text. Custom operators that Sconce does not know are kept as opaque ones.
 * @param options what may be called besides; {@link defaultOperators} when it names no operators
 * @throws SconceError `IR_SYNTAX`, `UNKNOWN_TARGET` with line and column
 */
export const parseGraph = (text: string, options: ParseGraphOptions = {}): Graph =>
  parseIrGraph(text, known(options));

/**
 * Reads a program, what `printIr` writes. Custom operators that Sconce does not know are kept as
 * opaque ones.
 * @param options tensors beside the text, and what may be called; {@link defaultOperators} when it
 * names no operators
 * @throws SconceError `IR_SYNTAX`, `UNKNOWN_TARGET` with line and column, `IR_TENSOR`
 */
export const parseIr = (text: string, options: ParseIrOptions = {}): ExportedProgram =>
  parseIrProgram(text, known(options));

/**
 * Append-only construction of a graph; calls of operators that do not exist are refused
 * (`UNKNOWN_TARGET`).
 */
export class GraphBuilder extends IrGraphBuilder {
  /**
   * @param targets what may be called besides; {@link defaultOperators} when it names no operators
   */
  constructor(targets: TargetOptions = {}) {
    super(known(targets));
  }
}
