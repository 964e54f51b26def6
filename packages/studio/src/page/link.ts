/**
 * @file Links to a view: `#/file/passes/step/node/texts`. The last part has the texts of the
 * playground, compressed.
 */

/** What a link names. */
export interface ViewLink {
  /** The name of an example, or an address on the same server; empty for texts alone. */
  readonly file: string;
  /** The pipeline that was run. */
  readonly passes: string;
  /** Which version is shown: 0 for the opened program, n for the n-th pass. */
  readonly step: number;
  /** The key of the selected item. */
  readonly item: string;
  /** The texts of the playground, as {@link packText} writes them; empty for none. */
  readonly code: string;
}

/** A step behind all others: the last one is shown, however many there are. */
export const LAST_STEP = 9999;

/** Most characters that a link may bring. */
export const MOST_TEXT = 200_000;

const through = (bytes: BlobPart, stream: ReadableWritablePair<Uint8Array, BufferSource>) =>
  new Blob([bytes]).stream().pipeThrough(stream);

/** Returns a text for an address: compressed, in the characters that need no escape. */
export async function packText(text: string): Promise<string> {
  const stream = through(text, new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Returns the text of an address; undefined for what is none, or is longer than texts of links are.
 */
export async function unpackText(packed: string): Promise<string | undefined> {
  try {
    const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const reader = through(bytes, new DecompressionStream("deflate-raw")).getReader();
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let text = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true });
      if (text.length <= MOST_TEXT) continue;
      await reader.cancel();
      return undefined;
    }
    return text + decoder.decode();
  } catch {
    // Letters, or a stream, that are cut off or changed.
    return undefined;
  }
}

/** Returns the part of an address behind `#` that names a view. */
export function linkText({ file, passes, step, item, code }: ViewLink): string {
  const parts = [file, passes, String(step), item, code];
  while (parts.length > 1 && ["", "0"].includes(parts.at(-1)!)) parts.pop();
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** Returns the view that an address names; undefined where it names none. */
export function parseLink(hash: string): ViewLink | undefined {
  if (!hash.startsWith("#/")) return undefined;
  try {
    const parts = hash.slice(2).split("/").map(decodeURIComponent);
    const [file = "", passes = "", step = "0", item = "", code = ""] = parts;
    if ((file === "" && code === "") || !/^\d{1,6}$/.test(step)) return undefined;
    return { file, passes, step: Number(step), item, code };
  } catch {
    // A percent sign that starts no escape.
    return undefined;
  }
}
