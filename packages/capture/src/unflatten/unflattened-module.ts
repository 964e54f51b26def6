/** @file `unflatten`: a program as a module with the modules of the model. */

import { markClass } from "@sconce/errors";
import { type ExportedProgram, type ModuleCallEntry, unflattenTree, type Value } from "@sconce/ir";
import { callingConvention, inputCheck, keywordsOf } from "@sconce/ops";
import { isPlainObject } from "@sconce/source-check";
import { currentTrace } from "@sconce/torch";
import { COPY } from "../this-copy.js";
import { adaptedLeaves, type FlatArgsAdapter } from "./flat-args-adapter.js";
import { InterpretedModule, type InterpreterModuleInit } from "./interpreter-module.js";

/**
 * A program with the modules of the model that it was exported of
 * (`torch.export.unflatten.UnflattenedModule`). It is called as the model was, with keyword
 * arguments in an object behind the positional ones, and can be exported again.
 *
 * The module has copies of the parameters and buffers of the program. A submodule can be swapped
 * where the export preserved its calling convention: `module.encoder = other`.
 */
export class UnflattenedModule extends InterpretedModule {
  static {
    markClass(UnflattenedModule, "UnflattenedModule", COPY);
  }

  static override readonly torchClass = "torch.export.unflatten.UnflattenedModule";
  readonly #program: ExportedProgram;
  readonly #adapter: FlatArgsAdapter | undefined;

  /** @internal Made by `unflatten`. */
  constructor(init: InterpreterModuleInit, program: ExportedProgram, adapter: FlatArgsAdapter | undefined) {
    super(init);
    this.#program = program.with({ exampleInputs: null });
    this.#adapter = adapter;
  }

  /** The program that the module was made of. */
  get program(): ExportedProgram {
    return this.#program;
  }

  /** Calling conventions of the root, whose name is empty, and of preserved modules. */
  get moduleCallGraph(): readonly ModuleCallEntry[] {
    return this.#program.moduleCallGraph;
  }

  /**
   * Runs the program.
   * @throws SconceError `NO_FLAT_ARGS_ADAPTER`, `FLAT_ARGS_ADAPTER`, `KEYWORD_MISMATCH`, what
   * checks of inputs refuse, and what the operators refuse
   */
  override forward(...args: readonly unknown[]): unknown {
    const program = this.#program;
    const { inSpec, outSpec } = callingConvention(program);
    const count = inSpec.children[0]?.children.length ?? 0;
    const hasKeywords = keywordsOf(inSpec).length > 0 && isPlainObject(args[count]);
    const kwargs = (hasKeywords ? args[count] : {}) as Readonly<Record<string, unknown>>;
    const positional = hasKeywords ? args.toSpliced(count, 1) : args;
    const { leaves, places } = adaptedLeaves(program, positional, kwargs, this.#adapter, {
      unflattenedModule: this,
    });
    if (currentTrace() === undefined) inputCheck(program, places)(leaves as readonly Value[]);
    const results = this.runGraph(leaves);
    return unflattenTree(results as readonly unknown[], outSpec);
  }
}
