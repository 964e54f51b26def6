/** @file The start: files, addresses, examples. */
import { useEffect, useRef } from "preact/hooks";
import { CodePanel } from "./code-panel.js";
import { EXAMPLES } from "./sources.js";
import type { StudioState } from "./state.js";

/** What the page shows without a program. */
export function Welcome({ state }: { readonly state: StudioState }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const open = (event: Event) => {
    event.preventDefault();
    const address = state.address.value.trim();
    if (address !== "") void state.openAddress(address, address);
  };
  return (
    <main class="welcome">
      <h2 ref={title} tabIndex={-1}>
        Open a PyTorch program
      </h2>
      <p>
        Drop <code>.pt2</code> files of <code>torch.export.save</code> here, or choose them with “Open file”.
        IR text (<code>.sir</code>, with its <code>.safetensors</code> file) and JSON IR open, too. Files stay
        on this machine.
      </p>
      <h3>Examples</h3>
      <ul>
        {EXAMPLES.map(({ name, title }) => (
          <li key={name}>
            <button type="button" class="link" onClick={() => void state.openExample(name)}>
              {title}
            </button>
          </li>
        ))}
      </ul>
      {!state.isOneFile && <OwnModel state={state} />}
      <h3>A file on a server</h3>
      <form class="row" onSubmit={open}>
        <input
          id="address"
          type="text"
          inputMode="url"
          class="wide"
          aria-label="Address of a program"
          placeholder="https://example.org/model.pt2"
          value={state.address.value}
          onInput={(event) => (state.address.value = event.currentTarget.value)}
        />
        <button type="submit">Open address</button>
      </form>
      <p class="hint">
        The page asks that server. Two sides have to allow this: the server (CORS), and the policy of this
        page. A page of <code>sconce view</code> asks only servers that you name, for example with{" "}
        <code>--connect https://example.org</code>. Only the graph is read at first, where the server serves
        ranges.
      </p>
    </main>
  );
}

/** The playground, where a model can be written and exported without a file. */
function OwnModel({ state }: { readonly state: StudioState }) {
  const write = () => {
    state.texts.shown.value = "model";
    state.panel.value = "code";
    state.isWriting.value = true;
  };
  if (state.isWriting.value)
    return (
      <>
        <h3>Playground</h3>
        <CodePanel state={state} />
      </>
    );
  return (
    <p>
      Or{" "}
      <button type="button" class="link" onClick={write}>
        write a model in TypeScript
      </button>
      .
    </p>
  );
}
