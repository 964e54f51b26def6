import { spawnSync } from "node:child_process";

/**
 * Builds what changed before tests run: they import built files. Turbo has built them when it runs
 * tests.
 */
export default function build() {
  // biome-ignore lint/suspicious/noUndeclaredEnvVars: turbo sets it for the tasks that it runs.
  if (process.env.TURBO_HASH !== undefined) return;
  const root = new URL("..", import.meta.url);
  const { status } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b"], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("the sources do not compile");
}
