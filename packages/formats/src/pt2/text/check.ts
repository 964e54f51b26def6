/** @file Texts of a program that PyTorch would take for something else than names. */
import type { ExportedProgram } from "@sconce/ir";
import { unsafeText } from "../../errors.js";
import { visitProgramTexts } from "./program-texts.js";
import { TEXT_RULES, type TextKind, textFault } from "./rules.js";

/** Takes one text with what is wrong with it. */
type UnsafeVisitor = (kind: TextKind, text: string, fault: string, where: () => string) => void;

/** Gives all texts that are not safe to a visitor. */
export function visitUnsafeTexts(program: ExportedProgram, visit: UnsafeVisitor): void {
  // Targets and devices are few, and most calls have them. Each value has another name.
  const safe = new Map<TextKind, Set<string>>();
  visitProgramTexts(program, (kind, text, where) => {
    const known = safe.get(kind) ?? new Set<string>();
    if (known.has(text)) return;
    const fault = textFault(kind, text);
    if (fault !== undefined) visit(kind, text, fault, where);
    else if (kind !== "value") safe.set(kind, known.add(text));
  });
}

/**
 * Checks all texts but those that writing renames.
 * @throws SconceError `UNSAFE_TEXT` with the text and its place
 */
export function requireSafeTexts(program: ExportedProgram): void {
  visitUnsafeTexts(program, (kind, text, fault, where) => {
    const { what, does, fix } = TEXT_RULES[kind];
    if (fix !== undefined) throw unsafeText({ what, text, fault, does, where: where(), fix });
  });
}
