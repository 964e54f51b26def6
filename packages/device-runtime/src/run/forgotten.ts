/** @file Frees what executables hold on a device, at the latest when nothing can reach them. */
import type { Executable } from "@sconce/ir";
import type { Device } from "../device/device.js";

/** What an executable holds. It must not lead back to the executable. */
export interface Belongings {
  readonly device: Device;
  /** Executables of the host. */
  readonly hosts: ReadonlyMap<string, Promise<Executable>>;
}

const forgotten = /* @__PURE__ */ new FinalizationRegistry<Belongings>((held) => void free(held));

/**
 * Frees the belongings when nothing can reach the executable any more. Devices without a memory of
 * their backend are left alone: their results end with them, and callers may still have some.
 */
export function freeWhenForgotten(executable: Executable, held: Belongings): void {
  if (held.device.memory !== undefined) forgotten.register(executable, held, executable);
}

/** Frees the belongings of an executable that is disposed of. */
export function freeOf(executable: Executable, held: Belongings): Promise<void> | void {
  forgotten.unregister(executable);
  return free(held);
}

function free({ device, hosts }: Belongings): Promise<void> | void {
  for (const host of hosts.values())
    host.then(
      (one) => one.dispose(),
      () => undefined,
    );
  return device.dispose();
}
