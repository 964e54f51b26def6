/** @file What may be done with a program that a reader accepted. */
import { unflatten } from "@sconce/capture";
import { typeDeclarations, typescriptText } from "@sconce/capture/typescript";
import { dotText, jsonText, mermaidText } from "@sconce/formats/views";
import { type ExportedProgram, readableText } from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import { verify } from "@sconce/ir/verify";
import { extractIR, save } from "@sconce/session";
import type { Random } from "../support/random.js";
import { session } from "./bases.js";

/** Each prints, converts or compiles a program, or rejects it with a typed error. */
const USES: readonly ((program: ExportedProgram) => unknown)[] = [
  (program) => String(program),
  (program) => printIr(program),
  (program) => readableText(program.graph),
  (program) => mermaidText(program),
  (program) => dotText(program),
  (program) => jsonText(program),
  (program) => typescriptText(program),
  (program) => typeDeclarations(program),
  (program) => unflatten(program),
  (program) => extractIR(program, { onWarning: () => {} }),
  (program) => save(program),
  (program) => session.transform(program, "decompose,cse,dce"),
  // Nothing asks whether it is valid.
  (program) => session.module(program),
];

/** Verifies a program, and uses it in one of many ways. */
export async function useProgram(program: ExportedProgram, random: Random): Promise<void> {
  verify(program, { operators: session.operators });
  await random.pick(USES)(program);
}
