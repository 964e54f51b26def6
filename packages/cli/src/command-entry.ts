/** @file What a command is made of. */
import type { Command } from "commander";
import type { Outcome, SafeIo } from "./io.js";

/** Adds arguments, options and the action of a command; `entries` are all commands. */
export type Declare = (
  command: Command,
  io: SafeIo,
  outcome: Outcome,
  entries: readonly CommandEntry[],
) => void;

/** One command. */
export interface CommandEntry {
  readonly name: string;
  readonly description: string;
  /** Calls of the command, as the help shows them. */
  readonly examples: readonly string[];
  /** Imports what declares it; its action imports what it runs. */
  readonly load: () => Promise<Declare>;
}
