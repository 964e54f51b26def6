import { countText, isSconceError } from "@sconce/errors";
import { programNameFindings } from "@sconce/formats/security";
import { type ExportedProgram, missingValues, opaqueCalls, type Problem, problemText } from "@sconce/ir";
import { documentedFix } from "../error-page.js";
import { EXIT, json, type Outcome, type SafeIo } from "../io.js";
import { openWithWeights } from "../open.js";
import { openSession } from "../session.js";
import { linesText } from "../text.js";
import { findingLines, NAMES_TITLE, withFindings } from "./name-findings.js";
import { missingNote, withoutValues } from "./without-values.js";

export interface VerifyOptions {
  readonly weights?: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export async function verify(
  file: string,
  options: VerifyOptions,
  io: SafeIo,
  outcome: Outcome,
): Promise<void> {
  const session = await openSession(io, options.plugin, undefined, [file]);
  const exported = await openWithWeights(file, session, options.weights, { unknownTargets: "allow" });
  const problems = [...session.verify(exported), ...exampleProblems(exported)].map(withFix);
  if (problems.length > 0) outcome.code = EXIT.bad;
  const opaque = [
    ...new Set(opaqueCalls(exported.graph, session.operators).map(({ target }) => target)),
  ].sort();
  const missing = missingValues(exported);
  const valid = problems.length === 0;
  const names = programNameFindings(exported);
  if (options.json)
    io.out(
      json({
        file,
        valid,
        problems,
        opaqueOperators: opaque,
        ...withoutValues(missing),
        ...withFindings(names),
      }),
    );
  else if (problems.length > 0) for (const problem of problems) io.out(`${problemText(problem)}\n`);
  else {
    io.out(
      `${file}: valid, ${countText(exported.graph.size, "node")}, dialect ${exported.dialect}${missingNote(missing)}\n`,
    );
    if (opaque.length > 0)
      io.out(linesText([`opaque operators, which a plugin must define to run it: ${opaque.join(", ")}`]));
  }
  if (!options.json && names.length > 0)
    io.out(linesText([`${NAMES_TITLE}:`, ...findingLines(names).map((line) => `  ${line}`)]));
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
