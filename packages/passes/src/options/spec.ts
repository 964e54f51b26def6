/**
 * @file What a pass says of its options, so that a wrong value is refused before anything runs, and
 * can be completed.
 */
import type { Backend } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";

/** Values that a pipeline's text can give to an option. */
export type OptionValue = string | number | boolean | readonly string[];
/** Options of a pass by name, defaults filled in. */
export type PassOptions = Readonly<Record<string, OptionValue>>;

/** One option of a pass: its default fixes its type. */
export interface OptionSpec {
  /** The value when the option is left out. */
  readonly default: OptionValue;
  /** What the option does, in one sentence. */
  readonly doc: string;
  /**
   * The words that the option, or each item of a list, may be: `["fast", "small"]`, or what a
   * session knows, such as {@link operatorNames}. Anything of the type when left out.
   */
  readonly choices?: readonly string[] | Choices | undefined;
  /** Why a value, or an item of a list, is none that the option takes; undefined when it is one. */
  readonly check?: ((value: string | number | boolean) => string | undefined) | undefined;
}

/** The options of a pass by name. */
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** The values that a run of a pass gets for its options, typed by the defaults. */
export type OptionsOf<Specs extends OptionSpecs> = {
  readonly [Name in keyof Specs]: TypeOf<Specs[Name]["default"]>;
};

type TypeOf<Default> = Default extends boolean
  ? boolean
  : Default extends number
    ? number
    : Default extends string
      ? string
      : readonly string[];

/**
 * What the session knows that options may name. A part that is absent is not known yet, and not
 * checked.
 */
export interface OptionSession {
  /** The operators that options may name. */
  readonly operators?: OperatorTable | undefined;
  /** The rewrite rules that options may name. */
  readonly rules?: ReadonlyMap<string, { readonly name: string }> | undefined;
  /** The backends that options may name. */
  readonly backends?: ReadonlyMap<string, Backend> | undefined;
  /** Returns the plugin that a pass is of, for errors. */
  ownerOf?(part: object): string | undefined;
}

/** Words that depend on the session. */
export interface Choices {
  /** What a word is: "operator". */
  readonly kind: string;
  /**
   * Yields all words, for completion and suggestions; undefined where the session does not know
   * them.
   */
  words(session: OptionSession): Iterable<string> | undefined;
  /** Whether a word is one, where {@link words} does not list all of them. */
  readonly has?: ((word: string, session: OptionSession) => boolean) | undefined;
  /** How to write such words, for errors; a list of them when left out. */
  readonly fix?: string | undefined;
  /** The code of the error for another word; `PASS_OPTION` when left out. */
  readonly code?: string | undefined;
}
