/** @file The elements of the selected node. */
import type { ValueView } from "../engine/protocol.js";
import { Code } from "./code.js";
import { PictureView } from "./picture-view.js";
import { Slice } from "./slice.js";
import type { StudioState } from "./state.js";

/** A button that runs the program, and what the node then has. */
export function Value({ state, item }: { readonly state: StudioState; readonly item: string }) {
  const values = state.results.values.value;
  const own = values?.key === item ? values : undefined;
  return (
    <>
      <section>
        <h3>Value</h3>
        {own === undefined ? (
          <button type="button" onClick={() => void state.results.loadValues(item)}>
            Run, and show the elements
          </button>
        ) : "reason" in own.view ? (
          <p class="muted">{own.view.reason}</p>
        ) : (
          <Elements view={own.view} />
        )}
        <CompareElements state={state} item={item} />
      </section>
      <Slice slices={state.results.slices} item={item} />
    </>
  );
}

/** A way to the elements on both backends, where two backends were compared. */
function CompareElements({ state, item }: { readonly state: StudioState; readonly item: string }) {
  const comparison = state.results.comparison.value;
  const { slices } = state.results;
  const shown = slices.shown.value?.key === item ? slices.shown.value.backends : [];
  if (comparison === undefined || !comparison.rows.some(({ key }) => key === item)) return null;
  const { backends } = comparison;
  if (shown.join() === backends.join()) return null;
  return (
    <p>
      <button type="button" onClick={() => void slices.load(item, backends)}>
        Show the elements on {backends.join(" and ")}
      </button>
    </p>
  );
}

function Elements({ view: { statistics, histogram, text, pictures } }: { readonly view: ValueView }) {
  const most = Math.max(1, ...histogram);
  return (
    <div>
      <dl class="facts">
        {statistics.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <svg
        class="histogram"
        viewBox={`0 0 ${histogram.length} 10`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Histogram of the elements, from the least to the greatest"
      >
        {histogram.map((count, i) => (
          <rect
            key={String(i)}
            x={i + 0.1}
            width={0.8}
            y={10 - (10 * count) / most}
            height={(10 * count) / most}
          />
        ))}
      </svg>
      <div class="pictures">
        {pictures.map((picture, i) => (
          <PictureView key={String(i)} picture={picture} label={`Channel ${i}`} />
        ))}
      </div>
      <Code text={text} />
    </div>
  );
}
