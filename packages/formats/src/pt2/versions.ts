/**
 * @file Versions in files: those that are expected, and those that are newer than the known ones.
 */
import { optionValue } from "@sconce/errors";
import { Place, readDict, readSafeInteger } from "../json/place.js";
import type { JsonObject } from "../json/value.js";
import { opsetMismatch } from "../lazy-errors.js";
import { ATEN_VERSION, SCHEMA_MAJOR, SCHEMA_MINOR } from "./schema.js";
import { numberIn, type VersionOptions } from "./version-options.js";

/**
 * Compares the versions of operator sets with those that are expected, and warns of versions that
 * are newer than the known ones.
 * @throws SconceError `PT2_OPSET_VERSION`, `OPTION_VALUE`
 */
export function checkVersions(root: JsonObject, file: string, options: VersionOptions): void {
  const { expectedOpsetVersion: expected = {} } = options;
  const warn = options.onWarning ?? ((message: string) => console.warn(message));
  const minor = numberIn(root, "schema_version", "minor");
  if (minor > SCHEMA_MINOR && numberIn(root, "schema_version", "major") === SCHEMA_MAJOR)
    warn(
      `the file has the schema ${SCHEMA_MAJOR}.${minor}, which is newer than ${SCHEMA_MAJOR}.${SCHEMA_MINOR}: ` +
        "what later versions added is ignored; compare the outputs with known ones, or update Sconce",
    );
  const none = new Map<string, number>();
  const opset = new Place(file).optional(root, "opset_version", readDict(readSafeInteger), none);
  for (const [name, version] of Object.entries(expected)) {
    if (!Number.isSafeInteger(version)) throw expectedValue(name, version);
    const got = opset.get(name);
    if (got !== version) throw opsetMismatch(name, version, got, file);
  }
  const aten = opset.get("aten") ?? 0;
  if (aten > ATEN_VERSION && !Object.hasOwn(expected, "aten"))
    warn(
      `the file has version ${aten} of the operator set "aten", which is newer than ${ATEN_VERSION}: ` +
        "operators may have changed; compare the outputs with known ones, or update Sconce",
    );
}

const expectedValue = (name: string, version: unknown): Error =>
  optionValue(
    "load",
    "expectedOpsetVersion",
    `${name}: ${String(version)}`,
    "a whole number for each namespace",
  );
