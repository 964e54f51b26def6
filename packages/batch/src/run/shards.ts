/** @file The shards of a run and their outputs. */
import { basename, dirname, extname, isAbsolute, join, resolve } from "node:path";
import { glob } from "tinyglobby";
import { badBatch } from "../errors.js";
import { isFile } from "../files.js";
import { formatOf, SHARD_FORMATS, type ShardFormat } from "../shard-format.js";

/** One shard of a run. */
export interface Shard {
  /** The path as it was found. */
  readonly name: string;
  /** The file to write. */
  readonly output: string;
}

/** What the choice of shards takes. */
interface ShardOptions {
  readonly inputs: string | readonly string[];
  readonly output: string;
  readonly format?: ShardFormat | undefined;
  readonly part?: readonly [index: number, count: number] | undefined;
}

/**
 * Returns the shards in the order of their names.
 * @throws SconceError `BATCH_OPTION` where there are none, or two have one output
 */
export async function findShards({ inputs, output, format, part }: ShardOptions): Promise<Shard[]> {
  if (format !== undefined && !SHARD_FORMATS.includes(format))
    throw badBatch(`unknown format ${JSON.stringify(format)}`, `use one of: ${SHARD_FORMATS.join(", ")}`);
  const names = new Set<string>();
  for (const one of [inputs].flat()) {
    const found = (await isFile(one))
      ? [one]
      : await glob(one, { expandDirectories: false, absolute: isAbsolute(one) });
    if (found.length === 0)
      throw badBatch(
        `no files match ${JSON.stringify(one)}`,
        "check the pattern; quote it, so that the shell passes it on",
      );
    for (const name of found) names.add(name);
  }
  const byOutput = new Map<string, Shard>();
  for (const name of [...names].sort()) {
    const target = resolve(output, outputName(name, format));
    const other = byOutput.get(target);
    if (other !== undefined)
      throw badBatch(
        `the shards ${other.name} and ${name} have the same output ${target}`,
        "give shards with different names, or score them in two runs",
      );
    if (target === resolve(name))
      throw badBatch(`the output of ${name} is the shard itself`, "give another --output folder");
    byOutput.set(target, { name, output: target });
  }
  const shards = [...byOutput.values()];
  if (part === undefined) return shards;
  const [index, count] = part;
  if (!(Number.isInteger(count) && count > 0 && Number.isInteger(index) && index >= 0 && index < count))
    throw badBatch(`there is no part ${index} of ${count}`, "give --part I/N with I from 0 to N - 1");
  return shards.filter((_, i) => i % count === index);
}

/** The folder of a shard does not count: outputs lie in one folder. */
function outputName(name: string, format: ShardFormat | undefined): string {
  // A shard of no known format is refused before anything runs.
  const own = formatOf(name);
  return format === undefined || format === own
    ? basename(name)
    : `${basename(name, extname(name))}.${format}`;
}

/** Returns what names of temporary files of a shard begin with. */
const temporaryPrefix = (output: string): string => `.${basename(output)}.sconce-`;

/** Returns a name for content that is not whole yet. */
export const temporaryFor = (output: string, id: string): string =>
  join(dirname(output), `${temporaryPrefix(output)}${id}.part`);
