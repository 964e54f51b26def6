/**
 * Writes what compilers make of the models in `compiled_models.ts.txt`:
 * `fixtures/capture/compiled-models.json.gz`. Run it in a folder with the packages `@swc/core`,
 * `typescript` (5) and `@oven/bun-linux-x64` installed; esbuild is run by the test itself.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const load = createRequire(join(process.cwd(), "package.json"));
const here = (path) => new URL(path, import.meta.url);
const text = readFileSync(here("compiled_models.ts.txt"), "utf8");
const outputs = {};

const swc = load("@swc/core");
for (const [name, target, minify] of [
  ["swc", "es2022", false],
  ["swc-es2017", "es2017", false],
  ["swc-minified", "es2022", true],
]) {
  const { code, map } = swc.transformSync(text, {
    filename: "models.ts",
    sourceMaps: true,
    module: { type: "es6" },
    minify,
    jsc: {
      parser: { syntax: "typescript" },
      target,
      ...(minify ? { minify: { compress: true, mangle: true } } : {}),
    },
  });
  outputs[name] = { code, map: JSON.parse(map) };
}

const ts = load("typescript");
for (const [name, target] of [
  ["tsc", "ES2022"],
  ["tsc-es2017", "ES2017"],
]) {
  const { outputText, sourceMapText } = ts.transpileModule(text, {
    fileName: "models.ts",
    compilerOptions: {
      target: ts.ScriptTarget[target],
      module: ts.ModuleKind.ESNext,
      sourceMap: true,
      inlineSources: true,
    },
  });
  outputs[name] = { code: outputText.replace(/\n\/\/# source.*\s*$/, "\n"), map: JSON.parse(sourceMapText) };
}

const bun = join(load.resolve("@oven/bun-linux-x64/package.json"), "../bin/bun");
const folder = mkdtempSync(join(tmpdir(), "models-"));
writeFileSync(join(folder, "models.ts"), text);
for (const [name, options] of [
  ["bun", []],
  ["bun-minified", ["--minify"]],
]) {
  execFileSync(
    bun,
    ["build", "models.ts", "--outdir", name, "--sourcemap=external", "--target=bun", ...options],
    {
      cwd: folder,
    },
  );
  const code = readFileSync(join(folder, name, "models.js"), "utf8").replace(
    /\n\/\/# (?:debugId|source).*$/gm,
    "",
  );
  const { debugId: _, ...map } = JSON.parse(readFileSync(join(folder, name, "models.js.map"), "utf8"));
  outputs[name] = { code, map };
}

for (const { map } of Object.values(outputs)) {
  map.sources = map.sources.map(() => "models.ts");
  // The text is the same for all.
  delete map.sourcesContent;
}
const packed = gzipSync(JSON.stringify({ text, outputs }), { level: 9 });
writeFileSync(here("../fixtures/capture/compiled-models.json.gz"), packed);
