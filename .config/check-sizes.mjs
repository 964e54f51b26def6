/**
 * Fails on functions over 60 lines and files over 500 lines. The callbacks of `describe` hold
 * tests, which count by themselves; generated data does not count. Fails, too, when recorded
 * fixtures take more than 25 MB, and on more than 40 casts through `unknown` or `never` in what
 * captures programs.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseFile, sourceFiles, walk } from "./source-files.mjs";

const FUNCTION_LINES = 60;
const FILE_LINES = 500;
const FIXTURE_BYTES = 25_000_000;
const CASTS = 40;
const CAST = /\bas (?:unknown as|never)\b/g;
/** Sources in which casts are counted. */
const COUNTED = /^packages\/(?:capture|source-check|torch)\/src\/(?!.*\.(?:test|fixture)\.ts$)/;
/** Folders of a package that hold recorded results. */
const FIXTURES = ["fixtures", "cases", "golden"];
const FUNCTION = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
/** Generated data. */
const GENERATED = new Set([
  "packages/build/src/emit/runtime-text.ts",
  "packages/ops/src/schema/aten-schemas.ts",
  "packages/ops/src/schema/other-schemas.ts",
  "packages/ops/src/dtypes/dtype-refusals.ts",
  "packages/torch/src/functions/signature-lines.ts",
  "packages/torch/src/functions/function-types.ts",
  "packages/torch/src/functions/method-types.ts",
  "packages/torch/src/functions/operator-types.ts",
  "packages/torch/src/functions/api-cases.fixture.ts",
  "packages/torch/src/nn/functional-types.ts",
]);

const lines = (text) => text.split("\n").length;

/**
 * Whether a function is the callback of `describe(...)`, `describe.each(...)(...)` and the like.
 */
const isSuite = (text, parent) =>
  parent?.type === "CallExpression" && /^describe\b/.test(text.slice(parent.start, parent.end));

const problems = [];
let casts = 0;
for (const folder of ["packages", "examples", ".config"])
  for (const path of sourceFiles(folder)) {
    if (GENERATED.has(path)) continue;
    const file = parseFile(path);
    const { text } = file;
    if (COUNTED.test(path)) casts += text.match(CAST)?.length ?? 0;
    const length = lines(text.trimEnd());
    if (length > FILE_LINES) problems.push(`${path}: ${length} lines, more than ${FILE_LINES}`);
    if (length <= FUNCTION_LINES) continue;
    walk(file.program, (node, parent) => {
      if (!FUNCTION.test(node.type) || isSuite(text, parent)) return;
      const own = lines(text.slice(node.start, node.end));
      if (own <= FUNCTION_LINES) return;
      const at = `${path}:${lines(text.slice(0, node.start))}`;
      problems.push(`${at}: a function of ${own} lines, more than ${FUNCTION_LINES}`);
    });
  }
if (casts > CASTS) problems.push(`packages/{capture,torch}: ${casts} casts, more than ${CASTS}`);
let bytes = 0;
for (const name of readdirSync("packages"))
  for (const folder of FIXTURES) {
    const root = join("packages", name, folder);
    const files = statSync(root, { throwIfNoEntry: false })?.isDirectory()
      ? readdirSync(root, { recursive: true }).map((file) => statSync(join(root, String(file))))
      : [];
    for (const file of files) if (file.isFile()) bytes += file.size;
  }
if (bytes > FIXTURE_BYTES) problems.push(`fixtures take ${bytes} bytes, more than ${FIXTURE_BYTES}`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
