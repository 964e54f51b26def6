/** @file Models as texts, with what strict mode finds in them. */

/** One model: code around it, its function, and what strict mode finds. */
export interface Snippet {
  readonly name: string;
  /** Code that runs before, as the rest of a module does. */
  readonly around: string;
  /** The expression of the function that is exported. */
  readonly fn: string;
  /** `construct@line` of what is refused, or `unchecked` where a call is listed. */
  readonly found: string;
}

/** Makes a snippet. */
export const snippet = (name: string, found: string, fn: string, around = ""): Snippet => ({
  name,
  around,
  fn,
  found,
});
