/** @file "Did you mean ...?" */

/** Candidates that a misspelt word may stand for, the nearest first; at most three. */
export function suggestions(word: string, candidates: Iterable<string>): string[] {
  const found: (readonly [distance: number, candidate: string])[] = [];
  const most = word.length < 2 ? 0 : Math.max(1, Math.floor(word.length / 3));
  for (const candidate of candidates) {
    // An operator without its overload.
    if (candidate.startsWith(`${word}.`)) found.push([candidate.endsWith(".default") ? -2 : -1, candidate]);
    else {
      const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), most);
      if (distance <= most) found.push([distance, candidate]);
    }
  }
  found.sort(([a], [b]) => a - b);
  const nearest = found[0]?.[0] ?? 0;
  // What is further away than the nearest by far is noise.
  return found
    .filter(([distance]) => distance <= Math.max(nearest, 0) + (nearest < 0 ? -1 : 1))
    .slice(0, 3)
    .map(([, candidate]) => candidate);
}

/** `did you mean "a" or "b"? ` in front of a remedy; the remedy alone when nothing is near. */
export function didYouMean(word: string, candidates: Iterable<string>, fix: string): string {
  const near = suggestions(word, candidates);
  return near.length === 0 ? fix : `did you mean ${near.map((one) => `"${one}"`).join(" or ")}? ${fix}`;
}

/** Insertions, deletions, substitutions and swaps of neighbours; anything above `most` for more than that. */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, before[j - 2]! + 1);
      next.push(least);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
