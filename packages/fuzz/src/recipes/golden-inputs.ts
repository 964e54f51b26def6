/** @file The files of the first release, which never change: what recipes begin with. */
import { readFileSync } from "node:fs";

const FOLDER = new URL("../../golden/0.1.0/", import.meta.url);
const FILES = new Map<string, Uint8Array>();

/** Returns a golden file of the first release. */
export function golden(name: string): Uint8Array {
  const known = FILES.get(name) ?? new Uint8Array(readFileSync(new URL(name, FOLDER)));
  FILES.set(name, known);
  return known;
}
