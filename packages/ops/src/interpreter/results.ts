/** @file Which results of a run stay on the device. */
import { optionValue } from "@sconce/errors";
import type { ExportedProgram, RunOptions } from "@sconce/ir";
import { MUTATIONS } from "./state.js";

/** Whether the result at a position of the user's outputs stays on the device. */
export type StaysOnDevice = (position: number) => boolean;

/**
 * Reads the option `results` of a run.
 *
 * @throws SconceError `OPTION_VALUE` for a result that the program does not have
 */
export function keptResults(program: ExportedProgram, results: RunOptions["results"]): StaysOnDevice {
  if (results === undefined) return NONE;
  if (results === "device") return ALL;
  const names = program.graphSignature.outputSpecs.flatMap(({ kind, arg }) =>
    MUTATIONS.has(kind) || kind === "TOKEN" ? [] : [arg.kind === "constant" ? undefined : arg.name],
  );
  const refuse = (value: unknown): never => {
    const known = names.map((name, at) => (name === undefined ? at : `${at} or "${name}"`)).join(", ");
    throw optionValue(
      "run",
      "results",
      value,
      `"device", or a list of outputs: ${known || "there are none"}`,
    );
  };
  if (!Array.isArray(results)) return refuse(results);
  const kept = new Set<number>();
  for (const one of results as readonly unknown[]) {
    const at = typeof one === "number" ? one : names.findIndex((name) => name !== undefined && name === one);
    if (!Number.isInteger(at) || at < 0 || at >= names.length) refuse(one);
    kept.add(at);
  }
  return (position) => kept.has(position);
}
const NONE: StaysOnDevice = () => false;
const ALL: StaysOnDevice = () => true;
