/**
 * @file Which versions a file must have. The module that compares them is loaded when it is needed.
 */
import { JsonObject } from "../json/value.js";
import { ATEN_VERSION, SCHEMA_MINOR } from "./schema.js";

/** Which versions a file must have, and what is reported of others. */
export interface VersionOptions {
  /**
   * Versions that the file must have of these operator sets: other versions are refused with
   * `PT2_OPSET_VERSION`. Without it, a version that is newer than the known one is a warning.
   */
  readonly expectedOpsetVersion?: Readonly<Record<string, number>> | undefined;
  /**
   * Receives what the reader of a file should know: the file is newer than the known format.
   * @defaultValue `console.warn`
   */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * Returns a number in an object of a document; 0 where there is none, which other readers report.
 */
export function numberIn(root: JsonObject, field: string, key: string): number {
  const inner = root.get(field);
  const value = inner instanceof JsonObject ? inner.get(key) : undefined;
  return typeof value === "number" ? value : 0;
}

/** Returns whether versions of a file are newer than the known ones, or have to be compared. */
export const hasOtherVersions = (root: JsonObject, { expectedOpsetVersion }: VersionOptions): boolean =>
  expectedOpsetVersion !== undefined ||
  numberIn(root, "schema_version", "minor") > SCHEMA_MINOR ||
  numberIn(root, "opset_version", "aten") > ATEN_VERSION;
