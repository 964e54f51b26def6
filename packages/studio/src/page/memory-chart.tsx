/** @file Values in memory over a run: where they lie, and from which step to which. */

import { amount } from "@sconce/errors";
import type { MemoryView } from "../engine/protocol.js";
import type { StudioState } from "./state.js";

/** Units of the chart. */
const WIDTH = 1000;
const HEIGHT = 300;

/** The values of a run: kernels or calls from left to right, bytes from the bottom up. */
export function MemoryChart({ state, memory }: { readonly state: StudioState; readonly memory: MemoryView }) {
  const { kind, steps, values, pieces } = memory;
  const unit = kind === "plan" ? "kernels" : "calls";
  const bases = basesOf(pieces);
  const total = pieces.reduce((sum, bytes) => sum + bytes, 0);
  const across = WIDTH / Math.max(1, steps);
  const up = HEIGHT / Math.max(1, total);
  const most = mostAlive(memory);
  const selected = state.selected.value;
  return (
    <figure>
      <svg
        class="memory"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${values.length} values, at most ${amount(most, "B")} at once, over ${steps} ${unit}`}
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
            <title>{`${node}: ${amount(bytes, "B")}, ${unit} ${from} to ${to}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption class="muted">
        {kind === "plan" ? (
          <>
            {amount(total, "B")} planned; at most {amount(most, "B")} are needed at once. Kernels from left to
            right, addresses from the bottom up.
          </>
        ) : (
          <>
            At most {amount(most, "B")} are kept at once. Calls from left to right; each box is one value, as
            tall as its bytes. The interpreter plans no addresses: how high a box lies has no meaning. Inputs,
            weights, and what a call needs for itself are not shown.
          </>
        )}
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

/** Returns the most bytes that are needed in one step. */
function mostAlive({ steps, values }: MemoryView): number {
  const changes = new Float64Array(steps + 1);
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
