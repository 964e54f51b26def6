import { errorJson, type SconceErrorJson } from "./error-json.js";
import { shownText } from "./shown-text.js";
import type { ErrorEdit } from "./suggest.js";
import { visibleLine } from "./visible.js";

/** What a {@link SconceError} is made of. */
export interface SconceErrorInit {
  /** Stable identifier, SCREAMING_SNAKE_CASE; each has an entry in `docs/reference/errors.md`. */
  readonly code: string;
  /** What is wrong, with the values that show it. One line. */
  readonly message: string;
  /** The node, file entry, JSON field or byte offset concerned. */
  readonly where?: string | undefined;
  /** What the user can do. */
  readonly fix: string;
  /** Changes of what was given that a tool can apply, where they are known exactly. */
  readonly edits?: readonly ErrorEdit[] | undefined;
  /** What was thrown first, where this error represents another. */
  readonly cause?: unknown;
}

/** Shared by all copies of Sconce in a process: errors of one are errors of the others. */
const IS_ERROR = /* @__PURE__ */ Symbol.for("sconce.error");

/**
 * The only error type that Sconce throws on purpose: a code, a place and a remedy. Control and
 * invisible characters in the texts are spelled out: names from files cannot steer a terminal. Very
 * long names and texts are shortened.
 */
export class SconceError extends Error {
  static {
    Object.defineProperty(SconceError.prototype, IS_ERROR, { value: true });
    const isSubclass = Function.prototype[Symbol.hasInstance];
    Object.defineProperty(SconceError, Symbol.hasInstance, {
      value(this: unknown, value: unknown): boolean {
        if (this !== SconceError) return isSubclass.call(this as typeof SconceError, value);
        return typeof value === "object" && value !== null && IS_ERROR in value;
      },
    });
  }

  /**
   * The stable name of the kind of failure: `SHAPE_MISMATCH`. Each has an entry in the error
   * reference.
   */
  readonly code: string;
  /**
   * The page that explains the code, as a path on the site of the documentation:
   * `errors/SHAPE_MISMATCH`. `sconce explain CODE` prints it.
   */
  readonly docs: string;
  /**
   * Where it failed: a node, a file entry, a pass or a plugin; undefined when nothing names the
   * place.
   */
  readonly where: string | undefined;
  /** What to do about it, as an instruction. */
  readonly fix: string;
  /**
   * Changes of what was given that a tool can apply: a misspelled name and the right one. Left out
   * where no change is known exactly.
   */
  declare readonly edits?: readonly ErrorEdit[];

  constructor(init: SconceErrorInit) {
    super(shownText(String(init.message)), init.cause === undefined ? undefined : { cause: init.cause });
    this.name = "SconceError";
    this.code = init.code;
    this.docs = `errors/${init.code}`;
    this.where = init.where === undefined ? undefined : visibleLine(shownText(init.where));
    // A plugin in JavaScript may leave it out.
    this.fix = init.fix && shownText(init.fix);
    if (init.edits !== undefined) this.edits = init.edits;
  }

  /**
   * Returns the same error with an outer place before the present one; what the outer place names
   * is not repeated.
   */
  at(where: string): SconceError {
    const { code, message, fix, cause, edits } = this;
    const inner = this.where?.split(": ") ?? [];
    while (inner.length > 0 && names(where, inner[0]!)) inner.shift();
    return new SconceError({ code, message, where: [where, ...inner].join(": "), fix, cause, edits });
  }

  /**
   * Returns the parts of the error for `JSON.stringify`, its causes as {@link CauseJson}; no
   * stacks. Parts that it does not have are left out.
   */
  toJSON(): SconceErrorJson {
    return errorJson(this);
  }

  /** `error CODE: message`, then the place and the fix. Further lines of each are indented. */
  describe(): string {
    const lines = [`error ${this.code}: ${this.message}`];
    if (this.where) lines.push(`  in  ${this.where}`);
    if (this.fix) lines.push(`  fix ${this.fix}`);
    return lines.map((line) => line.replaceAll("\n", "\n      ")).join("\n");
  }
}

/**
 * Returns whether a place names another one: `node "mm" (aten.mm.default)` names `aten.mm.default`.
 */
function names(place: string, inner: string): boolean {
  const at = place.indexOf(inner);
  return at >= 0 && !/[\w.]/.test(`${place[at - 1] ?? ""}${place[at + inner.length] ?? ""}`);
}

/** What to do about a module that a web page cannot import. */
export const UNREACHABLE_MODULE_FIX: string =
  "serve all files that the bundler wrote, and allow their origin in the content security policy";

/** Returns the error for a fault of Sconce itself, not of the input. */
export function internalError(message: string, where?: string): SconceError {
  return new SconceError({
    code: "INTERNAL",
    message: `internal: ${message}`,
    where,
    fix: "please report this with the program",
  });
}

/** True for a {@link SconceError}, optionally of one code. */
export function isSconceError(error: unknown, code?: string): error is SconceError {
  return error instanceof SconceError && (code === undefined || error.code === code);
}

/**
 * Runs something that makes many errors for their messages alone: V8 then does not record their
 * stacks, which takes most of the time of an error.
 */
export function withoutStacks<T>(run: () => T): T {
  const errors = Error as { stackTraceLimit?: number };
  const limit = errors.stackTraceLimit;
  if (limit === undefined) return run();
  errors.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    errors.stackTraceLimit = limit;
  }
}
