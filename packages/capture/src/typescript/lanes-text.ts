/** @file Regions of `vmap`, which a generic `associativeScan` records, as functions of one item. */
import { scriptString } from "@sconce/errors";
import { FakeTensor, type Node } from "@sconce/ir";
import { ADD_LANES, isLaneResult } from "@sconce/ops";
import { notWritable } from "./errors.js";
import type { FlowBody } from "./flow-body.js";

/** The statements of a graph that has regions. */
export interface LanesBody extends FlowBody {
  readonly lines: string[];
  /** The variables that count the items of the regions around, outermost first. */
  readonly lanes: readonly string[];
  /** Writes calls. */
  statements(nodes: readonly Node[]): void;
  /** Begins the body of a function for one item. */
  ofLane(lane: string): LanesBody;
}

/** Writes a region: its results are the rows of each item, put behind each other. */
export function lanesText(body: LanesBody, begin: Node, region: readonly Node[]): void {
  const results = region
    .filter((node) => isLaneResult(node, body.lanes.length + 1))
    .filter(({ name }) => body.graph.users(name).length > 0);
  if (results.length === 0) return;
  const [count] = begin.args;
  if (typeof count !== "number")
    throw notWritable("a batch of a dynamic size", begin.name, "make the size along the dimension static");
  body.file.differ("batched-scan", begin.name);
  const { names, use } = body.file;
  const torch = use("torch");
  if (count === 0) {
    for (const node of results) body.declare(node, emptyText(torch, node));
    return;
  }
  const [rows, lane] = [names.take("rows"), names.take("lane")];
  const inner = body.ofLane(lane);
  inner.statements(region);
  const items = results.map(({ name, args }) => inner.text(args[0]!, name));
  body.lines.push(
    `${body.indent}const ${rows} = Array.from({ length: ${count} }, (_, ${lane}) => {`,
    ...inner.lines,
    `${inner.indent}return [${items.join(", ")}] as const;`,
    `${body.indent}});`,
  );
  results.forEach((node, i) => {
    body.declare(node, `${torch}.stack(${rows}.map((row) => row[${i}]), ${Number(node.args[3])})`);
  });
}

/** Returns a result of no items. */
function emptyText(torch: string, { name, meta: { val } }: Node): string {
  if (!(val instanceof FakeTensor) || val.shape.some((size) => typeof size !== "number"))
    throw notWritable("an empty batch", name, "run the pass `dce` first");
  return `${torch}.empty([${val.shape.join(", ")}], { dtype: ${scriptString(val.dtype)} })`;
}

/** Writes a call inside of a region: the item of a batch. */
export function laneCallText(body: LanesBody, node: Node): void {
  const { target, name, args } = node;
  if (target !== ADD_LANES) return;
  const [batch, dim, level] = args;
  const lane = body.lanes[Number(level) - 1];
  if (lane === undefined) throw notWritable(`the call of ${target}`, name, "check the program with `verify`");
  body.declare(node, `${body.text(batch!, name)}.select(${body.text(dim!, name)}, ${lane})`);
}
