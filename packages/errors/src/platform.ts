/** @file Where the code runs. */

/**
 * Advice that Node's users can follow; nothing in a page, which has no files and no `sconce/node`.
 */
export function inNode(advice: string): string {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  return process?.versions?.node === undefined ? "" : advice;
}
