/** @file Which libraries' operators an archive calls, without reading the program. */
import { checkOptions, type OptionNames, throwIfAborted } from "@sconce/errors";
import { toRandomAccess } from "../open-source.js";
import type { ByteSource } from "../source.js";
import { ZipArchive } from "../zip/archive.js";
import { budgetFor } from "./assemble.js";
import { LIMITS, type ReadPt2Options } from "./options.js";
import { FLAT_RECORDS } from "./schema.js";

/** Bounds on reading, and how to stop. */
export type NamespacesOptions = Pick<ReadPt2Options, "limits" | "budget" | "signal">;

const NAMESPACES: OptionNames<NamespacesOptions> = { limits: true, budget: true, signal: true };

/**
 * Namespaces of the operators that the programs of an archive call (`aten`, `torchvision`), by a
 * search of their text: nothing is parsed or checked.
 * @throws SconceError `ZIP_*` for what is not an archive, `SOURCE_*`, `ABORTED`
 */
export async function calledNamespaces(
  source: ByteSource,
  options: NamespacesOptions = {},
): Promise<ReadonlySet<string>> {
  checkOptions("calledNamespaces", options, NAMESPACES);
  checkOptions("calledNamespaces (limits)", options.limits, LIMITS);
  const access = await toRandomAccess(source, options);
  const budget = budgetFor(options, access.size);
  const zip = await ZipArchive.open(access, { budget });
  const found = new Set<string>();
  for (const name of zip.names()) {
    throwIfAborted(options.signal, "load");
    if (!/^[^/]+\/models\/.*\.json$/.test(name) && name !== FLAT_RECORDS.program) continue;
    const text = new TextDecoder().decode(await zip.read(name));
    for (const [, namespace] of text.matchAll(/"torch\.ops\.(\w{1,200})\./g)) found.add(namespace!);
  }
  return found;
}
