/** @file What the recipes take: the time and the memory of reading each, in this process. */
import { Budget, isSconceError } from "@sconce/errors";
import { READ, type Recipe } from "./recipe.js";

const WARM_UP = 3;
const RUNS = 5;
const MEBI = 2 ** 20;

/** The cost of reading one changed file. */
interface Cost {
  readonly recipe: Recipe;
  readonly bytes: number;
  /** The median of some runs, in milliseconds of CPU. */
  readonly milliseconds: number;
  /** The most memory beyond what was held before, garbage included. */
  readonly memory: number;
}

const held = (): number => {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

/** Reads a file, and gives the error; undefined where there is none. */
export async function failureOf({ format }: Recipe, bytes: Uint8Array, budget?: Budget): Promise<unknown> {
  try {
    await READ[format](bytes, budget ?? new Budget(bytes.length));
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Measures one recipe in a warm process. */
async function costOf(recipe: Recipe): Promise<Cost> {
  const bytes = recipe.make();
  for (let i = 0; i < WARM_UP; i++) await failureOf(recipe, bytes);
  const times: number[] = [];
  let memory = 0;
  for (let i = 0; i < RUNS; i++) {
    const before = held();
    const start = process.cpuUsage();
    await failureOf(recipe, bytes);
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000);
    memory = Math.max(memory, held() - before);
  }
  return { recipe, bytes: bytes.length, milliseconds: times.sort((a, b) => a - b)[RUNS >> 1]!, memory };
}

/** Returns a table of the costs by format. */
export async function costTable(recipes: readonly Recipe[]): Promise<string> {
  const rows = new Map<string, Cost[]>();
  for (const recipe of recipes) {
    const { format } = recipe;
    const costs = rows.get(format) ?? [];
    rows.set(format, costs);
    costs.push(await costOf(recipe));
  }
  const most = (costs: readonly Cost[], value: (cost: Cost) => number): number =>
    Math.max(...costs.map(value));
  const lines = [...rows].map(([format, costs]) => {
    const codes = new Set(costs.map(({ recipe }) => recipe.code)).size;
    const time = most(costs, ({ milliseconds }) => milliseconds).toFixed(1);
    const memory = (most(costs, (cost) => cost.memory) / MEBI).toFixed(1);
    return `${format}: ${costs.length} recipes, ${codes} codes, at most ${time} ms and ${memory} MiB`;
  });
  return `${lines.join("\n")}\n`;
}

/** Returns whether an error is typed, with place and fix. */
export const isComplete = (error: unknown): boolean =>
  isSconceError(error) && error.code !== "INTERNAL" && Boolean(error.where) && error.fix.length > 3;
