/** @file What is known of the selected node or group. */

import { amount } from "@sconce/errors";
import type { ItemDetails, Neighbor, PlacementView } from "../engine/protocol.js";
import { backendsOf, DEVICES } from "./backends.js";
import { Code } from "./code.js";
import type { StudioState } from "./state.js";
import { Value } from "./value.js";

/** The panel of the selection. */
export function Inspector({ state }: { readonly state: StudioState }) {
  const details = state.details.value;
  if (details === undefined)
    return (
      <p class="hint">
        Select a node to see its text, its type and where it comes from. Double-click a group, or press Enter,
        to open it.
      </p>
    );
  const find = (key: string) => void state.find(key);
  return (
    <article aria-label={`Details of ${details.title}`}>
      <h2>{details.title}</h2>
      <dl class="facts">
        {details.facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Values state={state} node={details.key} />
      {details.text !== undefined && (
        <section>
          <h3>Text</h3>
          <Code text={details.text} />
        </section>
      )}
      {details.facts.every(({ name, value }) => name !== "op" || value === "call_function") && (
        <Cost state={state} item={details.key} />
      )}
      {details.facts.some(({ name, value }) => name === "op" && value === "call_function") && (
        <Places state={state} details={details} />
      )}
      {details.text !== undefined && <Value state={state} item={details.key} />}
      <Neighbors title="Inputs" list={details.inputs} find={find} />
      <Neighbors title="Users" list={details.users} find={find} />
      {details.provenance.length > 0 && (
        <section>
          <h3>Where it comes from</h3>
          <ol class="lines">
            {details.provenance.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ol>
        </section>
      )}
      {details.text !== undefined && <Rules state={state} item={details.key} />}
      {details.stackTrace !== undefined && (
        <section>
          <h3>Stack trace</h3>
          <Code text={details.stackTrace} />
        </section>
      )}
    </article>
  );
}

function Neighbors(props: {
  readonly title: string;
  readonly list: readonly Neighbor[];
  readonly find: (key: string) => void;
}) {
  const { title, list, find } = props;
  if (list.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul class="links">
        {list.map(({ key, node, target }) => (
          <li key={key}>
            <button type="button" class="link" onClick={() => find(key)}>
              {node}
            </button>{" "}
            <span class="muted">{target === node ? "" : target}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Where backends run the node, and why not on their devices. */
function Places({ state, details }: { readonly state: StudioState; readonly details: ItemDetails }) {
  const placements = state.results.placements.value;
  return (
    <section>
      <h3>Where it runs</h3>
      <div class="row">
        {backendsOf(state, DEVICES)
          .filter((backend) => !placements.has(backend))
          .map((backend) => (
            <button key={backend} type="button" onClick={() => void state.results.place(backend)}>
              Ask {backend}
            </button>
          ))}
      </div>
      {DEVICES.map((backend) => {
        const placement = placements.get(backend);
        return placement && <Place key={backend} placement={placement} details={details} />;
      })}
    </section>
  );
}

/** The calls of the prepared program that come from the node. */
function Place(props: { readonly placement: PlacementView; readonly details: ItemDetails }) {
  const { backend, rows } = props.placement;
  const { key: item, runBy } = props.details;
  const own = rows.filter(({ key }) => key === item);
  const host = own.filter(({ place }) => place === "host");
  const around = rows.find(({ key }) => runBy !== undefined && key === runBy.key);
  if (own.length === 0 && around?.place === "host")
    return (
      <p class="warning">
        {backend}: host, as a part of {runBy!.node}: {around.reason}
      </p>
    );
  if (own.length === 0)
    return (
      <p class="note">
        {backend}: the program that is prepared for this backend has no call of this node. Other calls compute
        its value, or nothing uses it.
      </p>
    );
  if (host.length === 0) return <p class="note">{backend}: device</p>;
  return (
    <>
      {host.map(({ node: call, target, reason }) => (
        <p key={call} class="warning">
          {backend}: host, {target}: {reason}
        </p>
      ))}
    </>
  );
}

/** How the node's values differ, when two backends were compared. */
function Values({ state, node }: { readonly state: StudioState; readonly node: string }) {
  const comparison = state.results.comparison.value;
  const row = comparison?.rows.find(({ key }) => key === node);
  if (comparison === undefined || row === undefined) return null;
  return (
    <p class={row.differs ? "warning" : "note"}>
      {comparison.backends.join(" and ")}: largest difference {row.maxAbsolute.toPrecision(3)}
      {row.problem === undefined ? "" : `, ${row.problem}`}
    </p>
  );
}

/** Why rules fire at the node, or not. */
function Rules({ state, item }: { readonly state: StudioState; readonly item: string }) {
  const attempts = state.results.attempts.value;
  const own = attempts?.key === item ? attempts.rows : undefined;
  return (
    <section>
      <h3>Rules</h3>
      {own === undefined ? (
        <button type="button" onClick={() => void state.results.explain(item)}>
          Which rules fire here?
        </button>
      ) : own.length === 0 ? (
        <p class="muted">No pattern of a rule starts at this node.</p>
      ) : (
        <ul class="lines">
          {own.map(({ rule, fires, reason }) => (
            <li key={rule + reason}>
              <strong>{rule}</strong> {fires ? "fires" : `does not fire: ${reason}`}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Operations and bytes of the item, each call counted by itself. */
function Cost({ state, item }: { readonly state: StudioState; readonly item: string }) {
  const cost = state.results.cost.value;
  const own = cost?.key === item ? cost.view : undefined;
  return (
    <section>
      <h3>Cost</h3>
      {own === undefined ? (
        <button type="button" onClick={() => void state.results.countCost(item)}>
          Count operations and bytes
        </button>
      ) : (
        <div>
          <p role="status">
            {amount(own.flops, "flop")}, {amount(own.bytes, "B")} read and written
            {own.calls === 1 ? "" : `, in ${own.calls} calls`}
          </p>
          {own.unknown.length > 0 && (
            <ul class="lines">
              {own.unknown.map(({ node, reason }) => (
                <li key={node}>
                  not counted: {node}, {reason}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </section>
  );
}
