/** @file Refuses programs with texts that PyTorch would take for something else than names. */
import type { ExportedProgram } from "@sconce/ir";
import { unsafeText } from "../../errors.js";
import { visitProgramTexts } from "./program-texts.js";
import { TEXT_RULES, type TextKind, textFault } from "./rules.js";

/**
 * Checks all texts but those that writing renames.
 * @throws SconceError `UNSAFE_TEXT` with the text and its place
 */
export function requireSafeTexts(program: ExportedProgram): void {
  // Targets and devices are few, and most calls have them.
  const safe = new Map<TextKind, Set<string>>();
  visitProgramTexts(program, (kind, text, where) => {
    const { what, does, fix } = TEXT_RULES[kind];
    if (fix === undefined) return;
    const known = safe.get(kind) ?? new Set<string>();
    safe.set(kind, known);
    if (known.has(text)) return;
    const fault = textFault(kind, text);
    if (fault !== undefined) throw unsafeText({ what, text, fault, does, where: where(), fix });
    known.add(text);
  });
}
