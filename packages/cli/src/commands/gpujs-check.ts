/** @file Opens gpu.js in a process whose output nothing sees. */
import { fork } from "node:child_process";
import { join } from "node:path";
import type { BackendFacts } from "./backend-facts.js";
import { findPackage } from "./installed-packages.js";

/**
 * Opens gpu.js in each of its modes, in a separate process. Drivers, packages and Node write
 * warnings to both streams, also from native code, and a broken driver can end its process.
 */
export function gpujsInProcess(): Promise<readonly BackendFacts[]> {
  const child = fork(join(findPackage("@sconce/cli")!.path, "dist/commands/gpujs-process.js"), {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  return new Promise((resolve) => {
    child.once("message", (facts) => resolve(facts as readonly BackendFacts[]));
    child.once("error", (error) => resolve([failed(error.message)]));
    child.once("exit", (code, signal) =>
      resolve([failed(`its process ended with ${signal ?? `exit code ${code}`}`)]),
    );
  });
}

/** In place of all modes: the process does not report which one it was opening. */
const failed = (what: string): BackendFacts => ({
  name: "gpujs",
  available: false,
  device: null,
  hardware: false,
  reason: `the check of its modes failed: ${what}`,
  fix: "update the driver of the GPU, or uninstall the packages webgpu and gl",
});
