/** @file What the playground did to a program, as versions of the page. */
import { type ExportedProgram, programVersions } from "@sconce/ir";
import { historyFromJson, replay } from "@sconce/ir/history";
import { tensorsOf } from "@sconce/ir/text";
import type { RanPass, SentRun } from "../playground/messages.js";
import { unpackTensors } from "../playground/transfer.js";

/** A pass with the program that it left. */
export interface PlayedPass {
  readonly pass: RanPass;
  readonly after: ExportedProgram;
}

/** Applies what passes changed in a copy of a program to the program itself. */
export function playedPasses(program: ExportedProgram, run: SentRun): PlayedPass[] {
  const own = tensorsOf(program);
  const tensors = unpackTensors(run.tensors);
  for (const [name, key] of run.kept) {
    const tensor = own.get(key);
    if (tensor !== undefined) tensors.set(name, tensor);
  }
  const last = replay(historyFromJson(run.history, tensors), program, { sameWeights: true });
  const versions = [...programVersions(last)].map((version) => version.program).reverse();
  let at = program.history.length;
  return run.passes.map((pass) => {
    if (pass.changed) at++;
    return { pass, after: pass.changed ? versions[at]! : (versions[at] ?? program) };
  });
}
