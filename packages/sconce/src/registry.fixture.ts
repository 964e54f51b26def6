/** @file A package registry on this machine, with the packages that Sconce's packages depend on. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { sharedFolder } from "../../../.config/shared-folder.js";
import { isOwn, ROOT, runProgram } from "./packed.fixture.js";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Returns the packages that npm installs with a package. */
const neededBy = ({
  dependencies = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}: Manifest): string[] => [
  ...Object.keys(dependencies),
  ...Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true),
];

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** Returns the folder of a package as one in `from` finds it. */
function folderOf(name: string, from: string): string {
  const folder = join(from, "node_modules", name);
  if (existsSync(folder)) return folder;
  if (dirname(from) === from) throw new Error(`${name} is not installed`);
  return folderOf(name, dirname(from));
}

/**
 * Returns the folders of the packages of others that Sconce's packages need to run, theirs
 * included.
 */
function neededFolders(): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (folder: string): void => {
    if (found.has(folder)) return;
    found.add(folder);
    for (const name of neededBy(manifestOf(folder))) add(folderOf(name, folder));
  };
  const packages = join(ROOT, "packages");
  for (const folder of readdirSync(packages).filter((name) =>
    existsSync(join(packages, name, "package.json")),
  ))
    for (const name of neededBy(manifestOf(join(packages, folder))))
      if (!isOwn(name)) add(folderOf(name, join(packages, folder)));
  return found;
}

/** Returns what the registry answers for a package: the versions that are installed here. */
function documentOf(
  manifests: readonly Manifest[],
  address: string,
  files: ReadonlyMap<string, Buffer>,
): object {
  const versions = manifests.map((manifest) => {
    const file = `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`;
    const integrity = `sha512-${createHash("sha512").update(files.get(file)!).digest("base64")}`;
    return [manifest.version, { ...manifest, dist: { tarball: `${address}-/${file}`, integrity } }];
  });
  const { name, version } = manifests.at(-1)!;
  return { name, "dist-tags": { latest: version }, versions: Object.fromEntries(versions) };
}

/** A registry that listens on this machine. */
export interface Registry {
  readonly address: string;
  close(): void;
}

/**
 * Opens a registry. What is installed here is packed, once for a run, so that an installation needs
 * no network.
 */
export async function openRegistry(): Promise<Registry> {
  const folders = [...neededFolders()];
  const packed = await sharedFolder("registry", async (into) => {
    await runProgram("npm", ["pack", "--ignore-scripts", "--pack-destination", into, ...folders], into);
  });
  const files = new Map(readdirSync(packed).map((name) => [name, readFileSync(join(packed, name))]));
  const byName = new Map<string, Manifest[]>();
  for (const manifest of folders.map(manifestOf))
    byName.set(manifest.name, [...(byName.get(manifest.name) ?? []), manifest]);
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url!.slice(1));
    const manifests = byName.get(path);
    const file = files.get(basename(path));
    if (manifests === undefined && file === undefined) response.writeHead(404).end("{}");
    else if (manifests === undefined) response.end(file);
    else response.end(JSON.stringify(documentOf(manifests, address, files)));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { address, close: () => server.close() };
}
