/** @file The packages of the repository, from their `package.json`: a table and a diagram of their imports. */
import { readdirSync, readFileSync } from "node:fs";

/** One package of the repository. */
export interface PackageInfo {
  /** Name without scope, as in `packages/NAME`. */
  readonly name: string;
  readonly description: string;
  /** Packages of the repository that it imports, by name without scope. */
  readonly imports: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly description?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const unscoped = (name: string): string => name.replace("@sconce/", "");

/** Reads all packages of the repository at `root`, sorted so that each package follows those that it imports. */
export function readPackages(root: URL): PackageInfo[] {
  const folders = readdirSync(new URL("packages/", root)).sort();
  const manifests = folders.map((folder) => {
    const text = readFileSync(new URL(`packages/${folder}/package.json`, root), "utf8");
    return JSON.parse(text) as Manifest;
  });
  const known = new Set(manifests.map(({ name }) => name));
  const packages = manifests.map(({ name, description = "", dependencies = {} }) => {
    const imports = Object.keys(dependencies).filter((other) => known.has(other));
    return { name: unscoped(name), description, imports: imports.map(unscoped) };
  });
  return sorted(packages);
}

function sorted(packages: readonly PackageInfo[]): PackageInfo[] {
  const done = new Map<string, PackageInfo>();
  while (done.size < packages.length) {
    const ready = packages.filter(
      ({ name, imports }) => !done.has(name) && imports.every((other) => done.has(other)),
    );
    if (ready.length === 0) throw new Error("packages import each other");
    for (const one of ready) done.set(one.name, one);
  }
  return [...done.values()];
}

/** Everything that a package imports, directly or through others. */
function reachOf(name: string, packages: ReadonlyMap<string, PackageInfo>): Set<string> {
  const { imports } = packages.get(name)!;
  return new Set(imports.flatMap((other) => [other, ...reachOf(other, packages)]));
}

/** A Mermaid diagram of the imports; an arrow that follows from others is left out. */
export function packageDiagram(packages: readonly PackageInfo[]): string {
  const byName = new Map(packages.map((one) => [one.name, one]));
  const edges = packages.flatMap(({ name, imports }) => {
    const implied = new Set(imports.flatMap((other) => [...reachOf(other, byName)]));
    return imports.filter((other) => !implied.has(other)).map((other) => `  ${name} --> ${other}`);
  });
  return ["```mermaid", "flowchart BT", ...edges, "```"].join("\n");
}

/** A table with a row for each package: its name, what it holds. `link` is the path from the page to `packages/`. */
export function packageTable(packages: readonly PackageInfo[], link: string): string {
  const rows = packages.map(({ name, description }) => `| [\`${name}\`](${link}${name}) | ${description} |`);
  return ["| package | holds |", "| --- | --- |", ...rows].join("\n");
}
