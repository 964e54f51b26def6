/** @file The playground: passes, rules, decompositions and models that the user writes. */
import { useEffect, useRef } from "preact/hooks";
import type { CodeProblem } from "../playground/messages.js";
import { Code } from "./code.js";
import { Editor } from "./editor.js";
import { ErrorCode } from "./error-code.js";
import { PlaygroundState } from "./playground-state.js";
import type { StudioState } from "./state.js";
import { TEXTS_TOO_LONG } from "./texts.js";

const start = (): Worker =>
  new Worker(new URL("../worker/playground-worker.ts", import.meta.url), { type: "module" });

/** The text stays when another panel is shown. */
const states = new WeakMap<StudioState, PlaygroundState>();

function playgroundOf(studio: StudioState): PlaygroundState {
  let playground = states.get(studio);
  if (playground === undefined) {
    playground = new PlaygroundState(studio, start);
    states.set(studio, playground);
    void playground.probe();
  }
  return playground;
}

interface PanelProps {
  readonly state: StudioState;
  readonly playground: PlaygroundState;
}

/** The panel of the playground. */
export function Playground({ state }: { readonly state: StudioState }) {
  const playground = playgroundOf(state);
  const cancel = playground.cancel.value;
  return (
    <div class="playground">
      <div class="row">
        <label for="start-from">
          Code{" "}
          <select
            id="start-from"
            value={playground.name.value}
            onChange={(event) => playground.choose(event.currentTarget.value)}
          >
            {playground.names().map(({ name, title, isChanged }) => (
              <option key={name} value={name}>
                {`${title}${isChanged ? " (changed)" : ""}`}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          class="primary"
          title="Ctrl+Enter"
          disabled={playground.forbidden.value !== undefined}
          onClick={() => void playground.run()}
        >
          Run the code
        </button>
        {cancel !== undefined && (
          <button type="button" onClick={cancel}>
            Stop
          </button>
        )}
        {playground.isChanged.value && (
          <button type="button" onClick={() => playground.restore()}>
            Restore the example
          </button>
        )}
      </div>
      <Warnings state={state} playground={playground} />
      <LinkedSteps state={state} playground={playground} />
      <Forbidden reason={playground.forbidden.value} />
      <Outcome state={state} playground={playground} />
      <TextEditor key={playground.name.value} playground={playground} />
      <p class="hint">
        Export a plugin as default; it runs on the shown version, in a separate worker. Export a{" "}
        <code>pipeline</code> as well to choose the passes. Export <code>model</code> and <code>args</code> to
        make a new program.
      </p>
    </div>
  );
}

/** What the user has to know of the code that is shown. */
function Warnings({ state, playground }: PanelProps) {
  return (
    <>
      {playground.isLinked.value && (
        <p class="warning" role="status">
          This code came with the link, and did not run yet. Read it before you run it: it can use what the
          page has open, and can ask no server under the policy of the page.
        </p>
      )}
      {state.texts.isTooLong.value && (
        <p class="warning" role="status">
          {TEXTS_TOO_LONG} A reload loses them: save them elsewhere.
        </p>
      )}
    </>
  );
}

/** The steps that a link brought, where there are more than the shown text. */
function LinkedSteps({ state, playground }: PanelProps) {
  const pending = state.pending.value;
  if (pending === undefined || pending.steps.length < 2) return null;
  return (
    <section class="note" aria-label="Steps of the link">
      <p>The link has {pending.steps.length} steps that did not run. Read the texts before you run them.</p>
      <ol>
        {pending.steps.map((step, i) => (
          <li key={String(i)}>
            {"passes" in step ? (
              <code>{step.passes}</code>
            ) : (
              <>
                the text{" "}
                <button type="button" class="link" onClick={() => playground.choose(step.text)}>
                  {step.text}
                </button>
              </>
            )}
          </li>
        ))}
      </ol>
      <button
        type="button"
        disabled={playground.forbidden.value !== undefined}
        onClick={() => void playground.runLinked()}
      >
        Run the steps of the link
      </button>
    </section>
  );
}

/** Why texts cannot run. */
function Forbidden({ reason }: { readonly reason: string | undefined }) {
  if (reason === undefined) return null;
  return (
    <p class="warning" role="status">
      The playground is off:{" "}
      {reason.startsWith("script-src") ? `the policy of this server (${reason}) forbids it` : reason}. It runs
      your code as a script at a blob: address. The server has to send the file{" "}
      <code>assets/playground-worker-….js</code> with a separate policy: <code>script-src 'self' blob:</code>.
      The policy of the page can stay as it is.
    </p>
  );
}

function TextEditor({ playground }: { readonly playground: PlaygroundState }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const editor = new Editor(place.current!, playground);
    return () => editor.end();
  }, [playground]);
  return <div ref={place} class="editor" />;
}

function Outcome({ state, playground }: PanelProps) {
  const { problem, result, lines } = playground;
  return (
    <div aria-live="polite">
      {playground.cancel.value !== undefined && <p class="note">running</p>}
      {problem.value !== undefined && <Problem problem={problem.value} />}
      {result.value !== undefined && (
        <p class="note" role="status">
          {result.value}{" "}
          {state.steps.value.length > 0 && (
            <button type="button" class="link" onClick={() => (state.panel.value = "passes")}>
              Show the changes
            </button>
          )}
        </p>
      )}
      {lines.value.length > 0 && <Code text={lines.value.join("\n")} />}
    </div>
  );
}

function Problem({ problem }: { readonly problem: CodeProblem }) {
  const { title, message, code, where, fix, line, column } = problem;
  const place =
    line === undefined ? "" : ` in line ${line}${column === undefined ? "" : `, column ${column}`}`;
  return (
    <div class="warning" role="alert">
      <strong>
        {code === undefined ? title : <ErrorCode code={code} />}
        {place}
      </strong>
      <p>{message}</p>
      {where !== undefined && !message.includes(where) && <p class="muted">in {where}</p>}
      {fix !== undefined && <p>{fix}</p>}
    </div>
  );
}
