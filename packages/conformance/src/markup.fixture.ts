/** @file A strict reader of generated markup: elements, and the text between them. */

/** What a text of markup holds. */
export interface Markup {
  /** The names of the elements, each once. */
  readonly elements: readonly string[];
  /** The names of the attributes, each once. */
  readonly attributes: readonly string[];
  /** All text and all values of attributes, without entities. */
  readonly texts: readonly string[];
}

const TAG = /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"<>]*")?)*)\s*(\/?)>/y;
const ATTRIBUTE = /\s+([\w:-]+)(?:="([^"<>]*)")?/g;
/** Elements of HTML without an end tag. */
const VOID = new Set(["meta", "br", "link"]);

/**
 * Reads well-formed markup, and throws for anything else: a `<` that begins no tag, an attribute
 * without quotes, an element that is not closed, a `&` that is not an entity.
 */
export function readMarkup(markup: string): Markup {
  const [elements, attributes, texts] = [new Set<string>(), new Set<string>(), [] as string[]];
  const open: string[] = [];
  let at = markup.startsWith("<!doctype html>") ? "<!doctype html>".length : 0;
  while (at < markup.length) {
    const next = markup.indexOf("<", at);
    texts.push(decoded(markup.slice(at, next < 0 ? markup.length : next)));
    if (next < 0) break;
    TAG.lastIndex = next;
    const tag = TAG.exec(markup);
    if (tag === null) throw new Error(`no tag at ${markup.slice(next, next + 80)}`);
    const [whole, end, name, list, closed] = tag as unknown as [string, string, string, string, string];
    elements.add(name);
    for (const [, key, value] of list.matchAll(ATTRIBUTE)) {
      attributes.add(key!);
      texts.push(decoded(value ?? ""));
    }
    if (end === "/") {
      if (open.pop() !== name) throw new Error(`${name} is closed, and not open`);
    } else if (closed === "" && !VOID.has(name)) open.push(name);
    at = next + whole.length;
  }
  if (open.length > 0) throw new Error(`${open.join(", ")} is not closed`);
  return { elements: [...elements], attributes: [...attributes], texts };
}

function decoded(text: string): string {
  if (/&(?!#\d+;)/.test(text) || text.includes(">"))
    throw new Error(`markup in the text ${text.slice(0, 80)}`);
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}
