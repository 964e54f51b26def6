import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes the folder of a test run, where files of tests keep what others also need. */
export default function makeRunFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sconce-run-")));
  process.env.SCONCE_RUN_FOLDER = folder;
  return () => {
    rmSync(folder, { recursive: true, force: true });
  };
}
