/** @file One run of a program: times as a flame chart and as bars, kernels, memory. */

import { amount } from "@sconce/errors";
import { useState } from "preact/hooks";
import type { KernelView, PlanView, ProfileRow, ProfileView } from "../engine/protocol.js";
import { BackendChoice, inputsText, NodeLink } from "./backends.js";
import { Code } from "./code.js";
import { FlameChart } from "./flame-chart.js";
import { MemoryChart } from "./memory-chart.js";
import { saveFile } from "./save-file.js";
import type { StudioState } from "./state.js";
import { traceText } from "./trace.js";

const MOST_BARS = 100;

/** The panel of a run: results, times by kernel, memory. */
export function Profile({ state }: { readonly state: StudioState }) {
  const [backend, setBackend] = useState("wasm");
  const profile = state.results.profile.value;
  const choose = (name: string) => {
    setBackend(name);
    state.results.profile.value = undefined;
  };
  return (
    <div>
      <div class="row">
        <BackendChoice state={state} id="profile-backend" label="Backend" value={backend} choose={choose} />
        <button type="button" class="primary" onClick={() => void state.results.runProfile(backend)}>
          Run
        </button>
      </div>
      {profile === undefined ? (
        <p class="hint">Runs the program on the inputs of its export, or on random ones.</p>
      ) : (
        <Run state={state} profile={profile} />
      )}
    </div>
  );
}

function Run({ state, profile }: { readonly state: StudioState; readonly profile: ProfileView }) {
  const { plan, rows, memory } = profile;
  return (
    <div>
      <p class="note" role="status">
        {profile.backend}: compiled in {profile.compileMilliseconds.toFixed(1)} ms, ran in{" "}
        {profile.runMilliseconds.toFixed(2)} ms
        {plan === undefined ? "" : `, ${sumText(plan.kernels)}`}. Run on {inputsText(profile.inputs)}.
      </p>
      <section>
        <h2>{plan === undefined ? "Times by module" : "Times by module, each kernel waited for"}</h2>
        <FlameChart state={state} rows={rows} />
      </section>
      {memory !== undefined && memory.values.length > 0 && (
        <section>
          <h2>{memory.kind === "plan" ? "Memory of values between kernels" : "Lifetimes of values"}</h2>
          <MemoryChart state={state} memory={memory} />
        </section>
      )}
      <section>
        <h2>{plan === undefined ? "Nodes" : "Kernels"}, the longest first</h2>
        <Bars state={state} rows={rows} plan={plan} />
      </section>
      <details>
        <summary>Results</summary>
        {profile.results.map((text, i) => (
          <Code key={String(i)} text={text} />
        ))}
      </details>
    </div>
  );
}

function sumText(kernels: readonly KernelView[]): string {
  const total = (key: "flops" | "bytes"): number => kernels.reduce((sum, kernel) => sum + kernel[key], 0);
  return `${kernels.length} kernels, ${amount(total("flops"), "flop")}, ${amount(total("bytes"), "B")}`;
}

function Bars(props: {
  readonly state: StudioState;
  readonly rows: readonly ProfileRow[];
  readonly plan: PlanView | undefined;
}) {
  const { state, rows, plan } = props;
  const sorted = [...rows].sort((a, b) => b.milliseconds - a.milliseconds);
  const longest = sorted[0]?.milliseconds ?? 1;
  return (
    <div>
      <ol class="bars">
        {sorted.slice(0, MOST_BARS).map((row, i) => (
          <li key={String(i)}>
            <span class="bar" style={{ width: `${(100 * row.milliseconds) / longest}%` }} />
            <span class="number">{row.milliseconds.toFixed(3)} ms</span>{" "}
            {row.nodes.map(({ key, node }, at) => (
              <span key={node}>
                {at === 0 ? "" : ", "}
                <NodeLink state={state} itemKey={key} node={node} />
              </span>
            ))}{" "}
            <span class="muted">{row.place === "host" ? "host" : ""}</span>
            {row.kernel !== undefined && plan !== undefined && (
              <Kernel kernel={plan.kernels[row.kernel]!} milliseconds={row.milliseconds} />
            )}
          </li>
        ))}
      </ol>
      {sorted.length > MOST_BARS && <p class="muted">{sorted.length - MOST_BARS} more took less.</p>}
      <button type="button" onClick={() => saveFile(traceFile(rows, plan), "trace.json")}>
        Save as Chrome trace
      </button>
    </div>
  );
}

const traceFile = (rows: readonly ProfileRow[], plan: PlanView | undefined): Blob =>
  new Blob([traceText(rows, plan?.kernels)], { type: "application/json" });

/** What a kernel computes, how fast, and its source. */
function Kernel({ kernel, milliseconds }: { readonly kernel: KernelView; readonly milliseconds: number }) {
  const { flops, bytes, loops, source, language } = kernel;
  const perSecond = (count: number, unit: string): string =>
    milliseconds > 0 ? ` (${amount((count * 1000) / milliseconds, `${unit}/s`)})` : "";
  return (
    <details>
      <summary>
        {amount(flops, "flop")}
        {perSecond(flops, "flop")}, {amount(bytes, "B")}
        {perSecond(bytes, "B")}
      </summary>
      <h3>Loops</h3>
      <Code text={loops} />
      <h3>{sourceTitle(language, source)}</h3>
      <Code text={source} />
    </details>
  );
}

/** Kernels that are written by hand have one line of description. */
function sourceTitle(language: string, source: string): string {
  if (language !== "kernel") return `Source: ${language}`;
  return source.includes("\n") ? "Source: kernel IR" : "A kernel written by hand";
}
