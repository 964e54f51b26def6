/**
 * @file Texts of the playground that the user changed. Links bring them, compressed, and nothing
 * runs them until the user asks.
 */
import { batch, effect, signal } from "@preact/signals";
import { MOST_TEXT, packText, unpackText } from "./link.js";

/** Texts by their names: those of the examples that they began as. */
export type Texts = ReadonlyMap<string, string>;

/** What a link brings. */
interface LinkedTexts {
  /** The name of the text that is shown. */
  readonly shown: string;
  readonly texts: Texts;
}

/** The name of a text that is alone in a link. */
const ALONE = "linked";
/** How long the user pauses before the address gets the texts, in milliseconds. */
const PAUSE = 300;

/** The texts that the user changed, and the one that is shown. */
export class PlaygroundTexts {
  readonly changed = signal<Texts>(new Map());
  /** The name of the shown text; undefined for the first one. */
  readonly shown = signal<string | undefined>(undefined);
  /** Names of texts that came with a link, and that the user did not run yet. */
  readonly linked = signal<ReadonlySet<string>>(new Set());
  /** The changed texts for an address; empty for none. */
  readonly packed = signal("");
  /** Whether the texts are too long for an address. */
  readonly isTooLong = signal(false);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    effect(() => {
      const [texts, shown] = [this.changed.value, this.shown.value];
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#pack(texts, shown), PAUSE);
    });
  }

  async #pack(texts: Texts, shown: string | undefined): Promise<void> {
    const packed = await packTexts(texts, shown);
    if (texts !== this.changed.peek() || shown !== this.shown.peek()) return;
    batch(() => {
      this.packed.value = packed ?? "";
      this.isTooLong.value = packed === undefined;
    });
  }

  /** Sets a text; undefined for that of the example. */
  set(name: string, text: string | undefined): void {
    if (this.changed.peek().get(name) === text) return;
    const texts = new Map(this.changed.peek());
    if (text === undefined) texts.delete(name);
    else texts.set(name, text);
    this.changed.value = texts;
  }

  /** Notes that the user ran a text. */
  markRun(name: string): void {
    if (!this.linked.peek().has(name)) return;
    this.linked.value = new Set([...this.linked.peek()].filter((one) => one !== name));
  }

  /** Takes the texts of a link; false where they cannot be read. */
  async take(packed: string): Promise<boolean> {
    const found = await unpackTexts(packed);
    if (found === undefined) return false;
    batch(() => {
      this.changed.value = new Map([...this.changed.peek(), ...found.texts]);
      this.linked.value = new Set([...this.linked.peek(), ...found.texts.keys()]);
      this.shown.value = found.shown;
      // The address keeps what it has.
      this.packed.value = packed;
    });
    return true;
  }
}

/** Texts for an address: empty for none, undefined where they are too long. */
export async function packTexts(texts: Texts, shown: string | undefined): Promise<string | undefined> {
  if (texts.size === 0) return "";
  const whole = JSON.stringify({ shown, texts: Object.fromEntries(texts) });
  return whole.length > MOST_TEXT ? undefined : packText(whole);
}

/** The texts of an address; undefined for what is none. */
export async function unpackTexts(packed: string): Promise<LinkedTexts | undefined> {
  const whole = await unpackText(packed);
  if (whole === undefined) return undefined;
  return readTexts(whole) ?? { shown: ALONE, texts: new Map([[ALONE, whole]]) };
}

function readTexts(whole: string): LinkedTexts | undefined {
  let read: unknown;
  try {
    read = JSON.parse(whole);
  } catch {
    // A text that is alone.
    return undefined;
  }
  const { texts, shown } = (read ?? {}) as Record<string, unknown>;
  if (typeof texts !== "object" || texts === null) return undefined;
  const entries = Object.entries(texts).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const first = entries[0]?.[0];
  if (first === undefined) return undefined;
  return { shown: typeof shown === "string" ? shown : first, texts: new Map(entries) };
}
