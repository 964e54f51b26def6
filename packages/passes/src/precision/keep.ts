/** @file What goes on computing in float32: operators, nodes and modules, by name or by pattern. */
import type { ExportedProgram, Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { operatorNames, operatorOrNodeNames } from "../options/choices.js";
import type { Choices, OptionSession } from "../options/spec.js";
import { notInProgram } from "../pass/errors.js";

/** Whether a call is kept. */
export type Keep = (node: Node) => boolean;

/**
 * What an entry may be before the program is there: calls, module paths and patterns are known only
 * when the pass runs.
 */
export const keepChoices: Choices = Object.freeze({
  ...operatorOrNodeNames,
  has: (word: string, session: OptionSession) =>
    !word.startsWith("aten.") || word.includes("*") || operatorNames.has!(word, session),
});

/**
 * A call is kept when an entry is its operator (`aten._softmax.default`), its name, or the path of
 * a module that it was called in (`encoder.layers.0`, all of that module's calls); `*` represents
 * any letters.
 *
 * @param option the option that errors name
 * @throws SconceError `PASS_OPTION` for an entry that matches nothing in the program and is not an
 * operator
 */
export function keepOf(
  entries: readonly string[],
  program: ExportedProgram,
  operators: OperatorTable,
  option = "keep",
): Keep {
  const matchers = entries.map(matcherOf);
  const calls = program.graph.calls();
  const unknown = entries.findIndex(
    (entry, i) => operators.schemaOf(entry) === undefined && !calls.some(matchers[i]!),
  );
  if (unknown >= 0) throw notInProgram(option, entries[unknown]!, KINDS, namesOf(calls), FIX);
  return (node) => matchers.some((matches) => matches(node));
}

const KINDS = "operator, call or module";
const FIX =
  "write overloads out (aten.softmax.int), and module paths as the metadata has them (encoder.layers.0)";

/** Everything that calls go by. */
function namesOf(calls: readonly Node[]): Set<string> {
  const names = new Set<string>();
  for (const { name, target, meta } of calls) {
    names.add(name).add(target);
    for (const [, path] of meta.nnModuleStack ?? []) names.add(path);
  }
  names.delete("");
  return names;
}

function matcherOf(entry: string): Keep {
  const letters = entry.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
  const pattern = new RegExp(`^${letters.join(".*")}$`, "s");
  return ({ name, target, meta }) =>
    pattern.test(name) ||
    pattern.test(target) ||
    // The outermost module is the program itself; its path is empty.
    (meta.nnModuleStack ?? []).some(([, path]) => path !== "" && pattern.test(path));
}
