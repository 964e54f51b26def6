/** What a matcher gives, in the form that vitest's and Jest's `expect.extend` take. */
export interface MatcherResult {
  /** Whether the value matches. */
  readonly pass: boolean;
  /** Returns what is wrong, or with `not` what should not match. */
  readonly message: () => string;
}
