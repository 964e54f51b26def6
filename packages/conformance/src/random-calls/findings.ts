/** @file What the runner finds, and its groups. */

/** How a run may differ from PyTorch's. */
export const KINDS = [
  "other numbers",
  "lost refusal",
  "untyped error",
  "refusal of ours",
  "other sign of zero",
  "other strides",
] as const;
export type Kind = (typeof KINDS)[number];

export interface Finding {
  /** The program's line in the file, from 0. */
  readonly line: number;
  readonly id: string;
  /** The operators of the program, in order. */
  readonly operators: string;
  readonly kind: Kind;
  /** Where it shows: `cpu`, `wasm lowered`. */
  readonly places: readonly string[];
  /** Where the same program agrees with PyTorch, or differs otherwise. */
  readonly others: readonly string[];
  readonly text: string;
}

/** Lines that list findings: by kind, and by operators in it. */
export function groupedLines(findings: readonly Finding[]): string[] {
  return KINDS.flatMap((kind) => {
    const ofKind = findings.filter((finding) => finding.kind === kind);
    if (ofKind.length === 0) return [];
    const names = [...new Set(ofKind.map(({ operators }) => operators))].sort();
    const groups = names.flatMap((name) =>
      groupLines(
        name,
        ofKind.filter(({ operators }) => operators === name),
      ),
    );
    return [`${kind}: ${ofKind.length}`, ...groups];
  });
}

function groupLines(operators: string, group: readonly Finding[]): string[] {
  return [
    `  ${operators}`,
    ...group.map(({ line, id, places, others, text }) => {
      const differs = others.length === 0 ? "" : `, differs between backends: not on ${others.join(", ")}`;
      return `    line ${line}, ${id}, on ${places.join(", ")}${differs}: ${text}`;
    }),
  ];
}
