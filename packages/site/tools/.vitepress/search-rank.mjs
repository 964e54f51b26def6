/** @file The order of what a search finds. */

/**
 * How much a page counts in the search, by its address: guides come first, then concepts, and lists
 * that have every name come last. VitePress sends the text of the function to the page, so it uses
 * nothing outside of itself.
 */
export function rankOf(address) {
  if (/(?:^|\/)tutorials\//.test(address)) return 4;
  if (/(?:^|\/)concepts\//.test(address)) return 2;
  if (/(?:^|\/)(?:api|operators|passes|rules|changelog)\b/.test(address)) return 0.5;
  return 1;
}
