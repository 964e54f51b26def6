import { type Item, isGroup, sceneOf } from "@sconce/drawing";
import type { BoxMark, SceneRequest, SceneView, ShownItem } from "./protocol.js";
import { nodePath, type Version } from "./versions.js";

/** Returns what a page draws of a version. */
export function sceneView(version: Version, request: SceneRequest, other: Version | undefined): SceneView {
  const hierarchy = version.hierarchy(request.modules);
  const open = request.open === "all" ? "all" : new Set(request.open);
  const scene = sceneOf(hierarchy, { open, state: request.state });
  const boxes = new Set(scene.boxes.map(({ item }) => item));
  const shown = new Set(boxes);
  for (const { value } of scene.arrows) shown.add(value);
  const marks = marksOf(version, hierarchy.items, boxes, other, new Set(request.differing));
  return {
    scene,
    items: [...shown].map((id) => [id, shownItem(hierarchy.items[id]!)]),
    marks,
  };
}

const shownItem = (item: Item): ShownItem => ({
  key: item.key,
  kind: item.kind,
  title: item.title,
  detail: item.detail,
  node: item.node,
  isGroup: isGroup(item),
});

function marksOf(
  version: Version,
  items: readonly Item[],
  boxes: ReadonlySet<number>,
  other: Version | undefined,
  differing: ReadonlySet<string>,
): [number, BoxMark][] {
  const byNode = other === undefined ? new Map<string, BoxMark>() : changesOf(version, other);
  if (byNode.size + differing.size === 0) return [];
  const marks = new Map<number, BoxMark>();
  for (const item of items) {
    const isDifferent = differing.has(item.key);
    const changed = item.node === undefined ? undefined : byNode.get(nodePath(item));
    const mark = isDifferent ? "differs" : changed;
    if (mark === undefined) continue;
    let at = item.id;
    while (at > 0 && !boxes.has(at)) at = items[at]!.parent;
    if (at === 0 || marks.get(at) === "differs") continue;
    marks.set(at, at === item.id || isDifferent ? mark : "changed");
  }
  return [...marks];
}

/** Returns how the nodes of a version differ from another one, by their paths. */
function changesOf(version: Version, other: Version): Map<string, BoxMark> {
  // Versions are numbered in their order: of the earlier one, nodes are marked that go away.
  const { nodes } = other.id > version.id ? version.differenceTo(other) : other.differenceTo(version);
  return new Map(nodes.map(({ graph, node, kind }) => [`${graph}/${node}`, kind]));
}
