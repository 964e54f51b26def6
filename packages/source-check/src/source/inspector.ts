/** @file V8's inspector, asked about functions. Its answers come before `post` returns. */
import { nodeModule } from "./node-module.js";

/** What the inspector says of a value. */
interface RemoteValue {
  readonly type?: string;
  readonly objectId?: string;
  readonly description?: string;
  readonly value?: unknown;
}

/** The answer to a question. */
interface Answer {
  readonly result?: RemoteValue | readonly { readonly name: string; readonly value?: RemoteValue }[];
  readonly internalProperties?: readonly { readonly name: string; readonly value?: RemoteValue }[];
  readonly privateProperties?: readonly { readonly name: string; readonly value?: RemoteValue }[];
  readonly scriptSource?: string;
}

/** A place in a script: line and column, counted from 0. */
interface FunctionLocation {
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface ScriptParsed {
  readonly scriptId: string;
  readonly url: string;
}

/** What is used of a session of `node:inspector`. */
interface Session {
  connect(): void;
  disconnect(): void;
  on(event: string, listener: (message: { readonly params: ScriptParsed }) => void): void;
  post(method: string, params?: object, done?: (error: unknown, answer?: Answer) => void): void;
}

/** The value of a private field. */
export interface PrivateField {
  /** Whether the inspector shows the value: it does not show numbers that JSON lacks. */
  readonly known: boolean;
  readonly value: unknown;
}

/**
 * The URLs of scripts by their identifiers, which V8 gives once. To list them takes it 50 ms, and
 * more in a process of many scripts.
 */
const urls = new Map<string, string>();

const KEY = "sconce.inspected";
const holder = globalThis as Record<symbol, unknown>;

/**
 * Returns the answer of `ask` about a function or an object; undefined where the engine has no
 * inspector.
 */
export function inspect<T>(fn: object, ask: (inspected: Inspected) => T): T | undefined {
  try {
    const Session = nodeModule<{ readonly Session: new () => Session }>("node:inspector")?.Session;
    if (Session === undefined) return undefined;
    const session = new Session();
    session.connect();
    try {
      return ask(new Inspected(session, fn));
    } finally {
      session.disconnect();
    }
  } catch {
    // Node may be built without an inspector, or forbid it.
    return undefined;
  }
}

/** A function or an object with what the inspector knows of it. */
class Inspected {
  readonly #session: Session;
  readonly #properties: NonNullable<Answer["internalProperties"]>;
  readonly #fields: NonNullable<Answer["privateProperties"]>;

  constructor(session: Session, fn: object) {
    this.#session = session;
    holder[Symbol.for(KEY)] = fn;
    const found = this.#ask("Runtime.evaluate", { expression: `globalThis[Symbol.for("${KEY}")]` });
    const { objectId } = found.result as RemoteValue;
    delete holder[Symbol.for(KEY)];
    const own = this.#ask("Runtime.getProperties", { objectId, ownProperties: true });
    this.#properties = own.internalProperties ?? [];
    this.#fields = own.privateProperties ?? [];
  }

  #ask(method: string, params: object): Answer {
    let given: Answer = {};
    this.#session.post(method, params, (_, answer) => {
      given = answer ?? {};
    });
    return given;
  }

  #internal(name: string): RemoteValue | undefined {
    return this.#properties.find((property) => property.name === name)?.value;
  }

  /** Returns the URL of the script and the line, counted from 1, in which the function begins. */
  location(): { readonly url: string; readonly line: number } | undefined {
    const place = this.#place();
    if (place !== undefined && !urls.has(place.scriptId)) this.#enable();
    const url = place && urls.get(place.scriptId);
    return url ? { url, line: place.lineNumber + 1 } : undefined;
  }

  #place(): FunctionLocation | undefined {
    return this.#internal("[[FunctionLocation]]")?.value as FunctionLocation | undefined;
  }

  /**
   * Returns the script that has the function, and where its parameters begin there. `isKnown`
   * leaves out the URL and the text of scripts that were asked for before: they take the engine 50
   * ms.
   */
  script(isKnown: (id: string) => boolean):
    | {
        readonly id: string;
        readonly url: string | undefined;
        readonly text: string | undefined;
        readonly line: number;
        readonly column: number;
      }
    | undefined {
    const place = this.#place();
    if (place === undefined) return undefined;
    const { scriptId: id, lineNumber: line, columnNumber: column } = place;
    if (isKnown(id)) return { id, url: undefined, text: undefined, line, column };
    this.#enable();
    const url = urls.get(id);
    const text = this.#ask("Debugger.getScriptSource", { scriptId: id }).scriptSource;
    return { id, url, text, line, column };
  }

  /** The engine then lists all scripts. */
  #enable(): void {
    this.#session.on("Debugger.scriptParsed", ({ params }) => urls.set(params.scriptId, params.url));
    this.#session.post("Debugger.enable");
  }

  /** Returns the variables that the function closes over, those of the innermost scope first. */
  scopes(): Readonly<Record<string, unknown>>[] {
    const objectId = this.#internal("[[Scopes]]")?.objectId;
    if (objectId === undefined) return [];
    const { result } = this.#ask("Runtime.getProperties", { objectId, ownProperties: true });
    return (result as Exclude<Answer["result"], RemoteValue | undefined>).flatMap(({ name, value }) =>
      /^\d+$/.test(name) && !/^Global/.test(value?.description ?? "Global") ? this.#fetch(value!) : [],
    );
  }

  /** Returns the private fields by their names, `#scale`, without accessors and methods. */
  privateFields(): ReadonlyMap<string, PrivateField> {
    const found = new Map<string, PrivateField>();
    for (const { name, value } of this.#fields) {
      if (value === undefined) continue;
      const { objectId, type } = value;
      if (objectId !== undefined) found.set(name, { known: true, value: this.#take(objectId, "this") });
      else {
        const isShown = Object.hasOwn(value, "value") || type === "undefined";
        found.set(name, { known: isShown, value: value.value });
      }
    }
    return found;
  }

  /** Returns the object of an id, or a property of it. */
  #take(objectId: string | undefined, expression: "this" | "this.object"): unknown {
    const functionDeclaration = `function () { globalThis[Symbol.for("${KEY}")] = ${expression}; }`;
    this.#ask("Runtime.callFunctionOn", { objectId, functionDeclaration });
    const taken = holder[Symbol.for(KEY)];
    delete holder[Symbol.for(KEY)];
    return taken;
  }

  #fetch({ objectId }: RemoteValue): Readonly<Record<string, unknown>>[] {
    const variables = this.#take(objectId, "this.object");
    return typeof variables === "object" && variables !== null ? [variables as Record<string, unknown>] : [];
  }
}
