import { describe, expect, test } from "vitest";
import { Viewport } from "./viewport.js";

function viewOf(width: number, height: number): Viewport {
  const view = new Viewport();
  view.resize(700, 750);
  view.content = { width, height };
  return view;
}

const isSeen = (view: Viewport): boolean => {
  const { x, y, width, height } = view.area();
  const { content } = view;
  return x < content!.width && x + width > 0 && y < content!.height && y + height > 0;
};

describe("a view of a scene", () => {
  test("shows all of a scene of 100,000 layers", () => {
    const view = viewOf(130, 7_800_000);
    view.fit({ x: 0, y: 0, ...view.content! });
    expect(view.holds(view.content!)).toBe(true);
  });

  test.each([
    [180, 1264],
    [1650, 1080],
    [130, 780_000],
  ])("starts at a scale that can be read: %i by %i", (width, height) => {
    const view = viewOf(width, height);
    view.start(view.content!);
    expect(12 * view.scale).toBeGreaterThanOrEqual(9);
    expect(view.top).toBeGreaterThanOrEqual(0);
  });

  test("starts with all of a scene that can be read", () => {
    const view = viewOf(312, 718);
    view.start(view.content!);
    expect(view.holds(view.content!)).toBe(true);
  });

  test.each([
    [180, 1264],
    [130, 7_800_000],
    [5, 5],
  ])("never loses a scene by panning and zooming: %i by %i", (width, height) => {
    const view = viewOf(width, height);
    for (const start of [() => view.start(view.content!), () => view.fit({ x: 0, y: 0, ...view.content! })])
      for (const [dx, dy] of [
        [1e9, 0],
        [-1e9, 0],
        [0, 1e9],
        [0, -1e9],
      ] as const) {
        start();
        view.pan(dx, dy);
        view.hold();
        expect(isSeen(view)).toBe(true);
        for (const factor of [1e6, 1e-9]) {
          view.zoom(factor, 0, 0);
          view.hold();
          expect(isSeen(view)).toBe(true);
        }
      }
  });

  test("zooms out to half of the scale that shows all", () => {
    const view = viewOf(130, 780_000);
    view.fit({ x: 0, y: 0, ...view.content! });
    const all = view.scale;
    view.zoom(1e-9, 350, 375);
    expect(view.scale).toBeCloseTo(all / 2);
  });
});
