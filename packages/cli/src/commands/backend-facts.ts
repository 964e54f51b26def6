/** @file Which modes of gpu.js run here. */
import { thrownText } from "@sconce/errors";

/** A way to run programs. */
export interface BackendFacts {
  /** The value of `--backend`. */
  readonly name: string;
  readonly available: boolean;
  /** The adapter or engine; null where it does not run. */
  readonly device: string | null;
  /** Whether a GPU computes. */
  readonly hardware: boolean;
  readonly reason: string | null;
  readonly fix: string | null;
}

/** Opens gpu.js in each of its modes. */
export async function gpujsFacts(): Promise<BackendFacts[]> {
  try {
    const { reportModes } = await import("@sconce/backend-gpujs");
    const reports = await reportModes();
    return reports.map(({ mode, device = null, isSoftware = true, reason = null, fix = null }) => ({
      name: `gpujs:${mode}`,
      available: device !== null,
      device,
      hardware: device !== null && !isSoftware,
      reason,
      fix,
    }));
  } catch (error) {
    const reason = `its package cannot be loaded: ${thrownText(error)}`;
    const fix = "npm install @sconce/backend-gpujs gpu.js";
    return [{ name: "gpujs", available: false, device: null, hardware: false, reason, fix }];
  }
}
