/** Runs turbo with its telemetry off: `node .config/turbo.mjs run build`. */
import { spawnSync } from "node:child_process";

const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };
const { status } = spawnSync("npx", ["turbo", ...process.argv.slice(2)], {
  stdio: "inherit",
  env,
  shell: process.platform === "win32",
});
process.exitCode = status ?? 1;
