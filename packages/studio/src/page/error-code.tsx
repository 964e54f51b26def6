/** @file Codes of errors, with links to their explanations. */

/** The page with all codes, for pages that stand alone. */
const ERRORS = "https://github.com/sconce-project/sconce/blob/main/docs/reference/errors.md";

/**
 * Returns the address that explains a code. A page that is part of a site names the folder with one page
 * for each code: `<meta name="error-pages" content="../errors/">`.
 */
function errorAddress(code: string): string {
  // Errors of plugins may have any code: none of them is an address.
  const name = encodeURIComponent(code);
  const folder = document.querySelector<HTMLMetaElement>('meta[name="error-pages"]')?.content;
  if (folder === undefined) return `${ERRORS}#${name.toLowerCase()}`;
  return new URL(`./${name}/`, new URL(folder, document.baseURI)).href;
}

/** A code that leads to its explanation, beside the page: what is open stays. */
export function ErrorCode({ code }: { readonly code: string }) {
  return (
    <a href={errorAddress(code)} target="_blank" rel="noreferrer">
      {code}
    </a>
  );
}
