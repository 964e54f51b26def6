import { isSconceError } from "@sconce/errors";
import { type ExportedProgram, opaqueCalls, type Problem, problemText } from "@sconce/ir";
import type { Command } from "commander";
import { EXIT, type Io, json, type Outcome } from "../io.js";
import { openProgram, openSession, repeatable } from "../open.js";

interface VerifyOptions {
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export function verifyCommand(program: Command, io: Io, outcome: Outcome): void {
  program
    .command("verify")
    .description(
      "Checks the file and the program in it; lists every problem (exit code 2 when there are any).",
    )
    .argument("<file>", "a .pt2 or .sir file")
    .option("--json", "for machines")
    .option("--plugin <module>", "a module with further operators (repeatable)", repeatable)
    .action(async (file: string, options: VerifyOptions) => {
      const session = await openSession(io, options.plugin, undefined, [file]);
      const exported = await openProgram(file, session);
      const problems = [...session.verify(exported), ...exampleProblems(exported)];
      if (problems.length > 0) outcome.code = EXIT.bad;
      const opaque = [
        ...new Set(opaqueCalls(exported.graph, session.operators).map(({ target }) => target)),
      ].sort();
      if (options.json)
        io.out(json({ file, valid: problems.length === 0, problems, opaqueOperators: opaque }));
      else if (problems.length > 0) for (const problem of problems) io.out(`${problemText(problem)}\n`);
      else {
        io.out(`${file}: valid, ${exported.graph.size} nodes, dialect ${exported.dialect}\n`);
        if (opaque.length > 0)
          io.out(`opaque operators, which a plugin must define to run it: ${opaque.join(", ")}\n`);
      }
    });
}

const UNREADABLE: ReadonlySet<string> = new Set(["PICKLE_FORBIDDEN", "UNKNOWN_PYTREE_TYPE"]);

/** Sample inputs are only unpacked when they are asked for. That some cannot be read safely is no fault of the file. */
function exampleProblems(program: ExportedProgram): Problem[] {
  try {
    void program.exampleInputs?.leaves;
    return [];
  } catch (error) {
    if (!isSconceError(error)) throw error;
    return UNREADABLE.has(error.code) ? [] : [{ code: error.code, message: error.message }];
  }
}
