/** @file What commands read and write. */
import { visibleJson, visibleText } from "@sconce/errors";
import { COLORED, isColored, type LineStyle, type Paint, PLAIN } from "./colors.js";

/** Exit codes of every command. */
export const EXIT = { done: 0, differs: 1, bad: 2 } as const;

/** Where a command writes; tests give their own. */
export interface Io {
  /** Writes text to standard output. */
  out(text: string): void;
  /** Writes text to standard error. */
  err(text: string): void;
  /** Whether standard output is a terminal. */
  readonly terminal: boolean;
  /** Whether standard error is a terminal. Default: as `interactive`. */
  readonly errorTerminal?: boolean;
  /** Whether progress may be drawn (a terminal on standard error). */
  readonly interactive: boolean;
  /** Reads standard input to its end. Default: it is empty. */
  input?(): Promise<Uint8Array>;
  /** Resolves when all output is written; rejects when it cannot be. */
  finish?(): Promise<void>;
  /** Called before plugins are loaded, in the worker of a command with limits on passes. */
  readonly onOpen?: () => void;
  /** Called before each pass there. */
  readonly onPass?: (place: string) => void;
  /** Variables of the environment that decide about colors. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What the options that every command takes say. */
export interface Settings {
  /** No warnings, no progress, no summaries: `--quiet`. */
  readonly quiet: boolean;
  /** Errors and warnings are JSON: `--json`. */
  readonly json: boolean;
  /** `--color` is true, `--no-color` is false. */
  readonly color: boolean | undefined;
}

/** An {@link Io} as commands see it: control and invisible characters come out escaped. */
export interface SafeIo extends Io {
  /** Writes a text to the byte, escaped only where a terminal would act on it. */
  exact(text: string): void;
  /** Writes text to standard output, each line in a style. */
  styled(text: string, style: LineStyle): void;
  /** The same to standard error. */
  styledError(text: string, style: LineStyle): void;
  /** Writes what only sums up what was done; not with `--quiet`. */
  summary(text: string): void;
  /** Writes a warning to standard error; not with `--quiet`. */
  warn(message: string): void;
  readonly settings: Settings;
  /** The styles of standard output. */
  readonly paint: Paint;
}

/** Streams whose text is safe to show, in the colors that they take. */
export function safeIo(io: Io, settings: Settings): SafeIo {
  const { env = {}, terminal, interactive, errorTerminal = interactive } = io;
  const { quiet, json: isJson, color: option } = settings;
  const paint = isColored({ option, env, terminal }) ? COLORED : PLAIN;
  const errorPaint = isColored({ option, env, terminal: errorTerminal }) ? COLORED : PLAIN;
  const out = (text: string): void => io.out(visibleText(text));
  const styledError = (text: string, style: LineStyle): void => io.err(styled(text, style, errorPaint));
  return {
    ...io,
    interactive: interactive && !quiet,
    settings,
    paint,
    out,
    err: (text) => io.err(visibleText(text)),
    exact: (text) => io.out(terminal ? visibleText(text) : text),
    styled: (text, style) => io.out(styled(text, style, paint)),
    styledError,
    summary: (text) => {
      if (!quiet) out(text);
    },
    warn: (message) => {
      if (quiet) return;
      if (isJson) io.err(jsonLine({ warning: message }));
      else styledError(`warning: ${message.replaceAll("\n", "\n  ")}\n`, warningStyle);
    },
  };
}

const warningStyle: LineStyle = (line, { yellow }) => line.replace(/^warning:/, (label) => yellow(label));

const styled = (text: string, style: LineStyle, paint: Paint): string =>
  visibleText(text)
    .split("\n")
    .map((line) => style(line, paint))
    .join("\n");

/** What a finished command says of itself. */
export interface Outcome {
  code: number;
}

const plain = (_key: string, item: unknown): unknown => (typeof item === "bigint" ? String(item) : item);

/** Returns a value as JSON text; integers past 2^53 become strings. */
export const json = (value: unknown): string => `${visibleJson(JSON.stringify(value, plain, 2))}\n`;

/** Returns the same on one line. */
export const jsonLine = (value: unknown): string => `${visibleJson(JSON.stringify(value, plain))}\n`;
