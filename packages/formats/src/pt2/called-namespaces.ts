/** @file Which libraries' operators an archive calls, without reading the program. */
import { type ByteSource, toRandomAccess } from "../source.js";
import { ZipArchive } from "../zip/archive.js";
import { FLAT_RECORDS } from "./schema.js";

const MAX_STREAM_BYTES = 2 ** 32 - 1;

/**
 * Namespaces of the operators that the programs of an archive call (`aten`, `torchvision`), by a
 * search of their text: nothing is parsed or checked.
 * @throws SconceError `ZIP_*` for what is not an archive
 */
export async function calledNamespaces(source: ByteSource): Promise<ReadonlySet<string>> {
  const zip = await ZipArchive.open(await toRandomAccess(source, { maxStreamBytes: MAX_STREAM_BYTES }), {});
  const found = new Set<string>();
  for (const name of zip.names()) {
    if (!/\/models\/[^/]*\.json$/.test(name) && name !== FLAT_RECORDS.program) continue;
    const text = new TextDecoder().decode(await zip.read(name));
    for (const [, namespace] of text.matchAll(/"torch\.ops\.(\w+)\./g)) found.add(namespace!);
  }
  return found;
}
