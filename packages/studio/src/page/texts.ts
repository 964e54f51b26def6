/**
 * @file Texts of the playground that the user changed. Links bring them, compressed, and nothing
 * runs them until the user asks.
 */
import { batch, effect, signal } from "@preact/signals";
import type { LinkStep, OwnText } from "./branches.js";
import { MOST_TEXT, packText, unpackText } from "./link.js";

/** Texts by their names: those of the examples that they began as. */
export type Texts = ReadonlyMap<string, string>;

/** What a link brings. */
interface LinkedTexts {
  /** The name of the text that is shown. */
  readonly shown: string;
  readonly texts: Texts;
  /** What ran behind the pipeline of the link. */
  readonly steps: readonly LinkedStep[];
}

/** A step of a link: a text by its name, with the number of passes that ran, or a pipeline. */
export type LinkedStep = { readonly text: string; readonly steps: number } | { readonly passes: string };

/** The name of a text that is alone in a link. */
const ALONE = "linked";
/** Why an address has no texts. */
export const TEXTS_TOO_LONG = `The code of the playground and the steps behind it are not in the address: together they are longer than ${MOST_TEXT.toLocaleString("en-US")} characters.`;
/** How long the user pauses before the address gets the texts, in milliseconds. */
const PAUSE = 300;

/** The texts that the user changed, and the one that is shown. */
export class PlaygroundTexts {
  readonly changed = signal<Texts>(new Map());
  /** The name of the shown text; undefined for the first one. */
  readonly shown = signal<string | undefined>(undefined);
  /** Names of texts that came with a link, and that the user did not run yet. */
  readonly linked = signal<ReadonlySet<string>>(new Set());
  /** What the address has behind its pipeline. */
  readonly steps = signal<readonly LinkStep[]>([]);
  /** The texts and steps for an address; empty for none. */
  readonly packed = signal("");
  /** Whether the texts are too long for an address. */
  readonly isTooLong = signal(false);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = 0;

  constructor() {
    effect(() => {
      const parts: Parameters<typeof packTexts> = [this.changed.value, this.shown.value, this.steps.value];
      clearTimeout(this.#timer);
      const request = ++this.#last;
      this.#timer = setTimeout(() => void this.#pack(request, parts), PAUSE);
    });
  }

  async #pack(request: number, parts: Parameters<typeof packTexts>): Promise<void> {
    const packed = await packTexts(...parts);
    if (request !== this.#last) return;
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

  /** Takes the texts of a link, and gives its steps; undefined where they cannot be read. */
  async take(packed: string): Promise<readonly LinkedStep[] | undefined> {
    const found = await unpackTexts(packed);
    if (found === undefined) return undefined;
    batch(() => {
      this.changed.value = new Map([...this.changed.peek(), ...found.texts]);
      this.linked.value = new Set([...this.linked.peek(), ...found.texts.keys()]);
      this.shown.value = found.shown;
      // The address keeps what it has.
      this.packed.value = packed;
    });
    return found.steps;
  }
}

/** Texts and steps for an address: empty for none, undefined where they are too long. */
export async function packTexts(
  changed: Texts,
  shown: string | undefined,
  linkSteps: readonly LinkStep[] = [],
): Promise<string | undefined> {
  const texts = new Map(changed);
  const steps = linkSteps.map((step): LinkedStep => {
    if ("passes" in step) return step;
    const { own } = step;
    const text = freeName(texts, own);
    texts.set(text, own.source);
    return { text, steps: step.steps };
  });
  if (texts.size === 0) return "";
  const first = steps.find((step) => "text" in step);
  const isKnown = shown !== undefined && texts.has(shown);
  const whole = JSON.stringify({
    shown: isKnown ? shown : (first?.text ?? shown),
    texts: Object.fromEntries(texts),
    ...(steps.length > 0 && { steps }),
  });
  return whole.length > MOST_TEXT ? undefined : packText(whole);
}

/** Returns the name of a text that ran; another one where the user changed the text since then. */
function freeName(texts: Texts, { name, source }: OwnText): string {
  const isFree = (one: string): boolean => !texts.has(one) || texts.get(one) === source;
  let free = name;
  for (let number = 2; !isFree(free); number++) free = `${name} ${number}`;
  return free;
}

/** Returns the texts of an address; undefined for what is none. */
export async function unpackTexts(packed: string): Promise<LinkedTexts | undefined> {
  const whole = await unpackText(packed);
  if (whole === undefined) return undefined;
  return readTexts(whole) ?? { shown: ALONE, texts: new Map([[ALONE, whole]]), steps: [] };
}

function readTexts(whole: string): LinkedTexts | undefined {
  let read: unknown;
  try {
    read = JSON.parse(whole);
  } catch {
    // A text that is alone.
    return undefined;
  }
  const { texts, shown, steps } = (read ?? {}) as Record<string, unknown>;
  if (typeof texts !== "object" || texts === null) return undefined;
  const entries = Object.entries(texts).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const first = entries[0]?.[0];
  if (first === undefined) return undefined;
  const found = new Map(entries);
  return {
    shown: typeof shown === "string" ? shown : first,
    texts: found,
    steps: Array.isArray(steps) ? stepsOf(steps, found) : [],
  };
}

/** Returns the steps of a link; none where one of them cannot be read. */
function stepsOf(given: readonly unknown[], texts: Texts): LinkedStep[] {
  const steps = given.map((one): LinkedStep | undefined => {
    const { text, passes, steps: count } = (one ?? {}) as Record<string, unknown>;
    if (typeof passes === "string" && passes.trim() !== "") return { passes };
    const isText = typeof text === "string" && texts.has(text);
    return isText && Number.isInteger(count) && Number(count) >= 0
      ? { text, steps: Number(count) }
      : undefined;
  });
  return steps.every((step) => step !== undefined) ? steps : [];
}
