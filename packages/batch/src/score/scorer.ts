/** @file Runs a program over the rows of a table, in batches of few sizes. */
import { isSconceError, thrownText } from "@sconce/errors";
import type { Executable, ExportedProgram, Value } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import type { BatchMap, Column, Columns, RowPlace } from "../batch-map.js";
import { badShard, mapFailed, noColumn, rowsMix, rowText } from "../errors.js";
import {
  columnRows,
  columnTensor,
  gathered,
  rowMajorBytes,
  rowsOf,
  type Table,
  tableRows,
} from "../table/columns.js";
import { type PlannedInput, type RowPlan, rowPlan } from "./row-plan.js";

/** Scores tables with one compiled program. */
export class Scorer {
  readonly #executable: Executable;
  readonly #plan: RowPlan;
  readonly #map: BatchMap;
  readonly #keep: readonly string[];
  /** Whether rows were seen not to depend on each other. */
  #isChecked = false;

  constructor(
    program: ExportedProgram,
    operators: OperatorTable,
    executable: Executable,
    batchSize: number,
    map: BatchMap,
    keep: readonly string[],
  ) {
    this.#plan = rowPlan(program, operators, batchSize);
    this.#executable = executable;
    this.#map = map;
    this.#keep = keep;
  }

  /**
   * Returns the columns to write for the rows of a shard.
   * @throws SconceError `BATCH_SHARD`, `BATCH_MAP`, `BATCH_ROWS_MIX`, and those of the run
   */
  async score(table: Table, shard: string): Promise<Table> {
    if (table.rows === 0) throw badShard("the shard has no rows", "write rows, or remove the file");
    this.#requireKept(table);
    // Values are converted once, so that lists of any length have one shape in the whole shard.
    const source = this.#map.before === undefined ? this.#converted(table) : table;
    const results: ReadonlyMap<string, Column>[] = [];
    const full = this.#plan.sizes.at(-1)!;
    for (let start = 0; start < table.rows; ) {
      const rows = Math.min(full, table.rows - start);
      results.push(
        await this.#batch(tableRows(source, start, start + rows), { shard, firstRow: start, rows }),
      );
      start += rows;
    }
    const columns = joined(results, table.rows);
    for (const name of this.#keep) {
      if (columns.has(name))
        throw badShard(
          `the kept column ${JSON.stringify(name)} is a result, too`,
          "keep it under another name",
        );
      columns.set(name, table.columns.get(name)!);
    }
    return { rows: table.rows, columns };
  }

  dispose(): void {
    this.#executable.dispose();
  }

  #requireKept({ columns }: Table): void {
    const missing = this.#keep.find((name) => !columns.has(name));
    if (missing !== undefined)
      throw badShard(
        `there is no column ${JSON.stringify(missing)}, which --keep names`,
        `keep one of: ${[...columns.keys()].join(", ")}`,
      );
  }

  #converted({ rows, columns }: Table): Table {
    const found = new Map(columns);
    for (const input of this.#plan.inputs)
      if (input.row !== undefined) found.set(input.name, rowsFor(input, columns, 0));
    return { rows, columns: found };
  }

  async #batch(table: Table, place: RowPlace): Promise<ReadonlyMap<string, Column>> {
    const { before, after } = this.#map;
    const columns = Object.fromEntries(table.columns);
    const mapped =
      before === undefined
        ? table.columns
        : await callMap("before", (part, at) => before(part, at), columns, place, this.#wholeInputs);
    const outputs = await this.#run(mapped, place);
    if (after === undefined) return outputs;
    const results = Object.fromEntries(outputs);
    return callMap(
      "after",
      (part, at) => {
        const start = at.firstRow - place.firstRow;
        const own = rowsOfAll(results, start, start + at.rows) as Readonly<Record<string, Tensor>>;
        return after(own, part, at);
      },
      columns,
      place,
      new Set(),
    );
  }

  /** Inputs that `before` may give as whole tensors. */
  get #wholeInputs(): ReadonlySet<string> {
    return new Set(
      this.#plan.inputs
        .filter(({ row }) => row === undefined)
        .flatMap(({ name, position }) => [name, position]),
    );
  }

  async #run(columns: ReadonlyMap<string, Column>, place: RowPlace): Promise<Map<string, Tensor>> {
    const { rows, firstRow } = place;
    const { inputs, outputs } = this.#plan;
    const size = this.#sizeFor(rows);
    const own = inputs.map((input) =>
      input.row === undefined ? wholeInput(input, columns) : rowsFor(input, columns, firstRow),
    );
    const values = own.map((value, i) =>
      inputs[i]!.row === undefined ? value : gathered([value as Tensor], size),
    );
    const results = await this.#runBatch(values, place);
    if (!this.#isChecked && size > 1) await this.#checkRows(values, results, size);
    // A copy: the memory of a result may serve the next run.
    return new Map(outputs.map((name, i) => [name, gathered([firstRows(results[i]!, rows)], rows)]));
  }

  /** Runs a batch; where it fails, its rows alone, to name the one that does. */
  async #runBatch(values: readonly Value[], place: RowPlace): Promise<Tensor[]> {
    const size = this.#sizeFor(place.rows);
    try {
      return this.#tensors(await this.#executable.run(values), size);
    } catch (error) {
      if (!isSconceError(error)) throw error;
      const single = this.#sizeFor(1);
      const row = await firstFailure(place.rows, (at) =>
        this.#executable.run(
          values.map((value, i) =>
            this.#plan.inputs[i]!.row === undefined
              ? value
              : gathered([columnRows(value as Tensor, at, at + 1) as Tensor], single),
          ),
        ),
      );
      throw error.at(row === undefined ? rowsText(place) : rowText(place.firstRow + row.at));
    }
  }

  #sizeFor(rows: number): number {
    return this.#plan.sizes.find((one) => one >= rows)!;
  }

  #tensors(values: readonly Value[], size: number): Tensor[] {
    return values.map((value, i) => {
      if (value instanceof Tensor && value.shape[0] === size) return value;
      throw badShard(
        `the output ${this.#plan.outputs[i]} has not one row for each of the ${size} rows of a batch`,
        "export the model with outputs along the batch dimension",
      );
    });
  }

  /**
   * Runs a batch again with its second half replaced by its first row: the first half must not
   * change by a bit. It says nothing where the rows are all equal.
   */
  async #checkRows(values: readonly Value[], results: readonly Tensor[], size: number): Promise<void> {
    const kept = Math.floor(size / 2);
    let isOther = false;
    const changed = values.map((value, i) => {
      if (this.#plan.inputs[i]!.row === undefined || !(value instanceof Tensor)) return value;
      const parts = [
        firstRows(value, kept),
        ...Array.from({ length: size - kept }, () => firstRows(value, 1)),
      ];
      const other = gathered(parts, size);
      isOther ||= !sameBytes(rowMajorBytes(other), rowMajorBytes(value));
      return other;
    });
    if (!isOther) return;
    const again = this.#tensors(await this.#executable.run(changed), size);
    results.forEach((result, i) => {
      const [before, after] = [rowMajorBytes(result), rowMajorBytes(again[i]!)];
      const rowBytes = before.length / size;
      for (let row = 0; row < kept; row++) {
        const part = [row * rowBytes, (row + 1) * rowBytes] as const;
        if (!sameBytes(before.subarray(...part), after.subarray(...part)))
          throw rowsMix(this.#plan.outputs[i]!, row);
      }
    });
    this.#isChecked = true;
  }
}

const firstRows = (tensor: Tensor, rows: number): Tensor => columnRows(tensor, 0, rows) as Tensor;

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

function rowsFor(input: PlannedInput, columns: ReadonlyMap<string, Column>, firstRow: number): Tensor {
  const column = columns.get(input.name) ?? columns.get(input.position);
  if (column === undefined) throw noColumn(input.name, input.position, input.type, [...columns.keys()]);
  return columnTensor(input.name, column, input.dtype!, input.row!, firstRow);
}

function wholeInput(
  { name, position, type, constant }: PlannedInput,
  columns: ReadonlyMap<string, Column>,
): Value {
  const given = columns.get(name) ?? columns.get(position);
  if (given instanceof Tensor) return given;
  if (constant !== undefined) return constant;
  throw badShard(
    `the input ${name} (${type}) is not along the batch dimension, and nothing gives its value`,
    `return a tensor ${name} from \`before\` of --map`,
  );
}

function rowsOfAll(columns: Columns, start: number, end: number): Columns {
  return Object.fromEntries(
    tableRows({ rows: 0, columns: new Map(Object.entries(columns)) }, start, end).columns,
  );
}

type MapCall = (columns: Columns, place: RowPlace) => Columns | Promise<Columns>;

/** Calls a function of a map, and for single rows when it throws. */
async function callMap(
  name: "before" | "after",
  call: MapCall,
  columns: Columns,
  place: RowPlace,
  whole: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Column>> {
  let returned: unknown;
  try {
    returned = await call(columns, place);
  } catch (error) {
    const row = await firstFailure(place.rows, (at) =>
      call(rowsOfAll(columns, at, at + 1), { ...place, firstRow: place.firstRow + at, rows: 1 }),
    );
    const where = row === undefined ? rowsText(place) : rowText(place.firstRow + row.at);
    throw mapFailed(name, `throws: ${thrownText(row?.error ?? error)}`, where, row?.error ?? error);
  }
  const problem = columnsProblem(returned, place, whole);
  if (problem !== undefined) throw mapFailed(name, problem, rowsText(place));
  return new Map(Object.entries(returned as Columns));
}

/** Returns the first row for which a call fails alone, with its error. */
async function firstFailure(
  rows: number,
  call: (row: number) => unknown,
): Promise<{ readonly at: number; readonly error: unknown } | undefined> {
  for (let at = 0; at < rows; at++) {
    try {
      await call(at);
    } catch (error) {
      return { at, error };
    }
  }
  return undefined;
}

const rowsText = ({ firstRow, rows }: RowPlace): string =>
  rows === 1 ? rowText(firstRow) : `rows ${firstRow} to ${firstRow + rows - 1}`;

/** Returns what is wrong with the columns that a map returns. */
function columnsProblem(returned: unknown, place: RowPlace, whole: ReadonlySet<string>): string | undefined {
  if (
    typeof returned !== "object" ||
    returned === null ||
    Array.isArray(returned) ||
    returned instanceof Tensor
  )
    return "returns no object of columns";
  for (const [name, value] of Object.entries(returned as Columns)) {
    const shown = JSON.stringify(name);
    if (!(value instanceof Tensor || Array.isArray(value)))
      return `returns a column ${shown} that is not a tensor or an array`;
    const rows = rowsOf(value);
    if (rows !== place.rows && !whole.has(name))
      return `returns a column ${shown} of ${rows ?? "no"} rows, and there are ${place.rows}`;
  }
  return undefined;
}

/** Joins the columns of all batches. */
function joined(batches: readonly ReadonlyMap<string, Column>[], rows: number): Map<string, Column> {
  const [first] = batches;
  const found = new Map<string, Column>();
  for (const name of first!.keys()) {
    const parts = batches.map((batch) => batch.get(name));
    found.set(name, joinedColumn(name, parts, rows));
  }
  return found;
}

function joinedColumn(name: string, parts: readonly (Column | undefined)[], rows: number): Column {
  const [first] = parts;
  const other = parts.findIndex((part) => columnText(part) !== columnText(first));
  if (other >= 0)
    throw badShard(
      `the column ${JSON.stringify(name)} differs between batches: ${columnText(first)}, then ${columnText(parts[other])}`,
      "give rows of one size, or pad the results in `after` of --map",
    );
  if (first instanceof Tensor) return gathered(parts as readonly Tensor[], rows);
  return parts.flatMap((part) => [...(part as readonly unknown[])]);
}

const columnText = (column: Column | undefined): string =>
  column instanceof Tensor
    ? `${column.dtype}[${["rows", ...column.shape.slice(1)].join(", ")}]`
    : column === undefined
      ? "none"
      : "values";
