/** @file Starts a page that holds its program: the engine runs in the page itself. */
import { render } from "preact";
import { EngineClient } from "../engine/client.js";
import { serveEngine } from "../engine/serve.js";
import { App } from "./app.js";
import { parseLink } from "./link.js";
import { StudioState } from "./state.js";
import "./style.css";

const answer = serveEngine((message) => client.receive(message));
const client = new EngineClient((message) => void setTimeout(() => answer(message)));
const state = new StudioState(client);
render(<App state={state} />, document.getElementById("app")!);

// Names may hold any character: they are JSON strings, which attributes keep as they are.
const { name: named = '"program"', passes: piped = '""' } = document.getElementById("program")!.dataset;
const [name, passes] = [named, piped].map((text) => JSON.parse(text) as string) as [string, string];
const text = document.getElementById("program")!.textContent;
const bytes = Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0));
// The link is read before the page writes its own.
const link = parseLink(location.hash);
await state.openFile(new Blob([bytes]), name, name);
if (link !== undefined) await state.follow(link);
else if (passes !== "") {
  state.pipeline.value = passes;
  await state.runPasses();
}
addEventListener("hashchange", () => {
  const changed = parseLink(location.hash);
  if (changed !== undefined) void state.follow(changed);
});
