/** @file "Did you mean ...?" */

/** Candidates that a misspelled word may represent, the nearest first; at most three. */
export const suggestions = (word: string, candidates: Iterable<string>): string[] =>
  ranked(word, candidates)
    .slice(0, 3)
    .map(([, candidate]) => candidate);

/** Near candidates with their distances; negative for operators without an overload. */
function ranked(
  word: string,
  candidates: Iterable<string>,
): readonly (readonly [distance: number, candidate: string])[] {
  const found: (readonly [distance: number, candidate: string])[] = [];
  const most = word.length < 2 ? 0 : Math.max(1, Math.floor(word.length / 3));
  const wanted = word.toLowerCase();
  for (const candidate of candidates) {
    // An operator without its overload.
    if (candidate.startsWith(`${word}.`)) found.push([candidate.endsWith(".default") ? -2 : -1, candidate]);
    else {
      const distance = editDistance(wanted, candidate.toLowerCase(), most);
      if (distance <= most) found.push([distance, candidate]);
    }
  }
  found.sort(([a], [b]) => a - b);
  const nearest = found[0]?.[0] ?? 0;
  // What is further away than the nearest by far is noise.
  return found.filter(([distance]) => distance <= Math.max(nearest, 0) + (nearest < 0 ? -1 : 1));
}

/** `did you mean "a" or "b"?`, of words that may be meant; there is at least one. */
export const suggestionText = (near: readonly string[]): string => `did you mean "${near.join('" or "')}"?`;

/** `did you mean "a" or "b"? ` in front of a remedy; the remedy alone when nothing is near. */
export function didYouMean(word: string, candidates: Iterable<string>, fix: string): string {
  const near = suggestions(word, candidates);
  return near.length === 0 ? fix : `${suggestionText(near)} ${fix}`;
}

/** A change of what was given, which a tool can apply: each `find` becomes `replace`. */
export interface ErrorEdit {
  /** The word to replace, as it was given. */
  readonly find: string;
  /** What stands in its place. */
  readonly replace: string;
}

/** Words that a tool can show and search for as they are. */
const PLAIN = /^[\x20-\x7e]{1,200}$/;

/** Returns the edits of an error, where one replacement is known. */
export const editOf = (
  find: unknown,
  replace: string | undefined,
): { readonly edits?: readonly ErrorEdit[] } =>
  typeof find === "string" && replace !== undefined && PLAIN.test(find) && PLAIN.test(replace)
    ? { edits: [{ find, replace }] }
    : {};

/** Returns the edit of a misspelled word, where one candidate is nearer than all others. */
export function nearestEdit(
  word: string,
  candidates: Iterable<string>,
): { readonly edits?: readonly ErrorEdit[] } {
  const [first, second] = ranked(word, candidates);
  const isOnly = second === undefined || (first![0] >= 0 && second[0] > first![0]);
  return editOf(word, isOnly ? first?.[1] : undefined);
}

/** Returns the remedy for a misspelled word, and the edit where one candidate is meant. */
export function misspelled(
  word: string,
  candidates: Iterable<string>,
  fix: string,
): { readonly fix: string; readonly edits?: readonly ErrorEdit[] } {
  const known = [...candidates];
  return { fix: didYouMean(word, known, fix), ...nearestEdit(word, known) };
}

/**
 * Insertions, deletions, substitutions and swaps of neighbors; anything above `most` for more than
 * that.
 */
function editDistance(a: string, b: string, most: number): number {
  const width = b.length;
  if (Math.abs(a.length - width) > most) return most + 1;
  let before = new Uint16Array(width + 1);
  let row = Uint16Array.from(before, (_, j) => j);
  let next = new Uint16Array(width + 1);
  for (let i = 1; i <= a.length; i++) {
    const char = a.charCodeAt(i - 1);
    const previous = i > 1 ? a.charCodeAt(i - 2) : -1;
    let nearest = i;
    next[0] = i;
    for (let j = 1; j <= width; j++) {
      const other = b.charCodeAt(j - 1);
      let least = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (char === other ? 0 : 1));
      if (j > 1 && previous === other && char === b.charCodeAt(j - 2))
        least = Math.min(least, before[j - 2]! + 1);
      next[j] = least;
      if (least < nearest) nearest = least;
    }
    // A swap reads the row before this one, so both must be too far away.
    if (nearest > most + 1) return most + 1;
    [before, row, next] = [row, next, before];
  }
  return row[width]!;
}
