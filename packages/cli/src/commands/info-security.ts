/** @file `sconce info --security`: what PyTorch would execute or evaluate in a file. */
import { countText } from "@sconce/errors";
import { securityReportOfFile } from "@sconce/formats/node";
import {
  programNameFindings,
  type SecurityFinding,
  type SecurityReport,
  securityReport,
} from "@sconce/formats/security";
import { usage } from "../errors.js";
import { fileName, readStandardInput, STANDARD } from "../input-file.js";
import { json, type SafeIo } from "../io.js";
import { commandWork } from "../limits.js";
import { atFile, formatOf, openProgram, openReader } from "../open.js";
import { linesText, oneLine } from "../text.js";

interface SecurityCommandOptions {
  readonly json?: boolean;
  readonly loops?: boolean;
  readonly plugin?: readonly string[];
}

/** Lists the findings. The program is not read, so a file that is refused can be looked at, too. */
export async function security(file: string, options: SecurityCommandOptions, io: SafeIo): Promise<void> {
  if (options.loops === true) throw usage("--security does not read the program", "leave --loops out");
  const report = await atFile(file, async (): Promise<SecurityReport> => {
    if ((await formatOf(file)) !== "pt2") return textReport(file, options, io);
    return file === STANDARD
      ? securityReport(await readStandardInput(), commandWork())
      : securityReportOfFile(file, commandWork());
  });
  if (options.json) io.out(json({ file, ...report }));
  else io.out(textOf(file, report));
}

/** IR text and JSON IR are parsed by Sconce alone: names matter when they are saved for PyTorch. */
async function textReport(
  file: string,
  options: SecurityCommandOptions,
  io: SafeIo,
): Promise<SecurityReport> {
  const reader = await openReader(io, options.plugin, [file]);
  const findings = programNameFindings(await openProgram(file, reader, { weights: "lazy" }));
  return { findings, isPlain: findings.length === 0 };
}

/** Expressions and guards of one file are many and alike: those that are plain are counted. */
const COUNTED = new Set<SecurityFinding["kind"]>(["expression", "guard"]);

function textOf(file: string, { findings, isPlain }: SecurityReport): string {
  if (findings.length === 0)
    return `${fileName(file)}: PyTorch executes and evaluates nothing of this file\n`;
  const verdict = isPlain ? "all of it ordinary" : "look at the entries marked with !";
  const lines = [`${fileName(file)}: PyTorch executes or evaluates the following; ${verdict}`];
  for (const finding of findings) {
    if (finding.isPlain && COUNTED.has(finding.kind)) continue;
    const { kind, where, names, does } = finding;
    lines.push(`${finding.isPlain ? " " : "!"} ${kind}: ${oneLine(names.join(", "))}`);
    lines.push(`    ${oneLine(where)}: ${does}`);
  }
  for (const kind of COUNTED) {
    const count = findings.filter((finding) => finding.kind === kind && finding.isPlain).length;
    if (count > 0) lines.push(`  ${countText(count, `plain ${kind}`)}`);
  }
  return linesText(lines);
}
