/** @file Shows what hides an item of the graph. */
import type { Signal } from "@preact/signals";
import type { SceneView } from "../engine/protocol.js";

/** What decides which items are drawn. */
interface Drawn {
  readonly open: Signal<ReadonlySet<string> | "all">;
  readonly weights: Signal<boolean>;
  readonly modules: Signal<boolean>;
  readonly scene: Signal<SceneView | undefined>;
  drawScene(): Promise<void>;
}

/** Opens groups around an item, shows weights, or leaves the flat view, where needed. */
export async function reveal(state: Drawn, key: string, groups: readonly string[]): Promise<void> {
  const open = state.open.value;
  if (open !== "all" && groups.some((group) => !open.has(group))) {
    state.open.value = new Set([...open, ...groups]);
    await state.drawScene();
  }
  for (const option of [state.weights, state.modules]) {
    if (option.value || isDrawn(state.scene.value, key)) continue;
    option.value = true;
    await state.drawScene();
    if (!isDrawn(state.scene.value, key)) option.value = false;
  }
}

/** Returns whether a scene has a box of an item. */
function isDrawn(view: SceneView | undefined, key: string): boolean {
  if (view === undefined) return false;
  const ids = new Set(view.scene.boxes.map(({ item }) => item));
  return view.items.some(([id, item]) => item.key === key && ids.has(id));
}
