/** @file Single flipped bits of archives, and what becomes of each. */
import { exportProgram, nn } from "@sconce/capture";
import { isSconceError } from "@sconce/errors";
import { readPt2 } from "@sconce/formats";
import type { ExportedProgram } from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import { save } from "@sconce/session";
import { Tensor, writeSafetensors } from "@sconce/tensor";
import { expect } from "vitest";
import { partsOf, type ZipPlace, zipWithPlaces } from "./support/zip-parts.js";

/** An archive, and the field that each of its bytes belongs to. */
export interface PlacedArchive {
  readonly bytes: Uint8Array;
  readonly places: readonly ZipPlace[];
}

class Scale extends nn.Module {
  readonly weight = new nn.Parameter(Tensor.from([0.5, 2]));

  override forward(x: Tensor): Tensor {
    return x.mul(this.weight);
  }
}

/**
 * Returns a small archive with all kinds of entries: a weight, a pickle of sample inputs, JSON,
 * texts.
 */
export const smallArchive = (): Promise<Uint8Array> =>
  save(exportProgram(new Scale(), [Tensor.from([1, 2])]));

/** Returns the same entries in an archive whose records are known. */
export const placed = (archive: Uint8Array): PlacedArchive => zipWithPlaces(partsOf(archive));

/** Returns all that a program says: its text, the values of its state and of its sample inputs. */
function fingerprint(program: ExportedProgram): string {
  const leaves = (program.exampleInputs?.leaves ?? []).filter((leaf) => leaf instanceof Tensor);
  const tensors = [
    ...program.stateDict,
    ...program.constants,
    ...leaves.map((leaf, i) => [`#${i}`, leaf] as const),
  ];
  return printIr(program) + Buffer.from(writeSafetensors(tensors)).toString("base64");
}

/** Returns the code of the error, `same` for the same program, or what is wrong. */
async function outcome(bytes: Uint8Array, expected: string): Promise<string> {
  try {
    return fingerprint(await readPt2(bytes)) === expected ? "same" : "another program";
  } catch (error) {
    if (!isSconceError(error) || error.code === "INTERNAL") return `untyped: ${String(error)}`;
    return error.where && error.fix ? error.code : `no place or no fix: ${error.code}`;
  }
}

/** What flips of bits in a field became. */
export interface FlippedField {
  readonly record: ZipPlace["record"];
  readonly field: string;
  flips: number;
  readonly outcomes: Set<string>;
}

/**
 * Flips bits one at a time, and reads the archive after each.
 * @param every one of how many bits is flipped
 */
export async function flipBits(
  { bytes, places }: PlacedArchive,
  every = 1,
): Promise<readonly FlippedField[]> {
  const expected = fingerprint(await readPt2(bytes));
  const fields = new Map<string, FlippedField>();
  for (const { record, field, start, end } of places) {
    const key = `${record} ${field}`;
    const found = fields.get(key) ?? { record, field, flips: 0, outcomes: new Set<string>() };
    fields.set(key, found);
    for (let bit = every * Math.ceil((8 * start) / every); bit < 8 * end; bit += every) {
      const flipped = bytes.slice();
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      found.flips++;
      found.outcomes.add(await outcome(flipped, expected));
    }
  }
  return [...fields.values()];
}

/** Fields that no reader of programs uses: versions, times and attributes of files. */
const UNUSED = new Set([
  "local version",
  "local time",
  "local date",
  "central madeBy",
  "central version",
  "central time",
  "central date",
  "central internal",
  "central external",
]);

/** What flips in the data of stored entries become. */
const STORED = /^ZIP_CRC$/;
/** Several compressed streams unpack to the same content, which its checksum shows. */
export const COMPRESSED = /^(?:ZIP_CRC|ZIP_DEFLATE|same)$/;

/**
 * Holds that a flip in the data of an entry is rejected by its checksum, that one in an unused
 * field has no effect, and that each other flip is rejected.
 */
export function expectDetected(fields: readonly FlippedField[], data = STORED): void {
  expect(fields.filter(({ record }) => record === "data")).not.toEqual([]);
  for (const { record, field, outcomes } of fields) {
    const key = `${record} ${field}`;
    // With the right version, the attributes of a file say that it is a link.
    if (UNUSED.has(key)) for (const one of outcomes) expect(one, key).toMatch(/^(?:same|ZIP_SYMLINK)$/);
    else if (record === "data") for (const one of outcomes) expect(one, key).toMatch(data);
    else for (const one of outcomes) expect(one, key).toMatch(/^(?:ZIP|PT2)_[A-Z_]+$/);
  }
}
