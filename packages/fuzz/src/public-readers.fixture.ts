/** @file Public functions whose first parameter is text or bytes of an input. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const PACKAGES = fileURLToPath(new URL("../../", import.meta.url));

/** Packages with functions that take inputs; the others have none by construction. */
const NAMES = ["errors", "tensor", "symbolic", "ir", "ops", "passes", "formats", "capture", "session", "cli"];

/** The names that a text or bytes of an input have; a `name` or a `target` is an identifier. */
const PARAMETER =
  /^(?:text|bytes|source|json|data|file|path|url|start|pieces)\??: .*\b(?:string|Uint8Array|ByteSource|ArrayBuffer|RandomAccess|URL)\b/;

const DECLARED = /export declare (?:function|const) (\w+)(?:: )?(?:<[^>(]*>)?\(([^,)]*)/g;

function* declarations(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* declarations(path);
    else if (path.endsWith(".d.ts")) yield readFileSync(path, "utf8");
  }
}

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
}

/** Returns the functions of all entry points of a package. */
async function publicFunctions(name: string): Promise<ReadonlySet<string>> {
  const folder = join(PACKAGES, name);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const modules = await Promise.all(
    Object.values(manifest.exports).map(
      (conditions) => import(pathToFileURL(join(folder, conditions.default)).href) as Promise<object>,
    ),
  );
  const named = modules.flatMap((module) => Object.entries(module));
  return new Set(named.filter(([, value]) => typeof value === "function").map(([key]) => key));
}

/** Returns the names of all such functions, sorted. */
export async function publicReaders(): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const name of NAMES) {
    const known = await publicFunctions(name);
    for (const text of declarations(join(PACKAGES, name, "dist")))
      for (const [, own = "", parameter = ""] of text.matchAll(DECLARED))
        if (known.has(own) && PARAMETER.test(parameter)) found.add(own);
  }
  return [...found].sort();
}
