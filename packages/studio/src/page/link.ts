/** @file Links to a view: `#/file/passes/step/node`. */

/** What a link names. */
export interface ViewLink {
  /** The name of an example, or an address on the same server. */
  readonly file: string;
  /** The pipeline that was run. */
  readonly passes: string;
  /** Which version is shown: 0 for the opened program, n for the n-th pass. */
  readonly step: number;
  /** The key of the selected item. */
  readonly item: string;
}

/** The part of an address behind `#` that names a view. */
export function linkText({ file, passes, step, item }: ViewLink): string {
  const parts = [file, passes, String(step), item];
  while (parts.length > 1 && ["", "0"].includes(parts.at(-1)!)) parts.pop();
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** The view that an address names; undefined where it names none. */
export function parseLink(hash: string): ViewLink | undefined {
  if (!hash.startsWith("#/")) return undefined;
  try {
    const [file = "", passes = "", step = "0", item = ""] = hash.slice(2).split("/").map(decodeURIComponent);
    if (file === "" || !/^\d{1,6}$/.test(step)) return undefined;
    return { file, passes, step: Number(step), item };
  } catch {
    // A percent sign that starts no escape.
    return undefined;
  }
}
