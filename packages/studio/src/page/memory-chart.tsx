/** @file Where values lie in memory, and from which kernel to which. */

import { amount } from "@sconce/errors";
import type { PlanView } from "../engine/protocol.js";
import type { StudioState } from "./state.js";

/** Units of the chart. */
const WIDTH = 1000;
const HEIGHT = 300;

/** The planned memory: kernels from left to right, addresses from the bottom up. */
export function MemoryChart({ state, plan }: { readonly state: StudioState; readonly plan: PlanView }) {
  const { kernels, values, pieces } = plan;
  const bases = basesOf(pieces);
  const total = pieces.reduce((sum, bytes) => sum + bytes, 0);
  const across = WIDTH / Math.max(1, kernels.length);
  const up = HEIGHT / Math.max(1, total);
  const most = mostAlive(plan);
  const selected = state.selected.value;
  return (
    <figure>
      <svg
        class="memory"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${values.length} values in ${amount(total, "B")} of memory, over ${kernels.length} kernels`}
      >
        {values.map(({ node, key, piece, offset, bytes, from, to }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the graph and the lists lead to all nodes
          <rect
            key={`${from} ${piece} ${offset}`}
            class={key !== undefined && key === selected ? "selected" : ""}
            x={from * across}
            y={HEIGHT - (bases[piece]! + offset + bytes) * up}
            width={(to - from + 1) * across}
            height={bytes * up}
            onClick={() => key !== undefined && void state.find(key)}
          >
            <title>{`${node}: ${amount(bytes, "B")}, kernels ${from} to ${to}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption class="muted">
        {amount(total, "B")} planned; at most {amount(most, "B")} are needed at once. Kernels from left to
        right, addresses from the bottom up.
      </figcaption>
    </figure>
  );
}

/** Where each piece of memory begins when they lie one behind the other. */
function basesOf(pieces: readonly number[]): number[] {
  let at = 0;
  return pieces.map((bytes) => {
    at += bytes;
    return at - bytes;
  });
}

/** The most bytes that are needed while one kernel runs. */
function mostAlive({ kernels, values }: PlanView): number {
  const changes = new Float64Array(kernels.length + 1);
  for (const { bytes, from, to } of values) {
    changes[from]! += bytes;
    changes[to + 1]! -= bytes;
  }
  let [alive, most] = [0, 0];
  for (const change of changes) {
    alive += change;
    most = Math.max(most, alive);
  }
  return most;
}
