/**
 * Beyond this many line pairs the middle is not aligned but shown whole: no diff that long is read
 * anyway.
 */
const MAX_PAIRS = 4_000_000;
/** Equal lines shown around a change. */
const CONTEXT = 2;

/**
 * Returns the lines of two texts, `- wanted`, `+ got` and `  both`; long runs of equal lines are
 * left out. Empty when equal.
 */
export function lineDiff(want: string, got: string): string {
  if (want === got) return "";
  const [a, b] = [want.split("\n"), got.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const lines = [
    ...a.slice(0, start).map((line) => `  ${line}`),
    ...aligned(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map((line) => `  ${line}`),
  ];
  return elided(lines).join("\n");
}

/** By the longest common subsequence. */
function aligned(a: readonly string[], b: readonly string[]): string[] {
  const removed = a.map((line) => `- ${line}`);
  const added = b.map((line) => `+ ${line}`);
  if (a.length * b.length > MAX_PAIRS || a.length === 0 || b.length === 0) return [...removed, ...added];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        a[i] === b[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push(`  ${a[i++]}`);
      j++;
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) lines.push(removed[i++]!);
    else lines.push(added[j++]!);
  }
  return [...lines, ...removed.slice(i), ...added.slice(j)];
}

function elided(lines: readonly string[]): string[] {
  const shown = new Set<number>();
  lines.forEach((line, i) => {
    if (line.startsWith("  ")) return;
    for (let at = i - CONTEXT; at <= i + CONTEXT; at++) shown.add(at);
  });
  const kept: string[] = [];
  lines.forEach((line, i) => {
    if (shown.has(i)) kept.push(line);
    else if (kept.at(-1) !== "  ...") kept.push("  ...");
  });
  return kept;
}
