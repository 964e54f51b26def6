/**
 * @file The packages of the repository, from their `package.json`: a table and a diagram of their
 * imports.
 */
import { readdirSync, readFileSync } from "node:fs";

/** One package of the repository. */
export interface PackageInfo {
  /** Name without scope, as in `packages/NAME`. */
  readonly name: string;
  /** Name in imports: `@sconce/NAME`. */
  readonly specifier: string;
  readonly description: string;
  /** Packages of the repository that it imports, by name without scope. */
  readonly imports: readonly string[];
  /** Packages of the repository that it loads on demand: its peers. */
  readonly loads: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly description?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const unscoped = (name: string): string => name.replace("@sconce/", "");

/**
 * Reads all packages of the repository at `root`, sorted so that each package follows those that it
 * imports.
 */
export function readPackages(root: URL): PackageInfo[] {
  const folders = readdirSync(new URL("packages/", root)).sort();
  const manifests = folders.map((folder) => {
    const text = readFileSync(new URL(`packages/${folder}/package.json`, root), "utf8");
    return JSON.parse(text) as Manifest;
  });
  const known = new Set(manifests.map(({ name }) => name));
  const inside = (others: Readonly<Record<string, string>> = {}): string[] =>
    Object.keys(others)
      .filter((other) => known.has(other))
      .map(unscoped);
  const packages = manifests.map(({ name, description = "", dependencies, peerDependencies }) => {
    return {
      name: unscoped(name),
      specifier: name,
      description,
      imports: inside(dependencies),
      loads: inside(peerDependencies),
    };
  });
  return sorted(packages);
}

function sorted(packages: readonly PackageInfo[]): PackageInfo[] {
  const done = new Map<string, PackageInfo>();
  while (done.size < packages.length) {
    const ready = packages.filter(
      ({ name, imports, loads }) =>
        !done.has(name) && [...imports, ...loads].every((other) => done.has(other)),
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

/**
 * Returns a Mermaid diagram of the imports; an arrow that follows from others is omitted. Peers
 * have dotted arrows.
 */
export function packageDiagram(packages: readonly PackageInfo[]): string {
  const byName = new Map(packages.map((one) => [one.name, one]));
  const edges = packages.flatMap(({ name, imports, loads }) => {
    const implied = new Set(imports.flatMap((other) => [...reachOf(other, byName)]));
    const solid = imports.filter((other) => !implied.has(other)).map((other) => `  ${name} --> ${other}`);
    return [...solid, ...loads.map((other) => `  ${name} -.-> ${other}`)];
  });
  return ["```mermaid", "flowchart BT", ...edges, "```"].join("\n");
}

/**
 * Returns a table with a row for each package: its name, what it holds. `link` is the path from the
 * page to `packages/`.
 */
export function packageTable(packages: readonly PackageInfo[], link: string): string {
  const rows = packages.map(
    ({ name, specifier, description }) => `| [\`${specifier}\`](${link}${name}) | ${description} |`,
  );
  return ["| package | holds |", "| --- | --- |", ...rows].join("\n");
}
