/** @file Programs on backends: where calls run, values side by side, times. */

import { useState } from "preact/hooks";
import type { ProfileRow } from "../engine/protocol.js";
import { Code } from "./code.js";
import type { StudioState } from "./state.js";

const BACKENDS = ["cpu", "wasm", "gpujs"] as const;

function Choice(props: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly choose: (name: string) => void;
}) {
  const { id, label, value, choose } = props;
  return (
    <label for={id}>
      {label}{" "}
      <select id={id} value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {BACKENDS.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

/** The panel that compares two backends, and says where a backend runs each call. */
export function Compare({ state }: { readonly state: StudioState }) {
  const [first, setFirst] = useState("cpu");
  const [second, setSecond] = useState("wasm");
  return (
    <div>
      <section>
        <div class="row">
          <Choice id="first" label="Backend" value={first} choose={setFirst} />
          <Choice id="second" label="and" value={second} choose={setSecond} />
          <button type="button" class="primary" onClick={() => void state.compare([first, second])}>
            Compare values
          </button>
        </div>
        <Comparison state={state} />
      </section>
      <section>
        <div class="row">
          <button type="button" onClick={() => void state.place(second)}>
            Where does {second} run each call?
          </button>
        </div>
        <Placement state={state} />
      </section>
    </div>
  );
}

function Comparison({ state }: { readonly state: StudioState }) {
  const comparison = state.comparison.value;
  if (comparison === undefined)
    return <p class="hint">Runs the program on both, on the inputs of the export or random ones.</p>;
  const { rows, first, backends } = comparison;
  return (
    <div>
      <p class={first === undefined ? "note" : "warning"} role="status">
        {first === undefined
          ? `${backends.join(" and ")} agree at all ${rows.length} calls`
          : `${backends.join(" and ")} first differ at ${first}`}
      </p>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">node</th>
              <th scope="col">operator</th>
              <th scope="col">max abs</th>
              <th scope="col">max rel</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.node} class={row.differs ? "differs" : ""}>
                <td>
                  <NodeLink state={state} itemKey={row.key} node={row.node} />
                </td>
                <td>{row.target}</td>
                <td class="number">{row.problem ?? row.maxAbsolute.toExponential(1)}</td>
                <td class="number">{row.problem === undefined ? row.maxRelative.toExponential(1) : ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function NodeLink(props: {
  readonly state: StudioState;
  readonly itemKey: string | undefined;
  readonly node: string;
}) {
  const { state, itemKey, node } = props;
  if (itemKey === undefined) return <span>{node}</span>;
  return (
    <button type="button" class="link" onClick={() => void state.find(itemKey)}>
      {node}
    </button>
  );
}

function Placement({ state }: { readonly state: StudioState }) {
  const placement = state.placement.value;
  if (placement === undefined) return null;
  const host = placement.rows.filter(({ place }) => place === "host");
  const { length } = placement.rows;
  return (
    <div>
      <p class="note" role="status">
        {placement.device}
        {length === 0 ? "" : `: ${length - host.length} of ${length} calls on the device`}
      </p>
      <ul class="lines">
        {host.map(({ key, node, target, reason }) => (
          <li key={node}>
            <NodeLink state={state} itemKey={key} node={node} /> <span class="muted">{target}</span>: {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The panel of a run: results, and times by kernel. */
export function Profile({ state }: { readonly state: StudioState }) {
  const [backend, setBackend] = useState("wasm");
  const profile = state.profile.value;
  return (
    <div>
      <div class="row">
        <Choice id="profile-backend" label="Backend" value={backend} choose={setBackend} />
        <button type="button" class="primary" onClick={() => void state.runProfile(backend)}>
          Run
        </button>
      </div>
      {profile === undefined ? (
        <p class="hint">Runs the program on the inputs of its export, or on random ones.</p>
      ) : (
        <div>
          <p class="note" role="status">
            {profile.backend}: compiled in {profile.compileMilliseconds.toFixed(1)} ms, ran in{" "}
            {profile.runMilliseconds.toFixed(2)} ms
          </p>
          <Bars state={state} rows={profile.rows} />
          <details>
            <summary>Results</summary>
            {profile.results.map((text, i) => (
              <Code key={String(i)} text={text} />
            ))}
          </details>
        </div>
      )}
    </div>
  );
}

function Bars({ state, rows }: { readonly state: StudioState; readonly rows: readonly ProfileRow[] }) {
  const sorted = [...rows].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, MOST_BARS);
  const longest = sorted[0]?.milliseconds ?? 1;
  const download = () => {
    const blob = new Blob([traceText(rows)], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = "trace.json";
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <div>
      <ol class="bars">
        {sorted.map((row, i) => (
          <li key={`${i} ${row.node}`}>
            <span class="bar" style={{ width: `${(100 * row.milliseconds) / longest}%` }} />
            <span class="number">{row.milliseconds.toFixed(3)} ms</span>{" "}
            <NodeLink state={state} itemKey={row.key} node={row.node} />{" "}
            <span class="muted">{row.place === "host" ? "host" : ""}</span>
          </li>
        ))}
      </ol>
      <button type="button" onClick={download}>
        Save as Chrome trace
      </button>
    </div>
  );
}

const MOST_BARS = 100;

/** The events of a run for trace viewers, one behind the other. */
function traceText(rows: readonly ProfileRow[]): string {
  let at = 0;
  const traceEvents = rows.map(({ node, target, milliseconds, place }) => {
    const event = {
      name: target,
      ph: "X",
      pid: 1,
      tid: place === "host" ? 2 : 1,
      ts: at,
      dur: milliseconds * 1000,
      args: { node },
    };
    at += milliseconds * 1000;
    return event;
  });
  return JSON.stringify({ traceEvents });
}
