import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { Engine } from "../engine/engine.js";
import type { SceneRequest } from "../engine/protocol.js";
import { Drawing, type DrawnBox } from "./drawing.js";
import type { Direction } from "./walk.js";

const PROGRAMS = [
  "net_gpt",
  "net_resnet",
  "net_unet",
  "net_bert",
  "flow_cond_nested",
  "flow_while",
  "digits",
];

const VIEWS: readonly (readonly [string, Partial<SceneRequest>])[] = [
  ["closed", {}],
  ["open", { open: "all" }],
  ["flat", { modules: false }],
  ["open, with weights", { open: "all", state: true }],
];

async function drawingOf(program: string, view: Partial<SceneRequest>): Promise<Drawing> {
  const place = `../../../testing/fixtures/programs/${program}/program.pt2`;
  const file = fileURLToPath(new URL(place, import.meta.url));
  const engine = new Engine();
  const { id } = await engine.open(new Blob([await readFile(file)]), program, {});
  const request = { version: id, compareWith: undefined, open: [], modules: true, state: false, ...view };
  return new Drawing(await engine.scene(request));
}

/** The boxes that some keys reach from the first one. */
function reached(drawing: Drawing, keys: readonly Direction[]): Set<DrawnBox> {
  const found = new Set<DrawnBox>();
  const open = [drawing.next(undefined, "first")!];
  for (let box = open.pop(); box !== undefined; box = open.pop()) {
    if (found.has(box)) continue;
    found.add(box);
    for (const key of keys) {
      const next = drawing.next(box, key);
      if (next !== undefined) open.push(next);
    }
  }
  return found;
}

const titles = (boxes: Iterable<DrawnBox>): string[] => [...boxes].map(({ shown }) => shown.key).sort();

describe.each(PROGRAMS)("the keys in %s", (program) => {
  test.each(VIEWS)("reach every box: %s", async (_, view) => {
    const drawing = await drawingOf(program, view);
    expect(titles(reached(drawing, ["up", "down", "left", "right"]))).toEqual(titles(drawing.boxes));
  });

  test.each(VIEWS)("walk through all boxes in both directions: %s", async (_, view) => {
    const drawing = await drawingOf(program, view);
    const walk = (from: Direction, step: Direction): DrawnBox[] => {
      const way: DrawnBox[] = [];
      for (let box = drawing.next(undefined, "first"); box !== undefined; box = drawing.next(box, step)) {
        if (way.length === 0) box = drawing.next(box, from)!;
        way.push(box);
      }
      return way;
    };
    const forwards = walk("first", "next");
    expect(titles(forwards)).toEqual(titles(drawing.boxes));
    expect(walk("last", "previous")).toEqual([...forwards].reverse());
    // Within a frame the walk goes down, and a frame comes before what is in it.
    for (const [i, box] of forwards.entries())
      if (box.isOpen) expect(forwards[i + 1]!.depth).toBe(box.depth + 1);
  });
});

test("left and right go through a layer as it is drawn", async () => {
  const drawing = await drawingOf("net_gpt", { modules: false });
  let rows = 0;
  for (const box of drawing.boxes) {
    const right = drawing.next(box, "right");
    if (right === undefined) continue;
    rows += 1;
    expect(right.x).toBeGreaterThanOrEqual(box.x + box.width);
    expect(right.y).toBeLessThan(box.y + box.height);
    expect(right.y + right.height).toBeGreaterThan(box.y);
    expect(drawing.next(right, "left")).toBe(box);
  }
  expect(rows).toBeGreaterThan(2);
});
