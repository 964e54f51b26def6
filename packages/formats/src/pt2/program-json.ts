/** @file From the bytes of a program's JSON to its description. */
import { parseJsonSteps } from "../json/parse.js";
import { Place, readObject } from "../json/place.js";
import { JsonObject, type JsonValue } from "../json/value.js";
import type { CountedOptions } from "./assemble.js";
import { describeProgram, type ProgramDescription } from "./program.js";
import { hasOtherVersions } from "./version-options.js";
import { paused } from "./watch.js";

/**
 * Reads the JSON of a program, with pauses.
 * @throws SconceError with the path of the field: `PT2_*`, `JSON_*`, `SYM_*`, `UNKNOWN_OPERATOR`
 */
export async function readProgramJson(
  bytes: Uint8Array,
  file: string,
  options: CountedOptions,
): Promise<ProgramDescription> {
  const { budget } = options;
  const keys = new Set<string>();
  const json = await paused(parseJsonSteps(bytes, file, budget, keys), options);
  const root = readObject(json, new Place(file));
  if (hasOtherVersions(root, options)) (await import("./later.js")).checkVersions(root, file, options);
  const symbols = needsSymbols(root, keys)
    ? new (await import("./symbol-table.js")).SymbolTable(budget)
    : undefined;
  return paused(describeProgram(root, file, options, symbols), options);
}

/** Returns whether a program has expressions, ranges of them, or guards on them. */
function needsSymbols(root: JsonObject, keys: ReadonlySet<string>): boolean {
  const holdsSome = (field: JsonValue | undefined): boolean =>
    field instanceof JsonObject ? field.size > 0 : Array.isArray(field) && field.length > 0;
  return (
    keys.has("as_expr") || holdsSome(root.get("range_constraints")) || holdsSome(root.get("guards_code"))
  );
}
