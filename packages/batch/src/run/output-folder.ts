/** @file The folder of results. */
import { constants } from "node:fs";
import { access, mkdir, stat } from "node:fs/promises";
import { outputFailed } from "../errors.js";

/** Makes the folder, and checks that it can be written. @throws SconceError `FILE` */
export async function requireOutput(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw outputFailed(folder, error);
  }
  if (!(await stat(folder)).isDirectory())
    throw outputFailed(folder, Object.assign(new Error("not a folder"), { code: "EEXIST" }));
}
