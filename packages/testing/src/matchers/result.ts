/** What a matcher gives, in the form that vitest's and Jest's `expect.extend` take. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}
