/**
 * Fails on imports, those of tests included, that the `package.json` of the package does not
 * declare, on relative imports out of a package, on sources that import a test or a helper of tests
 * (`*.fixture.ts`), on packages whose tests make turbo wait for itself, on published packages whose
 * `package.json` lacks a field, and on READMEs whose table of folders lacks one or has one too
 * many.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import { fieldProblems, publishedPackages } from "./package-fields.mjs";
import { normalized } from "./paths.mjs";
import { parseFile, ROOT, sourceFiles } from "./source-files.mjs";

/** What only tests use: a test, or a helper of tests. */
const isTestFile = (path) => /\.(test|fixture)\.ts$/.test(path);
const problems = [];

const manifests = new Map(
  ["packages", "examples"].flatMap((parent) =>
    readdirSync(join(ROOT, parent)).flatMap((name) => {
      const path = `${parent}/${name}`;
      const file = join(ROOT, path, "package.json");
      return existsSync(file) ? [[path, JSON.parse(readFileSync(file, "utf8"))]] : [];
    }),
  ),
);

/** What test files of all packages may import. */
const SHARED = [".config/sampled.js", ".config/shared-folder.js"];

/** What the imports of a file name; those of `import()` when they are literals. */
function specifiersOf({ text, module }) {
  const exported = module.staticExports.flatMap(({ entries }) => entries);
  const named = [...module.staticImports, ...exported].map(({ moduleRequest }) => moduleRequest?.value);
  const loaded = module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start, end));
  return [
    ...named.filter((name) => name !== undefined && name !== null),
    ...loaded.filter((code) => /^(["'])[^"']*\1$/.test(code)).map((code) => code.slice(1, -1)),
  ];
}

for (const [folder, manifest] of manifests) {
  const declared = new Set([
    manifest.name,
    ...["dependencies", "devDependencies", "peerDependencies"].flatMap((key) =>
      Object.keys(manifest[key] ?? {}),
    ),
  ]);
  if (!existsSync(join(ROOT, folder, "src"))) continue;
  for (const path of sourceFiles(`${folder}/src`)) {
    for (const specifier of specifiersOf(parseFile(path))) {
      if (specifier.startsWith(".")) {
        const target = normalized(join(dirname(path), specifier));
        if (!target.startsWith(`${folder}/`) && !(SHARED.includes(target) && isTestFile(path)))
          problems.push(`${path}: imports ${specifier}, which is not in ${folder}`);
        if (!isTestFile(path) && /\.(test|fixture)\.js$/.test(target))
          problems.push(`${path}: imports ${specifier}, which only tests may import`);
        continue;
      }
      if (specifier.startsWith("#") || builtinModules.includes(specifier.replace(/^node:/, ""))) continue;
      const name = specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/");
      if (!declared.has(name))
        problems.push(`${path}: imports ${name}, which ${folder}/package.json does not declare`);
    }
  }
}

for (const folder of manifests.keys()) {
  const path = `${folder}/README.md`;
  const text = existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), "utf8") : "";
  const table = /^\| folder of `src` \|.*\n\| --- .*\n((?:\|.*\n)+)/m.exec(text)?.[1];
  const listed = [...(table ?? "").matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name);
  const folders = readdirSync(join(ROOT, folder, "src"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "__snapshots__")
    .map(({ name }) => name);
  for (const name of folders)
    if (!listed.includes(name)) problems.push(`${path}: the table of folders lacks ${name}`);
  for (const name of listed)
    if (!folders.includes(name))
      problems.push(`${path}: the table of folders has ${name}, which is not there`);
}

const folderOf = new Map([...manifests].map(([folder, { name }]) => [name, folder]));
const inside = (dependencies) => Object.keys(dependencies ?? {}).filter((name) => folderOf.has(name));

/** Whether building the package, and all that its builds use, comes to `name`. */
function reaches(from, name, seen = new Set()) {
  if (from === name) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return inside(manifests.get(folderOf.get(from)).dependencies).some((next) => reaches(next, name, seen));
}

/**
 * A package whose tests use packages that depend on it says in a `turbo.json` what its build waits
 * for.
 */
for (const [folder, { name, dependencies, devDependencies }] of manifests) {
  const file = join(ROOT, folder, "turbo.json");
  const needed = inside(devDependencies).some((one) => reaches(one, name));
  if (needed !== existsSync(file))
    problems.push(`${folder}/turbo.json: ${needed ? "is missing" : "is not needed"}`);
  if (!needed || !existsSync(file)) continue;
  const { tasks } = JSON.parse(readFileSync(file, "utf8").replace(/^\s*\/\/.*$/gm, ""));
  const [want, got] = [inside(dependencies).map((one) => `${one}#build`), tasks.build.dependsOn];
  if (String(want.sort()) !== String([...got].sort()))
    problems.push(`${folder}/turbo.json: the build depends on ${want.join(", ")}`);
}

for (const [folder, manifest] of publishedPackages()) problems.push(...fieldProblems(folder, manifest));

for (const problem of [...new Set(problems)]) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
