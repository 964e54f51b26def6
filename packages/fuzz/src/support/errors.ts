import { SconceError } from "@sconce/errors";

/** JSON that cannot be read, as the readers of whole formats report it. */
export const notJson = (message: string, at: number, cause?: unknown): SconceError =>
  new SconceError({ code: "JSON_SYNTAX", message, where: `character ${at}`, fix: "correct the text", cause });
