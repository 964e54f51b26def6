/**
 * Writes `src/emit/runtime-text.ts`: the runtime of built modules as text, which `buildModule` puts
 * into each module.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The class of errors is that of the runtime: other parts find it by its name. */
const sharedError = {
  name: "shared-error",
  setup(builder) {
    builder.onLoad({ filter: /runtime\/error\.ts$/ }, () => ({
      contents: "const own = ModelError; export { own as ModelError };",
    }));
  },
};

async function bundled(entry) {
  const { outputFiles } = await build({
    entryPoints: [path(entry)],
    bundle: true,
    format: "esm",
    minify: true,
    write: false,
    target: "es2022",
    conditions: ["@sconce/source"],
    charset: "ascii",
    legalComments: "none",
    logLevel: "error",
    plugins: entry.endsWith("/index.ts") ? [] : [sharedError],
  });
  // A function that returns what the module exports: the form `iife` of esbuild has code for
  // getters.
  const [, body, names] = /^(.*?);?export\{([^{}]*)\};$/s.exec(outputFiles[0].text.trim()) ?? [];
  if (body === undefined) throw new Error(`${entry}: esbuild wrote another form`);
  const members = names.split(",").map((one) => {
    const [local, name = local] = one.split(" as ");
    return local === name ? name : `${name}:${local}`;
  });
  return `(()=>{${body};return{${members.join(",")}}})()`;
}

/** The text of the generated file. */
export async function generatedText() {
  const names = [
    "index",
    "functions",
    "loads",
    "script-functions",
    "script-engine",
    "host",
    "kinds",
    "threads",
    "worker",
    "divisions",
  ];
  const [runtime, functions, loads, scripts, engine, host, kinds, threads, worker, divisions] =
    await Promise.all(names.map((name) => bundled(`src/runtime/${name}.ts`)));
  return [
    "/** @file The runtime of built modules; written by `generate.mjs`. */",
    "/** Loads and runs a module: an expression of an object with `loadModel` and `ModelError`. */",
    `export const RUNTIME: string = ${JSON.stringify(runtime)};`,
    "/** Runs programs with steps that are not kernels: an expression of an object with `runHosted`. */",
    `export const HOST: string = ${JSON.stringify(host)};`,
    "/** Functions of float64 that kernels call: an expression of an object with `functions`. */",
    `export const FUNCTIONS: string = ${JSON.stringify(functions)};`,
    "/** Checks loads at the sizes of a run: an expression of an object with `inside`. */",
    `export const LOADS: string = ${JSON.stringify(loads)};`,
    "/** Runs kernels in JavaScript: an expression of an object with `scriptOpener`. */",
    `export const SCRIPT_ENGINE: string = ${JSON.stringify(engine)};`,
    "/** Chooses among kinds of kernels: an expression of an object with `chooser`. */",
    `export const KINDS: string = ${JSON.stringify(kinds)};`,
    "/** Threads of a module: an expression of an object with `threadsWith`. */",
    `export const THREADS: string = ${JSON.stringify(threads)};`,
    "/** What a worker of a module does: an expression of an object with `serve`. */",
    `export const WORKER: string = ${JSON.stringify(worker)};`,
    "/** Names divisions by zero: an expression of an object with `dividing`. */",
    `export const DIVISIONS: string = ${JSON.stringify(divisions)};`,
    "/** Functions that kernels in JavaScript call: an expression of an object with `functionsOf`. */",
    `export const SCRIPT_FUNCTIONS: string = ${JSON.stringify(scripts)};`,
    "",
  ].join("\n");
}

const OUTPUT = path("src/emit/runtime-text.ts");
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(OUTPUT, await generatedText());
export const currentText = () => readFileSync(OUTPUT, "utf8");
