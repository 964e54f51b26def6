import type { NodeProfile } from "@sconce/ir";
import { linesText } from "../text.js";

/** Lines that are shown; what comes after them took less. */
const SHOWN = 20;

/** Returns what took longest in a run, the longest first, and its part of the whole. */
export function profileText(profile: readonly NodeProfile[]): string {
  const total = profile.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const sorted = [...profile].sort((a, b) => b.milliseconds - a.milliseconds);
  const lines = sorted.slice(0, SHOWN).map(({ node, target, milliseconds, place }) => {
    const part = total === 0 ? 0 : (100 * milliseconds) / total;
    return `${milliseconds.toFixed(3).padStart(11)} ms ${part.toFixed(1).padStart(5)} %  ${place === "host" ? "host: " : ""}${node} (${target})`;
  });
  if (sorted.length > SHOWN) {
    const rest = sorted.slice(SHOWN).reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    lines.push(`${rest.toFixed(3).padStart(11)} ms          ${sorted.length - SHOWN} more`);
  }
  const what = `${profile.length} step${profile.length === 1 ? "" : "s"}`;
  return linesText([`profile: ${total.toFixed(3)} ms in ${what}`, ...lines]);
}
