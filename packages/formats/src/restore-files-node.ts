/** @file Undoes writes. It is synchronous, because a process that ends waits for nothing. */

import { renameSync, rmSync } from "node:fs";
import { systemCode } from "@sconce/errors";

/** Gives targets back what they held; those that were not there are removed. */
export function restoreNow(replaced: readonly { readonly target: string; readonly backup: string }[]): void {
  for (const { target, backup } of replaced) {
    try {
      renameSync(backup, target);
    } catch (error) {
      if (systemCode(error) === "ENOENT") removeNow(target);
    }
  }
}

/** Removes a file where that can be done; what cannot be removed stays. */
export function removeNow(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}
