/** @file Colors of terminals: when they are used, and what they are. */
import { styleText } from "node:util";

const STYLES = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;
type Style = (typeof STYLES)[number];

/** Styles of terminals; each returns its text as it is where no color is wanted. */
export type Paint = Readonly<Record<Style, (text: string) => string>>;

/** Says how a line looks. It gets lines that are safe to show. */
export type LineStyle = (line: string, paint: Paint) => string;

const painted = (isColored: boolean): Paint =>
  Object.fromEntries(
    STYLES.map((style) => [
      style,
      (text: string) => (isColored ? styleText(style, text, { validateStream: false }) : text),
    ]),
  ) as Paint;

export const COLORED: Paint = painted(true);
export const PLAIN: Paint = painted(false);

/** What decides about colors. */
export interface ColorFacts {
  /** `--color` is true, `--no-color` is false. */
  readonly option: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the stream is a terminal. */
  readonly terminal: boolean;
}

/**
 * Returns whether a stream gets colors: by option, else not with `NO_COLOR`, else with
 * `FORCE_COLOR`, else on terminals that have colors.
 */
export function isColored({ option, env, terminal }: ColorFacts): boolean {
  if (option !== undefined) return option;
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return terminal && TERM !== "dumb";
}
