import type { PassEvent } from "@sconce/passes";
import type { RanPass } from "./messages.js";

/** Returns what an observer of passes sees, as plain data. */
export const ranPass = ({
  pass,
  before,
  after,
  milliseconds,
  fired,
  notes,
  refused,
}: PassEvent): RanPass => ({
  pass: pass.name,
  call: (before === after ? undefined : after.history.at(-1)?.call) ?? pass.name,
  changed: before !== after,
  milliseconds,
  rules: [...fired],
  notes: [
    ...notes,
    ...refused.map(({ rule, node, reason }) => `${rule} does not fire at ${node}: ${reason}`),
  ],
});
