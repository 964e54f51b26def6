import { expect, test } from "vitest";
import { table } from "./measure.js";

test("times and memory stand in one table, beside targets and peers in the same unit", () => {
  const rows = [
    { group: "graph", name: "build", milliseconds: 27.2, target: 200, per: { count: 1000, unit: "node" } },
    { group: "graph", name: "verify", milliseconds: 2500, peer: { name: "torch.fx", milliseconds: 5000 } },
    { group: "history", name: "held", bytes: 8.1e6, target: 1e6, per: { count: 1e5, unit: "node" } },
    { group: "history", name: "less", bytes: 2500, peer: { name: "torch.fx", bytes: 5000 } },
  ];
  expect(table(rows).replace(/ +$/gm, "")).toMatchInlineSnapshot(`
    "group    what    measured  each           target         peer (theirs / ours)
    -------  ------  --------  -------------  -------------  ----------------------
    graph    build   27 ms     27.20 µs/node  within 200 ms
    graph    verify  2.50 s                                  torch.fx 5.00 s (2.0x)
    history  held    8.1 MB    81 B/node      OVER 1.0 MB
    history  less    2.5 kB                                  torch.fx 5.0 kB (2.0x)"
  `);
});
