/** @file Starts the page. */
import { render } from "preact";
import { App } from "./app.js";
import { connectWorker } from "./connect.js";
import { parseLink } from "./link.js";
import { StudioState } from "./state.js";

const state = new StudioState(connectWorker(), () => import("./playground.js"));
render(<App state={state} />, document.getElementById("app")!);

const follow = (): void => {
  const link = parseLink(location.hash);
  if (link !== undefined) void state.follow(link);
};
addEventListener("hashchange", follow);
follow();
