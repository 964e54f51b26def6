/**
 * @file Options on reading files that all commands share: `--limit`, which bounds the work of
 * reading and the memory of runs, and `--model`.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { didYouMean, isSconceError, type Limits, type SconceError, type WorkOptions } from "@sconce/errors";
import { otherModel, outOfMemory, overLimit, usage } from "./errors.js";
import { LIMIT_NAMES, type LimitName } from "./shared-options.js";

/** The limits of a command. */
export interface CommandLimits {
  /** Bounds on reading each file. */
  readonly limits?: Limits;
  /** Most bytes that the values of a run may take. */
  readonly maxBytes?: number;
}

const current = new AsyncLocalStorage<{ limits: CommandLimits; model?: string }>();

/** Runs a command, whose limits {@link setLimits} sets. */
export const withLimits = <T>(action: () => Promise<T>): Promise<T> => current.run({ limits: {} }, action);

/** Returns the limits of the command that runs. */
export const commandLimits = (): CommandLimits => current.getStore()?.limits ?? {};

/** Returns the bounds as readers take them. */
export const commandWork = (): Pick<WorkOptions, "limits"> => ({ limits: commandLimits().limits });

/** Returns the program that `--model` chooses in archives; undefined without the option. */
export const commandModel = (): string | undefined => current.getStore()?.model;

/** Sets the program that archives are read for. */
export function setModel(name: string | undefined): void {
  const store = current.getStore();
  if (store !== undefined && name !== undefined) store.model = name;
}

/** Sets the limits from the values of `--limit`. @throws SconceError `USAGE` */
export function setLimits(texts: readonly string[]): void {
  const store = current.getStore();
  if (store === undefined) return;
  const given = new Map(texts.map(parseLimit));
  const maxBytes = given.get("memory");
  given.delete("memory");
  store.limits = { limits: Object.fromEntries(given), ...(maxBytes !== undefined && { maxBytes }) };
}

function parseLimit(text: string): readonly [name: LimitName, value: number] {
  const [name = "", ...rest] = text.split("=");
  const value = rest.join("=");
  const known = LIMIT_NAMES.find((one) => one === name);
  if (known === undefined)
    throw usage(
      `--limit: unknown limit ${JSON.stringify(name)}`,
      didYouMean(name, LIMIT_NAMES, `use one of: ${LIMIT_NAMES.join(", ")}`),
    );
  const number = /^\d[\d_]*$/.test(value) ? Number(value.replaceAll("_", "")) : Number.NaN;
  if (!Number.isSafeInteger(number) || number === 0)
    throw usage(
      `--limit ${name}: ${JSON.stringify(value)} is not a positive integer`,
      `give ${name}=1000000`,
    );
  return [known, number];
}

/** Returns an error of a reader, with a fix for the command where one of its options helps. */
export function withCommandFix(error: SconceError): SconceError {
  if (error.code === "PT2_NO_MODEL") return otherModel(error);
  if (!isSconceError(error, "BUDGET_EXCEEDED") && !isSconceError(error, "ZIP_BOMB")) return error;
  const [, name, limit] = /`limits\.(\w+)` \(now (\d+)\)/.exec(error.fix ?? "") ?? [];
  return name === undefined || limit === undefined ? error : overLimit(error, name, Number(limit));
}

/** Returns what a command throws, with a fix for the command where a run is over its memory. */
export async function withMemoryFix(error: unknown): Promise<unknown> {
  if (!isSconceError(error, "OUT_OF_MEMORY")) return error;
  // Loaded here only: most commands that fail need no tensors.
  const maxBytes = commandLimits().maxBytes ?? (await import("@sconce/tensor")).DEFAULT_MAX_BYTES;
  return outOfMemory(error, maxBytes);
}
