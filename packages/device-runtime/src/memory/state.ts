/** @file The tensors of a program's state, for a device that may keep those that runs write to. */
import type { ExportedProgram } from "@sconce/ir";
import { type Storage, Tensor } from "@sconce/tensor";
import type { Device } from "../device/device.js";
import { DeviceStorage } from "./device-storage.js";

/** Returns the names that the program had, with the tensors that runs write to. */
export const publicState = (
  original: ExportedProgram,
  own: ReadonlyMap<string, Tensor>,
): Map<string, Tensor> =>
  new Map(
    [...original.constants, ...original.stateDict].map(([name, tensor]) => [name, own.get(name) ?? tensor]),
  );

/** State that no run writes to. */
export function fixedTensors(program: ExportedProgram, own: ReadonlyMap<string, Tensor>): Set<Tensor> {
  const given = new Map([...program.constants, ...program.stateDict]);
  // Those that are written to are copies.
  return new Set([...own].filter(([name, tensor]) => given.get(name) === tensor).map(([, tensor]) => tensor));
}

/** State, with that which runs write to on devices that can keep it between runs. */
export function ownState(
  program: ExportedProgram,
  device: Device,
  state: ReadonlyMap<string, Tensor>,
): Map<string, Tensor> {
  if (device.readsAtOnce !== true) return new Map(state);
  const fixed = fixedTensors(program, state);
  const storages = new Map<Storage, DeviceStorage>();
  return new Map(
    [...state].map(([name, tensor]) => {
      const { dtype, shape, strides, storageOffset, requiresGrad, storage } = tensor;
      if (fixed.has(tensor) || !storage.hasValues) return [name, tensor];
      const own = storages.get(storage) ?? new DeviceStorage(storage.byteLength, storage.bytes);
      storages.set(storage, own);
      return [name, new Tensor({ dtype, shape, strides, storageOffset, requiresGrad, storage: own })];
    }),
  );
}

/** Returns whether the elements of a tensor are in the memory of a device. */
export const isOnDevice = ({ storage }: Tensor): boolean =>
  storage instanceof DeviceStorage && storage.isOnDevice;
