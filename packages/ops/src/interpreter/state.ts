/** @file The tensors that a program holds between runs. */
import type { ExportedProgram } from "@sconce/ir";
import { copyInto, Storage, Tensor } from "@sconce/tensor";
import type { OperatorTable } from "../table/table.js";
import { sharedPlaces } from "./errors.js";
import { mutatedPlaceholders } from "./mutation.js";

/** Kinds of outputs that are written somewhere. */
export const MUTATIONS: ReadonlySet<string> = new Set([
  "BUFFER_MUTATION",
  "PARAMETER_MUTATION",
  "USER_INPUT_MUTATION",
]);

/** A new value of a tensor that the program writes to. */
export interface Write {
  /** The tensor that is written to. */
  readonly place: Tensor;
  /** The values that it gets. */
  readonly value: Tensor;
  /** The name of the state, for errors. */
  readonly name: string;
}

/** Copies values whose storage another write changes, so that writes cannot affect later reads. */
function withoutOverlap(writes: readonly Write[]): readonly Write[] {
  if (writes.length < 2) return writes;
  const places = new Set(writes.map(({ place }) => place.storage));
  return writes.map((write) => {
    const { place, value } = write;
    if (!places.has(value.storage) || value.storage === place.storage) return write;
    const copy = Tensor.empty(value.shape, value.dtype);
    copyInto(copy, value);
    return { ...write, value: copy };
  });
}

/** Returns whether several elements lie in one place, as those of an expanded tensor do. */
export const sharesPlaces = ({ shape, strides, numel }: Tensor): boolean =>
  numel > 0 && shape.some((size, d) => size > 1 && strides[d] === 0);

/**
 * Returns whether `copy_` refuses a tensor because several of its elements lie in one place. It
 * leaves a tensor alone that gets itself.
 */
function refusesCopy({ place, value }: Write): boolean {
  const { shape, strides, storageOffset, storage, dtype } = place;
  if (!sharesPlaces(place)) return false;
  const isSame =
    value.storage === storage &&
    value.storageOffset === storageOffset &&
    value.dtype === dtype &&
    value.shape.join() === shape.join() &&
    value.strides.join() === strides.join();
  return !isSame;
}

/**
 * Writes new values where they belong, all read before the first is written; returns the places by
 * the values' names.
 *
 * @throws SconceError `INVALID_ARGUMENT` where several elements of a place share memory, before
 * anything is written
 */
export function writeBack(writes: readonly Write[]): Map<string, Tensor> {
  const refused = writes.find(refusesCopy);
  if (refused !== undefined) throw sharedPlaces(`"${refused.name}" cannot be written back`, refused.name);
  const written = new Map<string, Tensor>();
  for (const { place, value, name } of withoutOverlap(writes)) {
    copyInto(place, value);
    written.set(name, place);
  }
  return written;
}

/** Returns the storages of a program's tensors that runs may write to. */
function writtenStorages(program: ExportedProgram, mutated: ReadonlySet<string>): ReadonlySet<Storage> {
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const names = new Set(
    outputSpecs.filter((spec) => MUTATIONS.has(spec.kind)).map((spec) => spec.target ?? ""),
  );
  for (const spec of inputSpecs)
    if (mutated.has(spec.arg.name) && spec.target !== null) names.add(spec.target);
  const written = new Set<Storage>();
  for (const name of names) {
    const tensor = program.stateDict.get(name) ?? program.constants.get(name);
    if (tensor !== undefined) written.add(tensor.storage);
  }
  return written;
}

/** Returns the names of the placeholders whose tensors no run writes to. */
export function fixedPlaceholders(program: ExportedProgram, operators: OperatorTable): Set<string> {
  const written = writtenStorages(program, mutatedPlaceholders(program.graph, operators));
  const fixed = new Set<string>();
  for (const { arg, target } of program.graphSignature.inputSpecs) {
    if (target === null || target === undefined) continue;
    const tensor = program.stateDict.get(target) ?? program.constants.get(target);
    if (tensor !== undefined && !written.has(tensor.storage)) fixed.add(arg.name);
  }
  return fixed;
}

/**
 * Returns the program's tensors by name. Those that runs may write to lie in copies of their
 * storages, so that the program stays as it is; views of one storage share the copy.
 */
export function programState(
  program: ExportedProgram,
  operators: OperatorTable,
  mutated: ReadonlySet<string> = mutatedPlaceholders(program.graph, operators),
): Map<string, Tensor> {
  const state = new Map([...program.constants, ...program.stateDict]);
  const copies = new Map<Storage, Storage>();
  for (const storage of writtenStorages(program, mutated))
    if (storage.hasValues) copies.set(storage, new Storage(new Uint8Array(storage.bytes)));
  for (const [name, tensor] of state) {
    const storage = copies.get(tensor.storage);
    const { dtype, shape, strides, storageOffset, requiresGrad } = tensor;
    if (storage !== undefined) {
      state.set(name, new Tensor({ dtype, shape, strides, storageOffset, requiresGrad, storage }));
    }
  }
  return state;
}
