/** @file The page: open, search, the graph, and the panels beside it. */

import { useEffect } from "preact/hooks";
import type { VersionInfo } from "../engine/protocol.js";
import { Compare } from "./backends.js";
import { comparedWith } from "./branches-view.js";
import { Code } from "./code.js";
import { CodePanel } from "./code-panel.js";
import { FileButton } from "./controls.js";
import { ErrorCode } from "./error-code.js";
import { GraphView } from "./graph-view.js";
import { Inspector } from "./inspector.js";
import { Passes } from "./passes.js";
import { Profile } from "./profile.js";
import type { Panel, StudioState } from "./state.js";
import { Welcome } from "./welcome.js";

const PANELS: readonly (readonly [Panel, string])[] = [
  ["inspect", "Inspect"],
  ["passes", "Passes"],
  ["compare", "Compare"],
  ["profile", "Run"],
  ["text", "Text"],
  ["code", "Code"],
];

/** The site that the page is a part of, if any: its first page. */
const SITE = document.querySelector<HTMLMetaElement>("meta[name=sconce-site]")?.content;

/** The whole page. */
export function App({ state }: { readonly state: StudioState }) {
  useEffect(() => takeDrops(state), [state]);
  useEffect(() => takeUndoKeys(state), [state]);
  return (
    <div class="page">
      <Header state={state} />
      <Status state={state} />
      {state.isOpen.value && !state.isStart.value ? (
        <main>
          {state.before.value !== undefined && (
            <GraphView state={state} scene={state.before} label="Graph before" />
          )}
          <GraphView state={state} scene={state.scene} label="Graph" />
          <Side state={state} />
        </main>
      ) : (
        <Welcome state={state} />
      )}
    </div>
  );
}

/** Opens files that are dropped anywhere on the page. */
function takeDrops(state: StudioState): () => void {
  const over = (event: DragEvent) => event.preventDefault();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void state.openFiles([...(event.dataTransfer?.files ?? [])]);
  };
  addEventListener("dragover", over);
  addEventListener("drop", drop);
  return () => {
    removeEventListener("dragover", over);
    removeEventListener("drop", drop);
  };
}

/** Undo and redo go through the versions, outside of fields, which have an own undo. */
function takeUndoKeys(state: StudioState): () => void {
  const take = (event: KeyboardEvent) => {
    const { key, target } = event;
    if (!(event.ctrlKey || event.metaKey) || event.altKey || key.toLowerCase() !== "z") return;
    if (
      target instanceof HTMLElement &&
      target.closest("input:not([type=range]), textarea, [contenteditable]")
    )
      return;
    event.preventDefault();
    void state.moveBy(event.shiftKey ? 1 : -1);
  };
  addEventListener("keydown", take);
  return () => removeEventListener("keydown", take);
}

function Header({ state }: { readonly state: StudioState }) {
  const version = state.versions.value.find(({ id }) => id === state.version.value);
  return (
    <header>
      <h1>Sconce studio</h1>
      <FileButton id="file" title="Open file" open={(files) => void state.openFiles(files)} isMultiple />
      {state.isOpen.value && !state.isOneFile && (
        <button
          type="button"
          aria-pressed={state.isStart.value}
          onClick={() => (state.isStart.value = !state.isStart.value)}
        >
          {state.isStart.value ? "Back" : "Start"}
        </button>
      )}
      {SITE !== undefined && <a href={SITE}>Documentation</a>}
      {version !== undefined && (
        <span class="title" title={`${version.nodes} nodes, ${version.dialect}`}>
          {titleOf(state, version)}
        </span>
      )}
      {state.isOpen.value && !state.isStart.value && <Search state={state} />}
      {state.isOpen.value && !state.isStart.value && <Toggles state={state} />}
    </header>
  );
}

/** Returns the file, the step that is shown, which may have changed nothing, and what is compared. */
function titleOf(state: StudioState, { parent, title }: VersionInfo): string {
  const step = state.rewrites.value === undefined ? state.steps.value[state.step.value - 1] : undefined;
  const made = parent === undefined ? undefined : title;
  const after = step === undefined || step.changed ? made : step.pass;
  const other = comparedWith(state);
  return `${state.branches.shownLabel.value}${after === undefined ? "" : ` after ${after}`}${other === undefined ? "" : `, against ${other}`}`;
}

function Toggles({ state }: { readonly state: StudioState }) {
  return (
    <fieldset class="toggles" aria-label="What the graph shows">
      <button type="button" onClick={() => void state.setOpen("all")}>
        Open all
      </button>
      <button type="button" onClick={() => void state.setOpen("none")}>
        Close all
      </button>
      <label>
        <input
          type="checkbox"
          checked={!state.modules.value}
          onChange={(event) => void state.setModules(!event.currentTarget.checked)}
        />{" "}
        flat
      </label>
      <label>
        <input
          type="checkbox"
          checked={state.weights.value}
          onChange={(event) => void state.setWeights(event.currentTarget.checked)}
        />{" "}
        weights
      </label>
    </fieldset>
  );
}

function Search({ state }: { readonly state: StudioState }) {
  const found = state.found.value;
  const choose = (key: string) => {
    state.found.value = undefined;
    void state.find(key);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const first = state.found.value?.[0];
    if (first !== undefined) choose(first.key);
  };
  return (
    <search class="search">
      <form onSubmit={submit}>
        <input
          id="search"
          type="search"
          autocomplete="off"
          aria-label="Search for an operator, a name, a type or a module"
          placeholder="Search: conv2d f32 layer1"
          value={state.query.value}
          onInput={(event) => void state.search(event.currentTarget.value)}
        />
        {found !== undefined && (
          <ul class="found" aria-label="Matches">
            {found.length === 0 && <li class="muted">no match</li>}
            {found.map(({ key, title, detail, node }) => (
              <li key={key}>
                <button type="button" class="link" onClick={() => choose(key)}>
                  {title}{" "}
                  <span class="muted">
                    {[node, detail].filter((text) => text !== undefined && text !== title).join(" · ")}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </form>
    </search>
  );
}

function Status({ state }: { readonly state: StudioState }) {
  const busy = state.busy.value;
  const failure = state.failure.value;
  const progress = busy?.progress;
  return (
    <div class="status" aria-live="polite">
      {busy !== undefined && (
        <p>
          {busy.title}{" "}
          {progress !== undefined && (
            <progress value={progress.done} max={progress.total || 1} aria-label={busy.title} />
          )}{" "}
          <button type="button" onClick={busy.cancel}>
            Cancel
          </button>
        </p>
      )}
      {failure !== undefined && (
        <div class="failure" role="alert">
          <strong>
            {failure.title}: {failure.code === undefined ? "failed" : <ErrorCode code={failure.code} />}
          </strong>
          <p>{failure.message}</p>
          {failure.where !== undefined && !failure.message.includes(failure.where) && (
            <p class="muted">in {failure.where}</p>
          )}
          {failure.fix !== undefined && <p>{failure.fix}</p>}
          <button type="button" onClick={() => (state.failure.value = undefined)}>
            Close
          </button>
        </div>
      )}
    </div>
  );
}

/** Arrow keys move between tabs. */
function moveTab(event: KeyboardEvent): void {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const at = PANELS.findIndex(([panel]) => (event.target as Element).id === `tab-${panel}`);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  const [panel] = PANELS[(at + step + PANELS.length) % PANELS.length]!;
  const tab = document.getElementById(`tab-${panel}`);
  tab?.focus();
  tab?.click();
}

function Side({ state }: { readonly state: StudioState }) {
  const shown = state.panel.value;
  const choose = (panel: Panel) => {
    state.panel.value = panel;
    if (panel === "text") void state.loadText(state.textFormat.value);
  };
  return (
    <aside>
      <div class="tabs" role="tablist" aria-label="Panels" onKeyDown={(event) => moveTab(event)}>
        {PANELS.map(([panel, title]) => (
          <button
            key={panel}
            id={`tab-${panel}`}
            type="button"
            role="tab"
            aria-selected={shown === panel}
            aria-controls="panel"
            onClick={() => choose(panel)}
          >
            {title}
          </button>
        ))}
      </div>
      <div id="panel" class="panel" role="tabpanel" aria-labelledby={`tab-${shown}`}>
        {shown === "inspect" && <Inspector state={state} />}
        {shown === "passes" && <Passes state={state} />}
        {shown === "compare" && <Compare state={state} />}
        {shown === "profile" && <Profile state={state} />}
        {shown === "text" && <Text state={state} />}
        {shown === "code" && <CodePanel state={state} />}
      </div>
    </aside>
  );
}

const FORMATS = ["program", "graph", "signature", "ir"] as const;

function Text({ state }: { readonly state: StudioState }) {
  return (
    <div class="text">
      <label for="format">
        Format{" "}
        <select
          id="format"
          value={state.textFormat.value}
          onChange={(event) => void state.loadText(event.currentTarget.value as (typeof FORMATS)[number])}
        >
          {FORMATS.map((format) => (
            <option key={format}>{format}</option>
          ))}
        </select>
      </label>
      <Code text={state.text.value} />
    </div>
  );
}
