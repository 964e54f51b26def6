/**
 * @file Plugins that a program file needs and that come with the command: loaded when a file calls
 * their operators.
 */
import { calledNamespaces } from "@sconce/formats";
import { namespacesInPt2File } from "@sconce/formats/node";
import { START_BYTES } from "@sconce/formats/other-formats";
import type { Plugin } from "@sconce/passes";
import { inputBytes, readBytes, readStart } from "./input-file.js";
import { commandWork } from "./limits.js";

/** Where the operators of a library come from, by namespace. */
const LIBRARIES: ReadonlyMap<string, () => Promise<Plugin>> = new Map(
  ["torchvision", "transformers"].map((namespace) => [
    namespace,
    async () => (await import("@sconce/torch-libraries")).torchLibraries,
  ]),
);

/**
 * Plugins for the operators of known libraries that the files call, beside the user's own: a
 * library whose operators one of those defines is left out. A file that cannot be read needs none;
 * opening it reports why.
 */
export async function librariesFor(
  files: readonly string[],
  own: readonly Plugin[],
): Promise<readonly Plugin[]> {
  const given = new Set(own.flatMap(({ ops }) => (Array.isArray(ops) ? ops.map(namespaceOf) : [])));
  const needed = new Set<Plugin>();
  for (const file of files) {
    for (const namespace of await namespacesIn(file)) {
      const library = given.has(namespace) ? undefined : LIBRARIES.get(namespace);
      if (library !== undefined) needed.add(await library());
    }
  }
  return [...needed].filter(({ ops = [] }) => !ops.some((op) => given.has(namespaceOf(op))));
}

const namespaceOf = (op: { readonly schema?: { readonly namespace?: string } } | null): string =>
  op?.schema?.namespace ?? "";

async function namespacesIn(file: string): Promise<Iterable<string>> {
  try {
    await readStart(file, START_BYTES);
    const bytes = await inputBytes(file);
    return await (bytes === undefined
      ? namespacesInPt2File(file, commandWork())
      : calledNamespaces(bytes, commandWork()));
  } catch {
    return namespacesInText(file);
  }
}

/** Returns the same for IR text and JSON IR. */
async function namespacesInText(file: string): Promise<Iterable<string>> {
  const text = await readBytes(file).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => "",
  );
  return [...LIBRARIES.keys()].filter((namespace) =>
    new RegExp(`[ ("]${namespace}\\.\\w+\\.\\w+`).test(text),
  );
}
