import { isSconceError } from "@sconce/errors";
import { type ExportedProgram, missingValues, opaqueCalls, type Problem, problemText } from "@sconce/ir";
import type { Command } from "commander";
import { documentedFix } from "../error-page.js";
import { EXIT, type Io, json, type Outcome } from "../io.js";
import { openSession, openWithWeights, repeatable, WEIGHTS_OPTION } from "../open.js";
import { missingNote, withoutValues } from "./without-values.js";

interface VerifyOptions {
  readonly weights?: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export function verifyCommand(program: Command, io: Io, outcome: Outcome): void {
  program
    .command("verify")
    .description("Check a file and its program, and list every problem (exit code 2 when there are any).")
    .argument("<file>", "A .pt2 or .sir file")
    .option(...WEIGHTS_OPTION)
    .option("--json", "Print JSON")
    .option("--plugin <module>", "Load a plugin module with operators (repeatable)", repeatable)
    .action(async (file: string, options: VerifyOptions) => {
      const session = await openSession(io, options.plugin, undefined, [file]);
      const exported = await openWithWeights(file, session, options.weights, "allow");
      const problems = [...session.verify(exported), ...exampleProblems(exported)].map(withFix);
      if (problems.length > 0) outcome.code = EXIT.bad;
      const opaque = [
        ...new Set(opaqueCalls(exported.graph, session.operators).map(({ target }) => target)),
      ].sort();
      const missing = missingValues(exported);
      const valid = problems.length === 0;
      if (options.json)
        io.out(json({ file, valid, problems, opaqueOperators: opaque, ...withoutValues(missing) }));
      else if (problems.length > 0) for (const problem of problems) io.out(`${problemText(problem)}\n`);
      else {
        io.out(
          `${file}: valid, ${exported.graph.size} nodes, dialect ${exported.dialect}${missingNote(missing)}\n`,
        );
        if (opaque.length > 0)
          io.out(`opaque operators, which a plugin must define to run it: ${opaque.join(", ")}\n`);
      }
    });
}

/** Gives a problem the fix of its code's documentation, where it has none. */
const withFix = (problem: Problem): Problem => ({
  ...problem,
  fix: problem.fix ?? documentedFix(problem.code),
});

const UNREADABLE: ReadonlySet<string> = new Set(["PICKLE_FORBIDDEN", "UNKNOWN_PYTREE_TYPE"]);

/**
 * Sample inputs are only unpacked when they are asked for. Some cannot be read safely; this is not
 * a fault of the file.
 */
function exampleProblems(program: ExportedProgram): Problem[] {
  try {
    void program.exampleInputs?.leaves;
    return [];
  } catch (error) {
    if (!isSconceError(error)) throw error;
    return UNREADABLE.has(error.code) ? [] : [{ code: error.code, message: error.message, fix: error.fix }];
  }
}
