/** @file Names of a program that PyTorch would take for more than names. */
import type { ExportedProgram } from "@sconce/ir";
import { visitUnsafeTexts } from "../pt2/text/check.js";
import { TEXT_RULES, type TextKind, textFault } from "../pt2/text/rules.js";
import type { SecurityFinding } from "./finding.js";

/**
 * Returns the finding for one text; undefined for a safe one, and for a mere path of attributes.
 */
export function nameFinding(kind: TextKind, text: string, where: () => string): SecurityFinding | undefined {
  // Functions that are looked up have other findings.
  if (kind === "target" && /^[#\w.:]+$/.test(text)) return undefined;
  const fault = textFault(kind, text);
  if (fault === undefined) return undefined;
  const { what, does } = TEXT_RULES[kind];
  return {
    kind: "name",
    where: where(),
    names: [text],
    does: `${what} ${fault}; in a .pt2 file it ${does}`,
    isPlain: false,
  };
}

/**
 * Lists the names and other texts of a program that are not safe in a file for PyTorch:
 * `torch.export.load` makes Python source of names. Saving as `.pt2` renames values, and refuses
 * the rest with `UNSAFE_TEXT`. Each text is listed once.
 */
export function programNameFindings(program: ExportedProgram): SecurityFinding[] {
  const found = new Map<string, SecurityFinding>();
  visitUnsafeTexts(program, (kind, text, _, where) => {
    if (found.has(text)) return;
    const finding = nameFinding(kind, text, where);
    if (finding !== undefined) found.set(text, finding);
  });
  return [...found.values()];
}
