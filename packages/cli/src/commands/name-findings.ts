/** @file Names that PyTorch would take for more than names, as `info` and `verify` show them. */
import type { SecurityFinding } from "@sconce/formats/security";
import { oneLine } from "../text.js";

/** The heading of the list. */
export const NAMES_TITLE = "security: names that PyTorch would run as code or read as something else";

/** Names may be many; the rest is counted. `--json` has all. */
const MOST_SHOWN = 20;

/** One line for each name, and one for what is left out. */
export function findingLines(findings: readonly SecurityFinding[]): string[] {
  const lines = findings
    .slice(0, MOST_SHOWN)
    .map(
      ({ names, where, does }) => `${oneLine(JSON.stringify(names.join(", ")))} (${oneLine(where)}): ${does}`,
    );
  const rest = findings.length - lines.length;
  return rest > 0 ? [...lines, `and ${rest} more, which --json lists`] : lines;
}

/** Returns the field of the JSON output; none where there is nothing to say. */
export const withFindings = (
  findings: readonly SecurityFinding[],
): { readonly security?: readonly SecurityFinding[] } =>
  findings.length === 0 ? {} : { security: findings };
