import { misspelled, SconceError, withArticle } from "@sconce/errors";

/** Returns the error for an option that names something that the program does not have. */
export const notInProgram = (
  option: string,
  name: string,
  what: string,
  known: Iterable<string>,
  fix = "print the program to see its names",
): SconceError =>
  new SconceError({
    code: "PASS_OPTION",
    message: `${option} names ${name}, which is not ${withArticle(what)} of the program`,
    ...misspelled(name, known, fix),
  });

/** Returns the error for a pass that declares what it cannot. */
export const badPass = (name: string, what: string, fix: string): SconceError =>
  new SconceError({ code: "PASS_DEFINITION", message: `pass "${name}" ${what}`, fix });

/** Something else where a pass is expected. */
export const notAPass = (what: string): SconceError =>
  new SconceError({
    code: "PIPELINE_SYNTAX",
    message: `${what} is not a list of passes, nor one of its passes`,
    fix: 'give one text, "decompose,cse", or a list of passes: [decompose, commonSubexpressionElimination]',
  });
