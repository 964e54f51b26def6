/** @file A slice of a value as a table and a picture, and the controls that choose it. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { ElementMark, SliceTable, SliceView } from "../engine/protocol.js";
import { sliceText } from "../engine/slice-text.js";
import { PictureView } from "./picture-view.js";
import type { SliceState } from "./slice-state.js";

/** The slice of an item, once its elements are known. */
export function Slice({ slices, item }: { readonly slices: SliceState; readonly item: string }) {
  const shown = slices.shown.value;
  if (shown?.key !== item) return null;
  const { view } = shown;
  const isEmpty = view.shape.includes(0);
  return (
    <section aria-label="Slice">
      <h3>Slice</h3>
      <SliceForm key={item} slices={slices} view={view} />
      {view.problem !== undefined && <p class="warning">The elements are not compared: {view.problem}.</p>}
      {isEmpty ? (
        <p class="note">The value has no elements: its shape is [{view.shape.join(", ")}].</p>
      ) : (
        <>
          <Paging slices={slices} view={view} />
          <Differences slices={slices} view={view} />
          <Tables view={view} />
          <Pictures view={view} />
        </>
      )}
    </section>
  );
}

/** The text of the slice, and a field for each dimension before its rows and columns. */
function SliceForm({ slices, view }: { readonly slices: SliceState; readonly view: SliceView }) {
  const { name, shape, start } = view;
  const text = sliceText(name, shape, start);
  const [edited, setEdited] = useState<string | undefined>();
  const problem = slices.problem.value;
  // Another slice replaces what was not sent.
  useEffect(() => setEdited(undefined), [text]);
  const submit = (event: Event) => {
    event.preventDefault();
    void slices
      .showText(edited ?? text)
      .then(() => slices.problem.value === undefined && setEdited(undefined));
  };
  const setIndex = (dimension: number, value: number) => {
    const { index } = start;
    if (!Number.isInteger(value) || value < 0 || value >= shape[dimension]!) return;
    void slices.show({ ...start, index: index.with(dimension, value) });
  };
  return (
    <>
      <form class="row" onSubmit={submit}>
        <label for="slice-text">Elements</label>
        <input
          id="slice-text"
          class="wide"
          autocomplete="off"
          spellcheck={false}
          value={edited ?? text}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : "slice-problem"}
          onInput={(event) => setEdited(event.currentTarget.value)}
        />
        <button type="submit">Show</button>
      </form>
      {problem !== undefined && (
        <p id="slice-problem" class="warning" role="alert">
          {problem}
        </p>
      )}
      {start.index.length > 0 && <IndexFields view={view} setIndex={setIndex} />}
    </>
  );
}

/** A field for each dimension before the rows and columns. */
function IndexFields({
  view: { start, shape },
  setIndex,
}: {
  readonly view: SliceView;
  readonly setIndex: (dimension: number, value: number) => void;
}) {
  return (
    <fieldset class="row" aria-label="Index of the slice">
      {start.index.map((at, dimension) => (
        <label key={String(dimension)} for={`slice-${dimension}`}>
          dim {dimension}, 0 to {Math.max(0, shape[dimension]! - 1)}{" "}
          <input
            id={`slice-${dimension}`}
            class="index"
            type="number"
            min={0}
            max={Math.max(0, shape[dimension]! - 1)}
            value={at}
            disabled={shape[dimension]! < 2}
            onInput={(event) => setIndex(dimension, event.currentTarget.valueAsNumber)}
          />
        </label>
      ))}
    </fieldset>
  );
}

/** Which rows and columns are shown, and buttons for others. */
function Paging({ slices, view }: { readonly slices: SliceState; readonly view: SliceView }) {
  const { start, rows, columns, pageRows, pageColumns, shape } = view;
  const go = (row: number, column: number) => void slices.show({ ...start, row, column });
  const range = (name: string, from: number, page: number, all: number): string =>
    `${name} ${from} to ${Math.min(all, from + page) - 1} of ${all}`;
  const first = shape.length === 1 ? "elements" : "rows";
  if (shape.length === 0) return null;
  return (
    <div class="row">
      <span role="status">
        {range(first, start.row, pageRows, rows)}
        {shape.length > 1 && `, ${range("columns", start.column, pageColumns, columns)}`}
      </span>
      <Pages name={first} from={start.row} page={pageRows} all={rows} go={(row) => go(row, start.column)} />
      <Pages
        name="columns"
        from={start.column}
        page={pageColumns}
        all={columns}
        go={(column) => go(start.row, column)}
      />
    </div>
  );
}

/** Buttons for the page before and the page behind; none where all is on one page. */
function Pages(props: {
  readonly name: string;
  readonly from: number;
  readonly page: number;
  readonly all: number;
  readonly go: (from: number) => void;
}) {
  const { name, from, page, all, go } = props;
  if (page >= all && from === 0) return null;
  return (
    <span class="pages">
      <button type="button" disabled={from === 0} onClick={() => go(Math.max(0, from - page))}>
        Previous {name}
      </button>{" "}
      <button type="button" disabled={from + page >= all} onClick={() => go(from + page)}>
        Next {name}
      </button>
    </span>
  );
}

/** How many elements of the slice differ, and a way to the first one of the value. */
function Differences({ slices, view }: { readonly slices: SliceState; readonly view: SliceView }) {
  const { differing, firstDifference, tables, rows, columns } = view;
  if (differing === undefined) return null;
  return (
    <div class="row">
      <span>
        <b aria-hidden="true">≠</b> {differing} of {rows * columns} elements of the slice differ by more than
        the tolerance. <b aria-hidden="true">≈</b> marks smaller differences.
      </span>
      {firstDifference === undefined ? (
        <span class="muted">No element of the value differs on {tables[1]!.backend}.</span>
      ) : (
        <button type="button" onClick={() => void slices.show(firstDifference)}>
          Show the first element that differs
        </button>
      )}
    </div>
  );
}

/** The tables of the backends, which scroll together. */
function Tables({ view }: { readonly view: SliceView }) {
  const place = useRef<HTMLDivElement>(null);
  const follow = ({ scrollLeft, scrollTop }: HTMLElement) => {
    for (const one of place.current?.querySelectorAll(".scroll") ?? []) {
      one.scrollLeft = scrollLeft;
      one.scrollTop = scrollTop;
    }
  };
  return (
    <div class="slices" ref={place}>
      {view.tables.map((table, i) => (
        <section
          key={table.backend}
          class="scroll"
          aria-label={`Elements on ${table.backend}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has the focus
          tabIndex={0}
          onScroll={(event) => follow(event.currentTarget)}
        >
          <ElementTable view={view} table={table} isSecond={i > 0} />
        </section>
      ))}
    </div>
  );
}

function ElementTable(props: {
  readonly view: SliceView;
  readonly table: SliceTable;
  readonly isSecond: boolean;
}) {
  const { view, table, isSecond } = props;
  const { start, shape } = view;
  return (
    <table class="elements">
      <caption>{table.backend}</caption>
      {shape.length > 1 && (
        <thead>
          <tr>
            <td />
            {table.texts[0]?.map((_, j) => (
              <th key={String(j)} scope="col">
                {start.column + j}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {table.texts.map((row, i) => (
          <tr key={String(i)}>
            {shape.length > 0 && <th scope="row">{start.row + i}</th>}
            {row.map((text, j) => (
              <ElementText key={String(j)} text={text} mark={isSecond ? view.marks?.[i]?.[j] : undefined} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const SIGNS: Readonly<Record<ElementMark, string>> = { "": "", close: "≈ ", differs: "≠ " };
const SPOKEN: Readonly<Record<ElementMark, string>> = {
  "": "",
  close: "differs within the tolerance",
  differs: "differs",
};

function ElementText({
  text,
  mark = "",
}: {
  readonly text: string;
  readonly mark?: ElementMark | undefined;
}) {
  return (
    <td class={mark} title={mark === "" ? undefined : SPOKEN[mark]}>
      {mark !== "" && (
        <>
          <span aria-hidden="true">{SIGNS[mark]}</span>
          <span class="spoken">{SPOKEN[mark]}: </span>
        </>
      )}
      {text}
    </td>
  );
}

/** The whole slices in gray. */
function Pictures({ view }: { readonly view: SliceView }) {
  const { name, shape, start, rows, columns, tables } = view;
  const slice = sliceText(name, shape, { ...start, row: 0, column: 0 });
  const side = (size: number): string =>
    `${Math.min(MOST_PIXELS, Math.max(LEAST_PIXELS, size * ELEMENT_PIXELS))}px`;
  return (
    <div class="pictures">
      {tables.map(
        ({ backend, picture }) =>
          picture !== undefined && (
            <PictureView
              key={backend}
              picture={picture}
              label={`${slice} on ${backend}, ${rows} by ${columns}: the least element of the value is black`}
              style={{ width: side(columns), height: side(rows) }}
            />
          ),
      )}
    </div>
  );
}

/** Sides of a picture on the screen. */
const LEAST_PIXELS = 24;
const MOST_PIXELS = 320;
const ELEMENT_PIXELS = 8;
