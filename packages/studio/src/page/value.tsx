/** @file The elements of the selected node. */
import { useEffect, useRef } from "preact/hooks";
import type { Picture, ValueView } from "../engine/protocol.js";
import { Code } from "./code.js";
import type { StudioState } from "./state.js";

/** A button that runs the program, and what the node then has. */
export function Value({ state, item }: { readonly state: StudioState; readonly item: string }) {
  const values = state.values.value;
  const own = values?.key === item ? values : undefined;
  return (
    <section>
      <h3>Value</h3>
      {own === undefined ? (
        <button type="button" onClick={() => void state.loadValues(item)}>
          Run, and show the elements
        </button>
      ) : own.view === undefined ? (
        <p class="muted">The node has no tensor, or is in a nested graph.</p>
      ) : (
        <Elements view={own.view} />
      )}
    </section>
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
          <PictureView key={String(i)} picture={picture} index={i} />
        ))}
      </div>
      <Code text={text} />
    </div>
  );
}

function PictureView({ picture, index }: { readonly picture: Picture; readonly index: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const { width, height, gray } = picture;
    const image = new ImageData(width, height);
    for (let i = 0; i < gray.length; i++) image.data.set([gray[i]!, gray[i]!, gray[i]!, 255], 4 * i);
    canvas.current!.getContext("2d")?.putImageData(image, 0, 0);
  }, [picture]);
  const { width, height } = picture;
  return <canvas ref={canvas} width={width} height={height} role="img" aria-label={`Channel ${index}`} />;
}
