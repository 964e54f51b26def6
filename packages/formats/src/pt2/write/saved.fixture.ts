/** @file Saved programs for tests: entries of archives, and the bytes that the writer makes. */
import { Budget } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { ZipArchive } from "../../zip/archive.js";
import { inflate } from "../../zip/inflate.js";
import { joinPieces } from "../../zip/write.js";
import { readPt2 } from "../read.js";
import type { WritePt2Options } from "./options.js";
import { pt2Pieces } from "./write.js";

export const operators = defaultOperators();

export const read = (bytes: Uint8Array): Promise<ExportedProgram> => readPt2(bytes, { operators });

/** Returns the bytes of a saved program. */
export async function saved(program: ExportedProgram, options: WritePt2Options = {}): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of pt2Pieces(program, { operators, ...options })) pieces.push(piece);
  return joinPieces(pieces);
}

/** Returns the entries of an archive by name, without the folder. */
export function entriesOf(bytes: Uint8Array): Map<string, Uint8Array> {
  const zip = ZipArchive.openSync(bytes, inflate, { budget: new Budget(100 * bytes.length) });
  return new Map([...zip.names()].map((name) => [name.slice(name.indexOf("/") + 1), zip.readSync(name)]));
}

/** Returns the folder of all entries. */
export function folderOf(bytes: Uint8Array): string {
  const zip = ZipArchive.openSync(bytes, inflate, { budget: new Budget(100 * bytes.length) });
  const [first] = zip.names();
  return first!.slice(0, first!.indexOf("/"));
}

/** Returns the extra files among entries. */
export const extraFilesOf = (entries: ReadonlyMap<string, Uint8Array>): Record<string, Uint8Array> =>
  Object.fromEntries(
    [...entries].flatMap(([name, bytes]) =>
      name.startsWith("extra/") ? [[name.slice("extra/".length), bytes]] : [],
    ),
  );

/** Returns the names of the entries that are not the same in both archives. */
export function differing(a: Uint8Array, b: Uint8Array): string[] {
  const [first, second] = [entriesOf(a), entriesOf(b)];
  const names = new Set([...first.keys(), ...second.keys()]);
  return [...names].filter((name) => {
    const [one, other] = [first.get(name), second.get(name)];
    return one === undefined || other === undefined || Buffer.compare(one, other) !== 0;
  });
}
