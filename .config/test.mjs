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

const codes = await Promise.all([ended(vitest), ended(lint)]);
if (output.trim() !== "") console.log(output.trimEnd());
if (codes[1] !== 0) console.log("npm run lint failed");
process.exitCode = codes.find((code) => code !== 0) ?? 0;
