/** @file Programs on backends: where calls run, and values side by side. */

import { useState } from "preact/hooks";
import type { ComparisonRow, InputsOf } from "../engine/protocol.js";
import { deviceText } from "./device-text.js";
import { toleranceText } from "./differing.js";
import type { StudioState } from "./state.js";

const BACKENDS = ["cpu", "wasm", "gpujs"] as const;
/** Backends that run some calls on the host. */
export const DEVICES = ["wasm", "gpujs"] as const;

/** Those that the page has: gpu.js makes code from text, which a page in one file does not allow. */
export const backendsOf = <T extends string>(
  { isOneFile }: Pick<StudioState, "isOneFile">,
  names: readonly T[],
): readonly T[] => names.filter((name) => !isOneFile || name !== "gpujs");

/** A choice of a backend. */
export function BackendChoice(props: {
  readonly state: StudioState;
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly choose: (name: string) => void;
}) {
  const { state, id, label, value, choose } = props;
  return (
    <label for={id}>
      {label}{" "}
      <select id={id} value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {backendsOf(state, BACKENDS).map((name) => (
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
  // Results of another backend would be read as those of the chosen one.
  const choose = (set: (name: string) => void) => (name: string) => {
    set(name);
    void state.results.compare(undefined);
  };
  return (
    <div>
      <section>
        <div class="row">
          <BackendChoice state={state} id="first" label="Backend" value={first} choose={choose(setFirst)} />
          <BackendChoice state={state} id="second" label="and" value={second} choose={choose(setSecond)} />
          <button type="button" class="primary" onClick={() => void state.results.compare([first, second])}>
            Compare values
          </button>
        </div>
        {state.isOneFile && (
          <p class="hint">A page in one file has no gpujs. The page that “sconce view FILE” serves has it.</p>
        )}
        <Comparison state={state} />
      </section>
      <section>
        <div class="row">
          <button type="button" onClick={() => void state.results.place(second)}>
            Where does {second} run each call?
          </button>
        </div>
        <Placement state={state} backend={second} />
      </section>
    </div>
  );
}

function Comparison({ state }: { readonly state: StudioState }) {
  const comparison = state.results.comparison.value;
  if (comparison === undefined)
    return <p class="hint">Runs the program on both, on the inputs of the export or random ones.</p>;
  const { rows, first, backends } = comparison;
  const differing = rows.filter(({ differs }) => differs).length;
  const smallest = rows.find(({ maxAbsolute }) => maxAbsolute > 0);
  return (
    <div>
      <p class={first === undefined ? "note" : "warning"} role="status">
        {first === undefined ? (
          `${backends.join(" and ")} agree at ${rows.length === 1 ? "the call that gives a tensor" : `all ${rows.length} calls that give tensors`}`
        ) : (
          <>
            {differing === 0 ? "" : `${differing} of ${rows.length} calls differ. `}
            {backends.join(" and ")} first differ by more than the tolerance at{" "}
            <NodeLink state={state} itemKey={rows.find(({ node }) => node === first)?.key} node={first} />
          </>
        )}
      </p>
      <p class="hint">
        Run on {inputsText(comparison.inputs)}. {toleranceText(comparison)}
        {smallest === undefined || smallest.node === first
          ? ""
          : ` Smaller differences begin at ${smallest.node}.`}
      </p>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">node</th>
              <th scope="col">operator</th>
              <th scope="col">max abs</th>
              <th scope="col">max rel</th>
              <th scope="col">differ</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <ComparisonLine key={row.node} state={state} row={row} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** How one value differs. */
function ComparisonLine({ state, row }: { readonly state: StudioState; readonly row: ComparisonRow }) {
  return (
    <tr class={row.differs ? "differs" : ""}>
      <td>
        <NodeLink state={state} itemKey={row.key} node={row.node} />
      </td>
      <td>
        <TargetName target={row.target} />
      </td>
      <td class="number">{row.problem ?? row.maxAbsolute.toExponential(1)}</td>
      <td class="number">{row.problem === undefined ? row.maxRelative.toExponential(1) : ""}</td>
      <td class="number">
        {row.differs ? (row.problem === undefined ? `≠ ${row.differing} of ${row.elements}` : "≠") : "0"}
      </td>
    </tr>
  );
}

/** The name of a node; a link where the shown version has it. */
export function NodeLink(props: {
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

function Placement({ state, backend }: { readonly state: StudioState; readonly backend: string }) {
  const placement = state.results.placements.value.get(backend);
  if (placement === undefined) return null;
  const host = placement.rows.filter(({ place }) => place === "host");
  const { length } = placement.rows;
  return (
    <div>
      <p class="note" role="status">
        {placement.backend} ({deviceText(placement.device)})
        {length === 0 ? "" : `: ${length - host.length} of ${length} calls on the device`}
      </p>
      <p class="hint">
        {length === 0 ? "" : `These are the calls of the program as it is prepared for ${placement.backend}.`}
        {length > 0 && host.length === 0 ? " None of them runs on the host." : ""}
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

/** Where the inputs of a run come from. */
export const inputsText = (inputs: InputsOf): string =>
  inputs === "export" ? "the inputs of the export" : "random inputs, the same ones each time";

/** A target that breaks behind its dots where there is no room. */
function TargetName({ target }: { readonly target: string }) {
  const parts = target.split(".");
  return (
    <>
      {parts.map((part, i) => (
        <span key={String(i)}>
          {part}
          {i < parts.length - 1 && (
            <>
              .<wbr />
            </>
          )}
        </span>
      ))}
    </>
  );
}
