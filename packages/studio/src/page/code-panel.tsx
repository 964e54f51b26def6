/** @file The panel of the playground, which is loaded when it is shown first. */
import { useEffect, useState } from "preact/hooks";
import type { PlaygroundView, StudioState } from "./state.js";

/** The playground, or why the page has none. */
export function CodePanel({ state }: { readonly state: StudioState }) {
  const load = state.loadPlayground;
  const [loaded, setLoaded] = useState<{ readonly Playground: PlaygroundView } | undefined>();
  useEffect(() => {
    load?.().then(setLoaded, (error: unknown) => state.fail("Load the playground", error));
  }, [load, state]);
  if (load === undefined)
    return (
      <p class="hint">
        The playground is off in a page in one file: its policy allows its own script alone. Use{" "}
        <code>sconce view FILE</code>, or the page on a server.
      </p>
    );
  return loaded === undefined ? <p class="hint">loading</p> : <loaded.Playground state={state} />;
}
