/** @file `sconce placement`: where calls would run on several backends, and what they cost. */
import { type PlacementRow, type PlacementTable, placementTable } from "@sconce/codegen";
import { amount, countText } from "@sconce/errors";
import { usage } from "../errors.js";
import { json, type SafeIo } from "../io.js";
import { openProgram } from "../open.js";
import { openSession } from "../session.js";
import { columns, linesText } from "../text.js";

export interface PlacementOptions {
  readonly backends?: string;
  readonly by: "node" | "operator";
  readonly lower?: boolean;
  readonly json?: boolean;
  readonly plugin?: readonly string[];
}

export async function placement(file: string, options: PlacementOptions, io: SafeIo): Promise<void> {
  const names = options.backends?.split(",").map((name) => name.trim());
  if (names?.includes("") || names?.length === 0)
    throw usage(
      `--backends takes names, got ${JSON.stringify(options.backends)}`,
      "write --backends wasm,cpu",
    );
  const session = await openSession(io, options.plugin, names ?? [], [file]);
  const loaded = await openProgram(file, session, { weights: "lazy" });
  const program = options.lower === true ? session.runDecompositions(loaded) : loaded;
  const chosen = new Set(names ?? [...session.backends.keys()].filter((name) => name !== "auto"));
  const table = placementTable(
    program,
    [...chosen].map((name) => session.backend(name)),
    session,
  );
  const totals = totalsOf(table);
  if (options.by === "operator") {
    const operators = byOperator(table);
    if (options.json)
      io.out(json({ file, backends: table.backends, operators, totals, assumed: table.assumed }));
    else io.out(textOf(operatorRows(operators, table), table, totals));
  } else if (options.json) io.out(json({ file, ...table, totals }));
  else io.out(textOf(nodeRows(table), table, totals));
}

/** What of a program a backend computes itself. */
interface Total {
  readonly device: number;
  readonly host: number;
  readonly none: number;
  /** Cost of the calls on the device; calls of unknown cost are left out. */
  readonly flops: number;
  readonly bytes: number;
}

function totalsOf({ backends, rows }: PlacementTable): Record<string, Total> {
  return Object.fromEntries(
    backends.map((name) => {
      const at = (place: string): PlacementRow[] => rows.filter((row) => row.places[name]!.place === place);
      const device = at("device");
      return [
        name,
        { device: device.length, host: at("host").length, none: at("none").length, ...costOfRows(device) },
      ];
    }),
  );
}

const costOfRows = (rows: readonly PlacementRow[]): { flops: number; bytes: number } => ({
  flops: rows.reduce((sum, { cost }) => sum + ("flops" in cost ? cost.flops : 0), 0),
  bytes: rows.reduce((sum, { cost }) => sum + ("bytes" in cost ? cost.bytes : 0), 0),
});

/** The calls of one operator. */
interface OperatorRow {
  readonly target: string;
  readonly calls: number;
  readonly flops: number;
  readonly bytes: number;
  /** How many of the calls have an unknown cost. */
  readonly unknownCost: number;
  readonly places: Readonly<Record<string, OperatorPlaces>>;
}

interface OperatorPlaces {
  readonly device: number;
  readonly host: number;
  readonly none: number;
  /** Why calls are not on the device, each reason once. */
  readonly reasons: readonly string[];
}

function byOperator({ backends, rows }: PlacementTable): OperatorRow[] {
  const groups = new Map<string, PlacementRow[]>();
  for (const row of rows) {
    const group = groups.get(row.target);
    if (group === undefined) groups.set(row.target, [row]);
    else group.push(row);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([target, calls]) => ({
      target,
      calls: calls.length,
      ...costOfRows(calls),
      unknownCost: calls.filter(({ cost }) => "reason" in cost).length,
      places: Object.fromEntries(
        backends.map((name) => {
          const places = calls.map((row) => row.places[name]!);
          const count = (place: string): number => places.filter((one) => one.place === place).length;
          const reasons = [...new Set(places.flatMap(({ reason }) => reason ?? []))];
          return [name, { device: count("device"), host: count("host"), none: count("none"), reasons }];
        }),
      ),
    }));
}

/** Rows of a table, and the reasons that its fields refer to. */
interface Rows {
  readonly lines: readonly string[];
  readonly notes: ReadonlyMap<string, number>;
}

/** Returns the number of a reason: `[2]`. */
function noted(notes: Map<string, number>, reason: string): string {
  if (!notes.has(reason)) notes.set(reason, notes.size + 1);
  return `[${notes.get(reason)}]`;
}

const WORDS = { device: "yes", host: "host", none: "no" } as const;

function nodeRows({ backends, rows }: PlacementTable): Rows {
  const notes = new Map<string, number>();
  const fields = rows.map(({ node, graph, target, type, cost, places }) => [
    graph === undefined ? node : `${graph}.${node}`,
    target,
    type,
    ...("flops" in cost ? [amount(cost.flops, "flop"), amount(cost.bytes, "B")] : ["-", "-"]),
    ...backends.map((name) => {
      const { place, reason } = places[name]!;
      return reason === undefined ? WORDS[place] : `${WORDS[place]} ${noted(notes, reason)}`;
    }),
  ]);
  const head = ["node", "operator", "type", "flop", "bytes", ...backends];
  return { lines: columns([head, ...fields], (column) => column === 3 || column === 4), notes };
}

function operatorRows(operators: readonly OperatorRow[], { backends }: PlacementTable): Rows {
  const notes = new Map<string, number>();
  const fields = operators.map(({ target, calls, flops, bytes, unknownCost, places }) => [
    target,
    String(calls),
    ...(unknownCost === calls ? ["-", "-"] : [amount(flops, "flop"), amount(bytes, "B")]),
    ...backends.map((name) => {
      const { reasons, ...counts } = places[name]!;
      const parts = (["device", "host", "none"] as const)
        .filter((place) => counts[place] > 0)
        .map((place) => `${WORDS[place]}${counts[place] === calls ? "" : ` ${counts[place]}`}`);
      return [parts.join(", "), ...reasons.map((reason) => noted(notes, reason))].join(" ");
    }),
  ]);
  const head = ["operator", "calls", "flop", "bytes", ...backends];
  return { lines: columns([head, ...fields], (column) => column > 0 && column < 4), notes };
}

function textOf({ lines, notes }: Rows, table: PlacementTable, totals: Record<string, Total>): string {
  const { rows, assumed } = table;
  const whole = costOfRows(rows);
  const share = (part: number, of: number): string => `${of === 0 ? 100 : Math.round((100 * part) / of)} %`;
  const sizes = Object.entries(assumed).map(([name, value]) => `${name}=${value}`);
  return linesText([
    ...lines,
    ...[...notes].map(([reason, number]) => `[${number}] ${reason}`),
    ...Object.entries(totals).map(([name, { device, none, flops, bytes }]) => {
      const refused = none === 0 ? "" : `; refuses the program because of ${countText(none, "call")}`;
      return `${name}: ${device} of ${countText(rows.length, "call")}, ${share(flops, whole.flops)} of the flop, ${share(bytes, whole.bytes)} of the bytes${refused}`;
    }),
    ...(sizes.length === 0 ? [] : [`costs are for assumed sizes: ${sizes.join(", ")}`]),
  ]);
}
