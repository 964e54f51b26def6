import type { Command } from "commander";
import { EXIT, type Io, json, type Outcome } from "../io.js";
import { openProgram, openSession, repeatable } from "../open.js";

export function verifyCommand(program: Command, io: Io, outcome: Outcome): void {
  program
    .command("verify")
    .description("Checks the file and the program in it; lists every problem.")
    .argument("<file>", "a .pt2 file")
    .option("--json", "for machines")
    .option("--plugin <module>", "a module with further operators (repeatable)", repeatable, [])
    .action(async (file: string, options: { json?: boolean; plugin: readonly string[] }) => {
      const session = await openSession(options.plugin);
      const exported = await openProgram(file, session);
      const problems = session.verify(exported);
      if (options.json) io.out(json({ file, valid: problems.length === 0, problems }));
      else if (problems.length === 0) io.out(`${file}: valid, ${exported.graph.size} nodes, dialect ${exported.dialect}\n`);
      else for (const problem of problems) io.out(`${problem.code} ${problem.node ?? ""}: ${problem.message}\n`);
      if (problems.length > 0) outcome.code = EXIT.bad;
    });
}
