/**
 * @file The element `sconce-graph`: a drawing of a program whose groups open. It needs no framework
 * and works under a strict content policy.
 */
import { type Hierarchy, hierarchyOf, type Item, isGroup, keysToDepth, sceneOf } from "@sconce/drawing";
import { isSconceError, thrownText } from "@sconce/errors";
import type { ExportedProgram, Graph } from "@sconce/ir";
import type { TextReaders } from "../files/read.js";
import { Picture } from "./picture.js";

/** The name of the element. */
const NAME = "sconce-graph";

/** What an event says of a box. */
export interface GraphItem {
  /** Names the node or group; it stays the same while the node does. */
  readonly key: string;
  /** The kind: `input`, `state`, `call`, `output`, `module`, `graph`, `part`. */
  readonly kind: Item["kind"];
  /** The operator, the name of an input, or the path of a module. */
  readonly title: string;
  /** The type of a value, or how much is in a group. */
  readonly detail: string;
  /** The name of the node; undefined for groups that are not calls. */
  readonly node: string | undefined;
}

/** The events of the element, by name. */
export interface GraphElementEvents {
  /** A box was selected; null when none is. */
  readonly "sconce-select": CustomEvent<GraphItem | null>;
  /** A group was opened or closed. */
  readonly "sconce-toggle": CustomEvent<GraphItem & { readonly isOpen: boolean }>;
  /** A program is shown. */
  readonly "sconce-load": CustomEvent<{ readonly calls: number }>;
  /** A program cannot be shown; the element shows the reason. */
  readonly "sconce-error": CustomEvent<{ readonly message: string; readonly code: string | undefined }>;
}

const THEMES = ["auto", "light", "dark"] as const;
type ThemeName = (typeof THEMES)[number];

/** Node has no elements: the class is there, and nothing can be made of it. */
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/**
 * The element `<sconce-graph src="model.pt2" theme="auto" depth="1">`. It reads `.pt2` archives, IR
 * text and JSON IR, and draws what the attribute or the property `program` gives.
 */
export class SconceGraphElement extends Base {
  /** Attributes whose changes are seen. */
  static readonly observedAttributes: readonly string[] = ["src", "theme", "depth"];
  #program: ExportedProgram | Graph | undefined;
  #hierarchy: Hierarchy | undefined;
  #open = new Set<string>();
  #selected: string | undefined;
  #picture: Picture | undefined;
  #loading: AbortController | undefined;

  /** The program that is shown; setting it replaces that of `src`. */
  get program(): ExportedProgram | Graph | undefined {
    return this.#program;
  }

  set program(program: ExportedProgram | Graph | undefined) {
    this.#loading?.abort();
    this.#take(program);
  }

  /** The key of the selected box. */
  get selected(): string | undefined {
    return this.#selected;
  }

  set selected(key: string | undefined) {
    this.#select(key);
  }

  /** Keys of open groups. */
  get openGroups(): ReadonlySet<string> {
    return this.#open;
  }

  /** The colors: `auto` follows the reader's settings. */
  get theme(): ThemeName {
    const given = this.getAttribute("theme");
    return THEMES.find((name) => name === given) ?? "auto";
  }

  set theme(theme: ThemeName) {
    this.setAttribute("theme", theme);
  }

  /** How many levels of groups are open at first. */
  get depth(): number {
    const depth = Number(this.getAttribute("depth") ?? 0);
    return Number.isInteger(depth) && depth >= 0 ? depth : 0;
  }

  set depth(depth: number) {
    this.setAttribute("depth", String(depth));
  }

  /** Opens a group, or closes it. */
  toggle(key: string): void {
    const item = this.#hierarchy?.items.find((one) => one.key === key);
    if (item === undefined || !isGroup(item)) return;
    const isOpen = !this.#open.delete(key);
    if (isOpen) this.#open.add(key);
    this.#draw();
    this.#send("sconce-toggle", { ...shown(item), isOpen });
  }

  /** Called by the browser. */
  connectedCallback(): void {
    if (this.#picture === undefined) {
      const root = this.attachShadow({ mode: "open" });
      this.#picture = new Picture(root, {
        select: (key) => this.#select(key),
        toggle: (key) => this.toggle(key),
      });
    }
    if (this.#program !== undefined) this.#draw();
    else if (this.hasAttribute("src")) void this.#load();
  }

  /** Called by the browser. */
  disconnectedCallback(): void {
    this.#loading?.abort();
  }

  /** Called by the browser. */
  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after || this.#picture === undefined) return;
    if (name === "src") void this.#load();
    else if (name === "theme") this.#draw();
    else this.#take(this.#program);
  }

  async #load(): Promise<void> {
    this.#loading?.abort();
    const src = this.getAttribute("src");
    const controller = new AbortController();
    const { signal } = controller;
    this.#loading = controller;
    this.#take(undefined);
    if (src === null) return;
    this.#picture?.showText("loading", "status");
    try {
      const [{ openAddress }, { readProgram }] = await Promise.all([
        import("../files/address.js"),
        import("../files/read.js"),
      ]);
      const source = await openAddress(new URL(src, this.baseURI).href, { signal });
      const program = await readProgram(source, textReaders, { signal });
      if (!signal.aborted) this.#take(program);
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  #take(program: ExportedProgram | Graph | undefined): void {
    this.#program = program;
    this.#select(undefined);
    this.#hierarchy = undefined;
    if (program === undefined) {
      this.#picture?.clear();
      return;
    }
    try {
      this.#hierarchy = hierarchyOf(program);
      this.#open = new Set(keysToDepth(this.#hierarchy, this.depth));
      this.#draw();
      if (this.#picture !== undefined) this.#send("sconce-load", { calls: this.#hierarchy.items[0]!.calls });
    } catch (error) {
      this.#fail(error);
    }
  }

  #draw(): void {
    const hierarchy = this.#hierarchy;
    if (hierarchy === undefined) return;
    const scene = sceneOf(hierarchy, { open: this.#open });
    this.#picture?.draw(hierarchy, scene, this.theme, this.#selected);
  }

  #select(key: string | undefined): void {
    if (key === this.#selected) return;
    const item = key === undefined ? undefined : this.#hierarchy?.items.find((one) => one.key === key);
    this.#selected = item?.key;
    this.#picture?.mark(this.#selected);
    this.#send("sconce-select", item === undefined ? null : shown(item));
  }

  #fail(error: unknown): void {
    const message = thrownText(error);
    const code = isSconceError(error) ? error.code : undefined;
    this.#picture?.showText(code === undefined ? message : `${code}: ${message}`, "alert");
    this.#send("sconce-error", { message, code });
  }

  #send<K extends keyof GraphElementEvents>(name: K, detail: GraphElementEvents[K]["detail"]): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

const shown = ({ key, kind, title, detail, node }: Item): GraphItem => ({ key, kind, title, detail, node });

/** Readers of texts, which are loaded when there is a text. */
async function textReaders(): Promise<TextReaders> {
  const { defaultOperators, parseIr, programFromIR } = await import("@sconce/session");
  return {
    parseIr: (text, options) => parseIr(text, { ...options, unknownTargets: "allow" }),
    programFromIR: (ir) => programFromIR(ir, { operators: defaultOperators() }),
  };
}

// Two copies of this module on a page are one element.
if (globalThis.customElements?.get(NAME) === undefined)
  globalThis.customElements?.define(NAME, SconceGraphElement);

declare global {
  interface HTMLElementTagNameMap {
    "sconce-graph": SconceGraphElement;
  }
}
