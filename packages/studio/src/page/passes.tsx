/** @file The pipeline, the passes that ran, and what each changed. */

import type { StepInfo } from "../engine/protocol.js";
import { Branches, comparedWith, Files } from "./branches-view.js";
import { FileButton, Slider } from "./controls.js";
import { Export } from "./export.js";
import type { StudioState } from "./state.js";

const COMMON = [
  "decompose",
  "decompose,fold-constants,cse,dce",
  "decompose,fold-constants,canonicalize,cse,dce",
  "functionalize",
];

/** The panel of passes. */
export function Passes({ state }: { readonly state: StudioState }) {
  const run = (event: Event) => {
    event.preventDefault();
    void state.runPasses();
  };
  return (
    <div>
      <form onSubmit={run} class="pipeline">
        <label for="pipeline">Pipeline</label>
        <input
          id="pipeline"
          list="pipelines"
          autocomplete="off"
          spellcheck={false}
          placeholder="decompose,cse,dce"
          value={state.pipeline.value}
          onInput={(event) => void state.complete(event.currentTarget.value)}
        />
        <datalist id="pipelines">
          {(state.completions.value.length > 0 ? state.completions.value : COMMON).map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
        <button type="submit" class="primary">
          Run
        </button>
        {state.step.value > 0 && (
          <button
            type="button"
            title="Runs the passes on the version that is shown, as a branch where others follow it"
            onClick={() => void state.runPasses(state.step.value)}
          >
            Run from here
          </button>
        )}
      </form>
      <Files state={state} />
      <Steps state={state} />
      <Branches state={state} />
      <Rewrites state={state} />
      <BesideOption state={state} />
      <OtherProgram state={state} />
      <Export state={state} />
      <Difference state={state} />
    </div>
  );
}

function Steps({ state }: { readonly state: StudioState }) {
  const steps = state.steps.value;
  const shown = state.step.value;
  if (steps.length === 0) return <p class="hint">Run a pipeline to see what each pass changes.</p>;
  return (
    <section>
      <Slider
        id="scrub"
        label={`Step ${shown} of ${steps.length}`}
        most={steps.length}
        value={shown}
        choose={(step) => void state.showStep(step)}
      />
      <ol class="steps" start={0}>
        <li>
          <button type="button" aria-pressed={shown === 0} onClick={() => void state.showStep(0)}>
            as opened <span class="muted">{state.branches.shown.value?.root.nodes} nodes</span>
          </button>
        </li>
        {steps.map((step, i) => (
          <li key={`${i} ${step.pass}`}>
            <button
              type="button"
              class={step.changed ? "" : "dim"}
              aria-pressed={shown === i + 1}
              onClick={() => void state.showStep(i + 1)}
            >
              {step.pass} <span class="muted">{changeText(step)}</span>
            </button>
            {step.rules.length > 0 && (
              <p class="muted">{step.rules.map(([rule, count]) => `${rule} ${count}`).join(", ")}</p>
            )}
            <Notes notes={step.notes} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Notes of a pass; many of them are folded. */
function Notes({ notes }: { readonly notes: readonly string[] }) {
  const shown = notes.map((note) => (
    <p class="muted" key={note}>
      {note}
    </p>
  ));
  if (notes.length <= FEW_NOTES) return <>{shown}</>;
  return (
    <details class="notes">
      <summary class="muted">{notes.length} notes</summary>
      {shown}
    </details>
  );
}

function changeText({ changed, added, removed, edited, milliseconds }: StepInfo): string {
  const what = changed ? `+${added} −${removed} ~${edited}` : "no change";
  return `${what}, ${milliseconds.toFixed(1)} ms`;
}

/** The rewrites inside of a step, one by one. */
function Rewrites({ state }: { readonly state: StudioState }) {
  const step = state.steps.value[state.step.value - 1];
  if (step === undefined || step.rules.length === 0) return null;
  const rewrites = state.rewrites.value;
  if (rewrites === undefined)
    return (
      <p>
        <button type="button" onClick={() => void state.loadRewrites()}>
          Show the rewrites of {step.pass} one by one
        </button>
      </p>
    );
  const shown = state.rewrite.value;
  const made = rewrites[shown - 1];
  return (
    <Slider
      id="rewrite"
      label={`Rewrite ${shown} of ${rewrites.length}${made === undefined ? "" : `: ${made.rule} at ${made.node}`}`}
      most={rewrites.length}
      value={shown}
      choose={(count) => void state.showRewrite(count)}
    />
  );
}

/** Whether the version before is shown, too. */
function BesideOption({ state }: { readonly state: StudioState }) {
  if (state.compareWith.value === undefined) return null;
  return (
    <label>
      <input
        type="checkbox"
        checked={state.sideBySide.value}
        onChange={(event) => void state.setSideBySide(event.currentTarget.checked)}
      />{" "}
      before and after side by side
    </label>
  );
}

/** Another program, whose nodes are compared with those of the opened one. */
function OtherProgram({ state }: { readonly state: StudioState }) {
  return (
    <p>
      <FileButton
        id="other"
        title="Compare with another program"
        open={([file]) => void state.compareWithFile(file!, file!.name)}
      />
    </p>
  );
}

function Difference({ state }: { readonly state: StudioState }) {
  const difference = state.difference.value;
  if (difference === undefined) return null;
  const { nodes, removed, added } = difference;
  return (
    <details open>
      <summary>
        {nodes.length} node{nodes.length === 1 ? "" : "s"} differ from{" "}
        {comparedWith(state) ?? "the step before"}
      </summary>
      <ul class="diff">
        {nodes.slice(0, MOST_SHOWN).map(({ key, mark, before, after }) => (
          <li key={`${key} ${mark}`} class={mark}>
            {before !== undefined && <del>{before}</del>}
            {after !== undefined && <ins>{after}</ins>}
            {key !== undefined && mark !== "removed" && (
              <button type="button" class="link" onClick={() => void state.find(key)}>
                show
              </button>
            )}
          </li>
        ))}
        {nodes.length > MOST_SHOWN && <li class="muted">and {nodes.length - MOST_SHOWN} more</li>}
        {removed.map((line) => (
          <li key={`- ${line}`}>
            <del>{line}</del>
          </li>
        ))}
        {added.map((line) => (
          <li key={`+ ${line}`}>
            <ins>{line}</ins>
          </li>
        ))}
      </ul>
    </details>
  );
}

const MOST_SHOWN = 200;
const FEW_NOTES = 3;
