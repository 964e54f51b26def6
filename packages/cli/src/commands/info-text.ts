/** @file What `sconce info` shows of one program and of several. */
import { stat } from "node:fs/promises";
import type { LineStyle } from "../colors.js";
import { readBytes, STANDARD } from "../input-file.js";

export interface InfoOptions {
  readonly json?: boolean;
  readonly loops?: boolean;
  readonly security?: boolean;
  readonly hash?: boolean;
  readonly plugin?: readonly string[];
}

/** Titles stand out on terminals. */
export const titleStyle: LineStyle = (line, { bold }) => (/^[a-z][^:]*:$/.test(line) ? bold(line) : line);

/** Returns the bytes of a file. */
export const sizeOf = async (file: string): Promise<number> =>
  file === STANDARD ? (await readBytes(file)).length : (await stat(file)).size;

/** Returns a titled list, indented; nothing for an empty one. */
export const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
