/** @file Writes a program as a module with its own kernels. */
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type BuildReport, type BuildTarget, buildModule } from "@sconce/build";
import { amount, countText } from "@sconce/errors";
import { requireFolder, writeFiles } from "@sconce/formats/files";
import { fileStem } from "../file-stem.js";
import { json, type SafeIo } from "../io.js";
import { openWithWeights } from "../open.js";
import { runPasses } from "../pass-run.js";
import { openSession } from "../session.js";
import type { PassRunOptions } from "../shared-options.js";
import { columns, linesText } from "../text.js";

export interface BuildCommandOptions extends PassRunOptions {
  readonly output: string;
  readonly name?: string;
  readonly inline?: boolean;
  readonly packed?: boolean;
  readonly relaxed?: boolean;
  readonly threads?: boolean;
  readonly target: "wasm" | "js" | "wasm,js";
  readonly winograd: "0" | "2" | "4";
  readonly passes?: string;
  readonly weights?: string;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export async function build(file: string, options: BuildCommandOptions, io: SafeIo): Promise<void> {
  const { output, inline = false, packed = false, relaxed = false, threads = false } = options;
  await requirePlace(output);
  const session = await openSession(io, options.plugin, undefined, [file]);
  const program = runPasses(await openWithWeights(file, session, options.weights), session, options, io);
  const { files, report } = await buildModule(program, {
    name: options.name ?? fileStem(file),
    targets: options.target.split(",") as BuildTarget[],
    inline,
    packed,
    relaxed,
    threads,
    winograd: Number(options.winograd) as 0 | 2 | 4,
    operators: session.operators,
  });
  await mkdir(output, { recursive: true });
  await writeFiles([...files].map(([name, bytes]) => [join(output, name), bytes]));
  if (options.json) io.out(json({ output, ...report }));
  else io.summary(reportText(output, report));
}

/** A folder that is there is written to; one that is made needs one that is there. */
async function requirePlace(output: string): Promise<void> {
  const isThere = await stat(output).then(
    () => true,
    () => false,
  );
  await requireFolder(isThere ? join(output, "model.mjs") : output);
}

function reportText(output: string, report: BuildReport): string {
  const { files, calls, kernels, functions, weightBytes, valueBytes, hostCalls } = report;
  const rows = files.map(({ name, bytes, gzipBytes }) => [
    join(output, name),
    amount(bytes, "B"),
    `${amount(gzipBytes, "B")} gzip`,
  ]);
  const memory = `${amount(weightBytes, "B")} of weights${valueBytes === undefined ? "" : `, ${amount(valueBytes, "B")} of values`}`;
  return linesText([
    ...columns(rows, (column) => column > 0),
    `${countText(calls - hostCalls.length, "call")} in ${countText(kernels, "kernel")}, ${functions} of them different; in memory ${memory}`,
    ...hostText(report),
  ]);
}

/** Returns lines on calls that are not in kernels of WebAssembly. */
function hostText({ hostCalls, interpreterBytes }: BuildReport): readonly string[] {
  if (hostCalls.length === 0) return [];
  const counts = new Map<string, number>();
  for (const { target } of hostCalls) counts.set(target, (counts.get(target) ?? 0) + 1);
  const targets = [...counts].map(([target, count]) => (count === 1 ? target : `${count} ${target}`));
  const kernels = interpreterBytes === 0 ? "" : `, with ${amount(interpreterBytes, "B")} of the interpreter`;
  return [`${countText(hostCalls.length, "other call")}${kernels}: ${targets.join(", ")}`];
}
