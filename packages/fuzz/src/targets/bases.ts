/** @file Programs of the fixtures that mutations start from. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { printIr } from "@sconce/ir/text";
import { createSconce } from "@sconce/session";

const FOLDER = fileURLToPath(new URL("../../../testing/fixtures/", import.meta.url));
const bytesOf = (path: string): Uint8Array => new Uint8Array(readFileSync(`${FOLDER}${path}`));

/** The session that reads and compiles the programs. */
export const session = createSconce();

/** Small archives: branches, symbolic sizes, guards, shared storages, data classes. */
export const BASES: readonly Uint8Array[] = [
  "ir_add",
  "ir_cond",
  "shape_numbers",
  "pm_shape_guard_auto",
  "lifted_shared_storage",
  "unbacked_split",
  "strict_linear",
  "call_namedtuple",
].map((name) => bytesOf(`programs/${name}/program.pt2`));

/** Those with symbolic sizes. */
export const SYMBOLIC: readonly Uint8Array[] = [2, 3, 5].map((at) => BASES[at]!);

/** Archives of the older layouts. */
export const OLD_LAYOUTS: readonly Uint8Array[] = ["flat", "pickled_weights", "deflated"].map((name) =>
  bytesOf(`pt2-layouts/${name}.pt2`),
);

/** The programs of {@link BASES}. */
export const PROGRAMS = await Promise.all(BASES.map((bytes) => session.load(bytes)));

/** The same after passes, with their history. */
export const LOWERED = PROGRAMS.map((program) => session.transform(program, "decompose,cse,dce"));

/** Their IR text. */
export const IR_TEXTS: readonly string[] = [...PROGRAMS, ...LOWERED].map((program) => printIr(program));
