/**
 * Runs the checks of `npm run lint` beside the tests, which leave processors idle while they wait:
 * `npm test`. Its options are those of vitest.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "./paths.mjs";

const node = (script, args, stdio) => spawn(process.execPath, [script, ...args], { cwd: ROOT, stdio });
const ended = (child) =>
  new Promise((done) => {
    child.on("error", () => done(1));
    child.on("close", (code) => done(code ?? 1));
  });

const lint = node(join(ROOT, ".config/lint.mjs"), [], ["ignore", "pipe", "pipe"]);
let output = "";
lint.stdout.on("data", (text) => (output += text));
lint.stderr.on("data", (text) => (output += text));
const vitest = node(
  join(ROOT, "node_modules/vitest/vitest.mjs"),
  ["run", ...process.argv.slice(2)],
  "inherit",
);

const tests = ended(vitest);
let areTestsOver = false;
void tests.then(() => (areTestsOver = true));
const checks = ended(lint).then((code) => {
  // The output ends with the summary of the tests.
  if (code !== 0 || !areTestsOver) console.log(output.trimEnd());
  if (code !== 0) console.log("npm run lint failed");
  return code;
});
const codes = await Promise.all([tests, checks]);
process.exitCode = codes.find((code) => code !== 0) ?? 0;
