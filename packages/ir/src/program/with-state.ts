import { copyInto, dtypeInfo, numel, requiredBytes, Storage, Tensor } from "@sconce/tensor";
import { sameValues } from "@sconce/tensor/compare";
import { stateMismatch, unknownState } from "./errors.js";
import type { ExportedProgramInit, HistoryEntry } from "./program-parts.js";

/** Tensors by fully qualified name, as a state dict has them. */
export type StateValues = ReadonlyMap<string, Tensor> | Readonly<Record<string, Tensor>>;

/** Bytes that layouts with holes may take beyond the values themselves. */
const MAX_HOLES = 64 * 2 ** 20;

/**
 * The parts of a program that change when values are given, and the step of its history; undefined
 * when nothing does.
 */
export interface StateChange extends Pick<ExportedProgramInit, "stateDict" | "constants"> {
  readonly history: readonly HistoryEntry[];
}

/** See `ExportedProgram.withState`. */
export function stateChange(program: StateChange, values: StateValues): StateChange | undefined {
  const given =
    values instanceof Map ? (values as ReadonlyMap<string, Tensor>) : new Map(Object.entries(values));
  if (given.size === 0) return undefined;
  const { stateDict, constants } = program;
  const known = new Map([...stateDict, ...constants]);
  refuseUnknown(given, known);
  refuseUnfit(given, known);
  const next = new Map<string, Tensor>();
  for (const names of sharedBy(known).values()) replaceStorage(names, known, given, next);
  if ([...next].every(([name, tensor]) => known.get(name) === tensor)) return undefined;
  const replaced = (tensors: ReadonlyMap<string, Tensor>): ReadonlyMap<string, Tensor> =>
    [...tensors.keys()].some((name) => next.has(name))
      ? new Map([...tensors].map(([name, tensor]) => [name, next.get(name) ?? tensor]))
      : tensors;
  const after = { stateDict: replaced(stateDict), constants: replaced(constants) };
  return { ...after, history: [...program.history, entryOf({ stateDict, constants }, after)] };
}

const entryOf = (before: HistoryEntry["before"], after: HistoryEntry["after"]): HistoryEntry =>
  Object.freeze({
    pass: "with-state",
    patches: [],
    inverse: [],
    before: Object.freeze(before),
    after: Object.freeze(after),
  });

function refuseUnknown(given: ReadonlyMap<string, Tensor>, known: ReadonlyMap<string, Tensor>): void {
  const unknown = [...given.keys()].filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw unknownState(unknown, known.keys());
}

const typeOf = ({ dtype, shape }: Tensor): string => `${dtype}[${shape.join(", ")}]`;

function refuseUnfit(given: ReadonlyMap<string, Tensor>, known: ReadonlyMap<string, Tensor>): void {
  const reasons = new Map<string, string>();
  for (const [name, tensor] of given) {
    if (!(tensor instanceof Tensor))
      reasons.set(name, `the value of ${JSON.stringify(name)} is not a tensor`);
    else if (!tensor.hasValues)
      reasons.set(name, `the tensor given for ${JSON.stringify(name)} has no values itself`);
    else if (typeOf(tensor) !== typeOf(known.get(name)!))
      reasons.set(name, `${JSON.stringify(name)} is ${typeOf(known.get(name)!)}, not ${typeOf(tensor)}`);
  }
  if (reasons.size > 0) throw stateMismatch([...reasons.values()], [...reasons.keys()].join(", "));
}

/** Names by the storage that their tensors view. */
function sharedBy(known: ReadonlyMap<string, Tensor>): Map<Storage, string[]> {
  const names = new Map<Storage, string[]>();
  for (const [name, { storage }] of known) {
    const same = names.get(storage);
    if (same === undefined) names.set(storage, [name]);
    else same.push(name);
  }
  return names;
}

const viewOf = ({ dtype, shape, strides, storageOffset }: Tensor): string =>
  `${dtype} ${shape.join()} ${strides.join()} ${storageOffset}`;

/**
 * Tensors of one storage get a new one together, so that what shared memory still does (tied
 * weights).
 */
function replaceStorage(
  names: readonly string[],
  known: ReadonlyMap<string, Tensor>,
  given: ReadonlyMap<string, Tensor>,
  next: Map<string, Tensor>,
): void {
  const supplied = names.filter((name) => given.has(name));
  if (supplied.length === 0) return;
  const views = new Map(names.map((name) => [viewOf(known.get(name)!), name]));
  const storage =
    views.size === 1
      ? laidOut(given.get(supplied[0]!)!, known.get(supplied[0]!)!)
      : written(supplied, names, known, given);
  for (const name of names) {
    const old = known.get(name)!;
    const { shape, strides, storageOffset } = storage instanceof Tensor ? storage : old;
    const bytes = storage instanceof Tensor ? storage.storage : storage;
    const tensor = new Tensor({ ...old, shape, strides, storageOffset, storage: bytes });
    next.set(name, sameTensor(old, tensor) ? old : tensor);
  }
  if (supplied.length < 2) return;
  const unequal = supplied.find((name) => !sameValues(next.get(name)!, given.get(name)!));
  if (unequal !== undefined)
    throw stateMismatch(
      [
        `${supplied.map((name) => JSON.stringify(name)).join(" and ")} share memory and are given different values`,
      ],
      unequal,
    );
}

const sameTensor = (a: Tensor, b: Tensor): boolean => a.storage === b.storage && viewOf(a) === viewOf(b);

/**
 * In the layout of the old tensor, which the graph was traced with, unless its holes would take too
 * much memory.
 */
function laidOut(tensor: Tensor, { shape, strides, storageOffset, dtype }: Tensor): Tensor {
  const { itemSize } = dtypeInfo(dtype);
  const holes = requiredBytes(shape, strides, storageOffset, itemSize) - numel(shape) * itemSize;
  return holes > MAX_HOLES ? tensor : tensor.withLayout(strides, storageOffset);
}

/** Returns a copy of a storage with the given tensors written where the old ones lie. */
function written(
  supplied: readonly string[],
  names: readonly string[],
  known: ReadonlyMap<string, Tensor>,
  given: ReadonlyMap<string, Tensor>,
): Storage {
  const { storage } = known.get(supplied[0]!)!;
  const left = names.filter((name) => !given.has(name));
  if (!storage.hasValues && left.length > 0)
    throw stateMismatch(
      [
        `${left.map((name) => JSON.stringify(name)).join(", ")} shares memory with ${JSON.stringify(supplied[0])} and must be given too`,
      ],
      left[0],
    );
  const copy = storage.hasValues ? new Storage(storage.bytes.slice()) : Storage.allocate(storage.byteLength);
  for (const name of supplied) {
    const old = known.get(name)!;
    copyInto(new Tensor({ ...old, storage: copy }), given.get(name)!);
  }
  return copy;
}
