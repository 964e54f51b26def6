/** @file Weights of different programs that have the same bytes. */
import { throwIfAborted } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import type { Storage } from "@sconce/tensor";
import { sameBytes } from "@sconce/tensor/compare";
import { crc32 } from "../../zip/crc32.js";
import type { EqualStorages } from "./weights.js";

/**
 * For storages whose bytes an earlier program has too, that program's storage. Storages of one
 * program stay separate: PyTorch ties the tensors of a program that are one record.
 * @throws SconceError `ABORTED`, and those of the files that weights are still in
 */
export async function equalStorages(
  programs: ReadonlyMap<string, ExportedProgram>,
  signal: AbortSignal | undefined,
): Promise<EqualStorages> {
  const equal = new Map<Storage, Storage>();
  const known = new Map<string, Storage[]>();
  const represented = new Set<Storage>();
  const sizes = sizeCounts(programs);
  for (const program of programs.values()) {
    const own = [...storagesOf(program)];
    const taken = new Set(own.map((storage) => equal.get(storage) ?? storage));
    for (const storage of own) {
      // Without another storage of its size there is none to compare it with.
      if (represented.has(storage) || sizes.get(storage.byteLength) === 1) continue;
      represented.add(storage);
      const key = `${storage.byteLength} ${await checksum(storage, signal)}`;
      const like = known.get(key) ?? [];
      known.set(key, like);
      const same = await firstSame(storage, like, taken, signal);
      if (same === undefined) like.push(storage);
      else {
        equal.set(storage, same);
        taken.add(same);
      }
    }
  }
  return equal;
}

/** Returns how many storages of all programs have each size in bytes. */
function sizeCounts(programs: ReadonlyMap<string, ExportedProgram>): ReadonlyMap<number, number> {
  const storages = new Set([...programs.values()].flatMap((program) => [...storagesOf(program)]));
  const counts = new Map<number, number>();
  for (const { byteLength } of storages) counts.set(byteLength, (counts.get(byteLength) ?? 0) + 1);
  return counts;
}

/** Returns the storages of a program that have bytes, each once. */
function storagesOf({ stateDict, constants }: ExportedProgram): Set<Storage> {
  const tensors = [...stateDict.values(), ...constants.values()];
  return new Set(
    tensors.flatMap(({ storage }) => (storage.hasValues && storage.byteLength > 0 ? [storage] : [])),
  );
}

async function checksum(storage: Storage, signal: AbortSignal | undefined): Promise<number> {
  let sum = 0;
  for await (const piece of storage.pieces(signal)) {
    throwIfAborted(signal, "save");
    sum = crc32(piece, sum);
  }
  return sum;
}

async function firstSame(
  storage: Storage,
  candidates: readonly Storage[],
  taken: ReadonlySet<Storage>,
  signal: AbortSignal | undefined,
): Promise<Storage | undefined> {
  for (const candidate of candidates)
    if (!taken.has(candidate) && (await hasSameBytes(candidate, storage, signal))) return candidate;
  return undefined;
}

const PIECE_BYTES = 2 ** 22;

/** Compares two storages of one size piece by piece; a checksum could be equal by chance. */
async function hasSameBytes(a: Storage, b: Storage, signal: AbortSignal | undefined): Promise<boolean> {
  for (let at = 0; at < a.byteLength; at += PIECE_BYTES) {
    throwIfAborted(signal, "save");
    const one = await a.read(at, PIECE_BYTES, signal);
    const other = await b.read(at, PIECE_BYTES, signal);
    if (!sameBytes(one, other)) return false;
  }
  return true;
}
