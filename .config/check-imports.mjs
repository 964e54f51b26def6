/**
 * Fails on errors constructed outside of a package's `errors.ts`, on graphs constructed outside of
 * ir, on import cycles between files, on folders that import each other, on imports up the list of
 * packages, and on `node:` imports in portable packages. Imports of types count: what a reader has
 * to know is the same.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathFrom, ROOT } from "./paths.mjs";

/** A package may import those before it in its row's list. */
const MAY_IMPORT = {
  errors: [],
  wasm: ["errors"],
  tensor: ["errors"],
  symbolic: ["errors"],
  ir: ["errors", "tensor", "symbolic"],
  drawing: ["errors", "ir"],
  ops: ["errors", "tensor", "symbolic", "ir"],
  "ops-cases": ["errors", "tensor", "symbolic", "ir", "ops"],
  trace: ["errors", "tensor", "symbolic", "ir", "ops"],
  passes: ["errors", "tensor", "symbolic", "ir", "ops", "trace"],
  codegen: ["errors", "tensor", "symbolic", "ir", "ops", "trace", "passes"],
  formats: ["errors", "tensor", "symbolic", "ir"],
  "backend-cpu": ["errors", "tensor", "symbolic", "ir", "ops"],
  "device-runtime": [
    "errors",
    "tensor",
    "symbolic",
    "ir",
    "ops",
    "trace",
    "passes",
    "codegen",
    "backend-cpu",
  ],
  "backend-gpujs": ["errors", "tensor", "symbolic", "ops", "codegen", "device-runtime"],
  "backend-wasm": ["errors", "tensor", "symbolic", "ir", "ops", "codegen", "wasm", "device-runtime"],
  session: ["errors", "tensor", "symbolic", "ir", "ops", "passes", "codegen", "formats", "backend-cpu"],
  "source-check": ["errors", "tensor", "symbolic", "ir", "ops"],
  torch: ["errors", "tensor", "symbolic", "ir", "ops", "trace", "backend-cpu", "source-check"],
  capture: [
    ...["errors", "tensor", "symbolic", "ir", "ops", "trace", "backend-cpu"],
    ...["source-check", "torch"],
  ],
  build: [
    ...["errors", "tensor", "symbolic", "ir", "ops", "passes", "codegen", "backend-cpu", "capture"],
    ...["device-runtime", "backend-wasm"],
  ],
  batch: ["errors", "tensor", "symbolic", "ir", "ops", "passes", "formats", "session"],
  serve: ["errors", "tensor", "symbolic", "ir", "ops", "session"],
  studio: [
    "errors",
    "tensor",
    "ir",
    "drawing",
    "passes",
    "formats",
    "backend-cpu",
    "codegen",
    "session",
    "capture",
  ],
  "torch-libraries": ["errors", "tensor", "symbolic", "ir", "ops", "passes", "backend-cpu"],
  quantization: ["errors", "tensor", "ir", "ops", "trace", "passes"],
  testing: [
    ...["errors", "tensor", "symbolic", "ir", "ops", "ops-cases", "passes"],
    ...["backend-cpu", "session"],
  ],
  conformance: [
    ...["errors", "tensor", "symbolic", "ir", "drawing", "ops", "ops-cases", "passes", "codegen", "formats"],
    ...["backend-cpu", "backend-wasm", "backend-gpujs", "session", "torch", "capture", "torch-libraries"],
    ...["testing", "build"],
  ],
  bench: [
    "errors",
    "tensor",
    "symbolic",
    "ir",
    "ops",
    "passes",
    "codegen",
    "formats",
    "backend-cpu",
    "backend-gpujs",
    "session",
    "capture",
    "testing",
  ],
  cli: [
    "errors",
    "tensor",
    "symbolic",
    "ir",
    "drawing",
    "ops",
    "passes",
    "codegen",
    "formats",
    "backend-cpu",
    "session",
    "studio",
    "capture",
    "torch-libraries",
    "quantization",
    "build",
    "batch",
    "serve",
  ],
  fuzz: [
    ...["errors", "tensor", "symbolic", "ir", "ops", "passes", "formats", "session", "capture", "cli"],
    ...["backend-wasm", "backend-gpujs"],
  ],
  site: ["cli", "sconce"],
  sconce: [
    "symbolic",
    "ir",
    "drawing",
    "codegen",
    "formats",
    "backend-wasm",
    "backend-gpujs",
    "session",
    "studio",
    "capture",
    "torch-libraries",
    "quantization",
    "build",
    "batch",
    "serve",
    "testing",
    "cli",
  ],
};
/** Optional packages that a package imports when they are asked for, by `import()` only. */
const MAY_LOAD = { session: ["backend-wasm", "backend-gpujs"], cli: ["backend-wasm", "backend-gpujs"] };
const USES_NODE = new Set([
  "batch",
  "testing",
  "conformance",
  "bench",
  "serve",
  "cli",
  "fuzz",
  "sconce",
  "site",
]);
/** Entry points of portable packages that are for Node only. */
const NODE_ENTRIES =
  /packages\/(formats|session|studio|backend-gpujs|backend-wasm|ops-cases)\/src\/(.*\/)?(node|.*-node)\.ts$/;

const problems = [];
const imports = new Map();
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+"([^"]+)"|import\("([^"]+)"\)|(?:^|\n)import\s+"([^"]+)"/g;

const isTestFile = (file) => /\.(test|fixture)\.ts$/.test(file);

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (path.endsWith(".ts")) yield path;
  }
}

/** The classes of errors: SconceError, and those that extend it. */
const ERROR_CLASSES = ["SconceError"];
for (const name of Object.keys(MAY_IMPORT))
  for (const file of sources(join(ROOT, "packages", name, "src")))
    for (const [, own] of readFileSync(file, "utf8").matchAll(/\bclass (\w+) extends SconceError\b/g))
      ERROR_CLASSES.push(own);
const ERROR_MADE = new RegExp(
  `\\bnew (${ERROR_CLASSES.join("|")})\\(|\\bextends (${ERROR_CLASSES.join("|")})\\b`,
);

/** Whether a source makes an error, or defines a class of errors. */
const constructsErrors = (text) => ERROR_MADE.test(text);

for (const name of Object.keys(MAY_IMPORT)) {
  for (const file of sources(join(ROOT, "packages", name, "src"))) {
    const isTest = isTestFile(file);
    const text = readFileSync(file, "utf8");
    if (name !== "ir" && /\bnew Graph\(/.test(text))
      problems.push(
        `${pathFrom(ROOT, file)}: only ir constructs graphs; use edit, rebuild, renameNodes or GraphBuilder`,
      );
    if (
      name !== "errors" &&
      !isTest &&
      !/(^|[/-])errors\.ts$/.test(pathFrom(ROOT, file)) &&
      constructsErrors(text)
    )
      problems.push(
        `${pathFrom(ROOT, file)}: only errors.ts constructs errors; write a factory there and call it`,
      );
    const local = [];
    for (const match of text.matchAll(IMPORT)) {
      const target = match[1] ?? match[2] ?? match[3];
      const place = pathFrom(ROOT, file);
      if (target.startsWith(".")) local.push(resolve(dirname(file), target.replace(/\.js$/, ".ts")));
      if (isTest) continue;
      const other = /^@sconce\/([\w-]+)/.exec(target)?.[1] ?? (target === "sconce" ? "sconce" : undefined);
      const isLoaded = match[2] !== undefined && MAY_LOAD[name]?.includes(other);
      if (other !== undefined && !MAY_IMPORT[name].includes(other) && !isLoaded)
        problems.push(`${place}: ${name} may not import ${other}`);
      if (target.startsWith("node:") && !USES_NODE.has(name) && !NODE_ENTRIES.test(place)) {
        problems.push(`${place}: imports ${target}, but ${name} runs in browsers`);
      }
    }
    imports.set(file, local);
  }
}

const state = new Map();
function visit(file, path) {
  if (state.get(file) === "done" || !imports.has(file)) return;
  if (state.get(file) === "open") {
    problems.push(
      `cycle: ${[...path.slice(path.indexOf(file)), file].map((item) => pathFrom(ROOT, item)).join(" -> ")}`,
    );
    return;
  }
  state.set(file, "open");
  for (const next of imports.get(file)) visit(next, [...path, file]);
  state.set(file, "done");
}
for (const file of imports.keys()) visit(file, []);

/**
 * Files beside the folders of a package: what others import, or the command's start. They compose
 * the folders, as the index of a folder composes those inside of it.
 */
const ENTRY =
  /(^(main|public|history|verify|diff|text|topology|node|webgpu|vitest|fast-check)|^(.*\/)?index)\.ts$/;

const RELATIVE_IMPORT = /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+"(\.[^"]+)"/g;

/** Folders of a package that import each other, those inside of others too. */
function checkFolders(name) {
  const src = join(ROOT, "packages", name, "src");
  const edges = new Map();
  for (const file of sources(src)) {
    const place = pathFrom(src, file);
    if (isTestFile(file) || ENTRY.test(place)) continue;
    for (const [, specifier] of readFileSync(file, "utf8").matchAll(RELATIVE_IMPORT)) {
      const target = resolve(dirname(file), specifier);
      const [from, to] = [place, pathFrom(src, target)].map((path) =>
        path.includes("/") ? dirname(path) : ".",
      );
      if (from !== to) edges.set(`${from} ${to}`, `${place} imports ${pathFrom(src, target)}`);
    }
  }
  const next = new Map();
  for (const edge of edges.keys()) {
    const [from, to] = edge.split(" ");
    next.set(from, [...(next.get(from) ?? []), to]);
  }
  for (const cycle of cyclesOf(next)) {
    const examples = cycle.map((folder, at) => edges.get(`${folder} ${cycle[(at + 1) % cycle.length]}`));
    problems.push(`${name}: folders import each other, ${cycle.join(" -> ")}: ${examples.join(", ")}`);
  }
}

/**
 * Returns one cycle through each edge that closes one, in a graph given by the next folders of
 * each.
 */
function cyclesOf(next) {
  const cycles = [];
  const done = new Set();
  const walk = (folder, path) => {
    const at = path.indexOf(folder);
    if (at >= 0) {
      cycles.push(path.slice(at));
      return;
    }
    if (done.has(folder)) return;
    for (const to of next.get(folder) ?? []) walk(to, [...path, folder]);
    done.add(folder);
  };
  for (const folder of next.keys()) walk(folder, []);
  return cycles;
}
for (const name of Object.keys(MAY_IMPORT)) checkFolders(name);

for (const problem of problems) console.error(problem);
console.log(`${imports.size} files, ${problems.length} import problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
