/** @file Times of a run by modules: each module is as wide as what is in it took. */
import type { ProfileRow } from "../engine/protocol.js";
import { flameOf, type Segment } from "./flame.js";
import type { StudioState } from "./state.js";

/** Units of a chart's width. */
const WIDTH = 500;
const ROW = 24;
/** Narrower parts are left out, and parts with less room have no text. */
const LEAST_WIDTH = 1;
const LEAST_TEXT = 40;
const CHARACTER = 9;

/** A flame chart; a click on a part finds it in the graph. */
export function FlameChart({
  state,
  rows,
}: {
  readonly state: StudioState;
  readonly rows: readonly ProfileRow[];
}) {
  const { segments, depth, total } = flameOf(rows);
  if (total === 0) return <p class="hint">No time was measured.</p>;
  const scale = WIDTH / total;
  const selected = state.selected.value;
  return (
    <svg
      class="flame"
      viewBox={`0 0 ${WIDTH} ${depth * ROW}`}
      role="img"
      aria-label={`Times by module, ${total.toFixed(2)} ms in all. The list below has the same times.`}
    >
      {segments
        .filter(({ milliseconds }) => milliseconds * scale >= LEAST_WIDTH)
        .map((segment) => (
          <Part
            key={`${segment.level} ${segment.start}`}
            segment={segment}
            scale={scale}
            isSelected={segment.key !== undefined && segment.key === selected}
            choose={() => segment.key !== undefined && void state.find(segment.key)}
          />
        ))}
    </svg>
  );
}

function Part(props: {
  readonly segment: Segment;
  readonly scale: number;
  readonly isSelected: boolean;
  readonly choose: () => void;
}) {
  const { segment, scale, isSelected, choose } = props;
  const { level, start, milliseconds, title, isLeaf, place } = segment;
  const [x, y, width] = [start * scale, level * ROW, milliseconds * scale];
  const kind = isLeaf ? (place === "host" ? "host" : "leaf") : "module";
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list below has a button for each part
    <g class={`${kind}${isSelected ? " selected" : ""}`} onClick={choose}>
      <title>{`${title}: ${milliseconds.toFixed(3)} ms`}</title>
      <rect x={x} y={y} width={Math.max(0.5, width - 1)} height={ROW - 2} />
      {width >= LEAST_TEXT && (
        <text x={x + 4} y={y + 16}>
          {cut(title, Math.floor((width - 6) / CHARACTER))}
        </text>
      )}
    </g>
  );
}

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text;
