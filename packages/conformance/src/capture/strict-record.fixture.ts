/** @file What PyTorch's strict exports have in place of the texts of non-strict ones. */
import { fixtureJson } from "../fixtures.js";

/** How the text of a program becomes that of the strict mode. */
export interface StrictRecord {
  /** The names of symbols. */
  readonly symbols?: Readonly<Record<string, string>>;
  /** The inputs that are left, by their places. */
  readonly inputs?: readonly number[];
  /** Lines, as many as are replaced, and the lines in their place. */
  readonly edits?: readonly (readonly [at: number, count: number, lines: readonly string[]])[];
  readonly guards?: readonly string[];
  /** The classes of the exceptions of both modes, where one refuses the program. */
  readonly refused?: readonly [plain: string | null, strict: string | null];
}

/** A call of a saved program: its target, its functions, and the modules around it. */
type SavedCall = readonly [
  target: string,
  functions: readonly string[] | null,
  modules: readonly (readonly [key: string, path: string, type: string])[],
];

interface Records {
  readonly programs: Readonly<Record<string, StrictRecord>>;
  readonly metadata: Readonly<Record<string, readonly SavedCall[]>>;
}

/** The records of PyTorch. */
export const STRICT = fixtureJson("capture/strict-modes.json") as Records;

/** Returns the text of a strict export, from that of PyTorch's non-strict one without comments. */
export function strictText(plain: string, { symbols = {}, inputs, edits = [] }: StrictRecord): string {
  const named = plain.replace(/\bs\d+\b/g, (name) => symbols[name] ?? name).split("\n");
  const lines = inputs === undefined ? named : withInputs(named, inputs);
  for (const [at, count, added] of edits.toReversed()) lines.splice(at, count, ...added);
  return lines.join("\n");
}

/** Returns the text with some of its inputs, in another order. */
function withInputs(lines: readonly string[], order: readonly number[]): string[] {
  const head = lines.findIndex((line) => line.includes(" def forward(self"));
  const [, before, after] = /^(.*def forward\(self)(.*)\):$/.exec(lines[head]!)!;
  const items = [...after!.matchAll(/, \w+(?:: (?:"[^"]*"|'[^']*'))?/g)].map(([item]) => item);
  const first = lines.indexOf("    # inputs") + 1;
  const end = lines.indexOf("    # outputs");
  return lines.flatMap((line, i) => {
    if (i === head) return `${before}${order.map((item) => items[item]).join("")}):`;
    if (i < first || i >= end) return line;
    return i === first ? order.map((item) => lines[first + item]!) : [];
  });
}
