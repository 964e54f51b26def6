/** @file Codes of errors, with what the documentation says of them. */

/** The page of all error codes. */
const ERRORS = "https://github.com/sconce-project/sconce/blob/main/docs/reference/errors.md";

/** The code of an error as a link to its description. */
export function ErrorCode({ code }: { readonly code: string }) {
  return <a href={`${ERRORS}#${code.toLowerCase()}`}>{code}</a>;
}
