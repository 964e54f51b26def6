/** @file Errors of passes that are repeated and never converge. */
import { countText, SconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import type { Repeat } from "../pass/pass.js";

/** A pass that changed the program in a round. */
export interface RoundChange {
  /** The name of the pass. */
  readonly pass: string;
  /** The plugin that the pass comes from. */
  readonly plugin?: string | undefined;
  /** How often each rewrite rule fired. */
  readonly fired: ReadonlyMap<string, number>;
  /** The pass gave another object for a program in which nothing changed. */
  readonly isSame: boolean;
  /** The first node that the pass changed, removed or inserted, with the user's line. */
  readonly where?: string | undefined;
}

/** Passes that are repeated and never converge. */
export class NoFixpoint extends SconceError {
  /** The passes that changed the program in the last round, in order. */
  readonly changes: readonly RoundChange[];
  /** The part of the pipeline that was repeated. */
  readonly repeat: Repeat;
  /** The program before the first round. */
  readonly program: ExportedProgram;

  constructor(why: string, fix: string, changes: readonly RoundChange[], start: Start) {
    super({
      code: "NO_FIXPOINT",
      message: `${why}: ${changes.map(changeText).join(", ")}`,
      where: changes.find(({ where }) => where !== undefined)?.where,
      fix,
    });
    this.changes = changes;
    this.repeat = start.repeat;
    this.program = start.program;
  }
}

/** Where a repetition began. */
export interface Start {
  readonly repeat: Repeat;
  readonly program: ExportedProgram;
}

/** The last round of a repetition, counted from 1, with its changes. */
interface LastRound {
  readonly round: number;
  readonly changes: readonly RoundChange[];
  readonly start: Start;
}

const UNDO = "look for passes or rules that undo each other";

/** Returns the error for a pass that returns another object for the program that it was given. */
export const otherObject = ({ round, changes, start }: LastRound): NoFixpoint =>
  new NoFixpoint(
    `round ${round} gives another object for the same program`,
    "return the program that the pass was given when nothing changed",
    changes,
    start,
  );

/** Returns the error for a round that leads back to the program of an earlier one. */
export const earlierProgram = ({ round, changes, start }: LastRound): NoFixpoint =>
  new NoFixpoint(`round ${round} leads back to an earlier program`, UNDO, changes, start);

/** Returns the error for a program that grows in `rounds` rounds in a row, to `size` nodes. */
export const keepsGrowing = ({ changes, start }: LastRound, rounds: number, size: number): NoFixpoint =>
  new NoFixpoint(
    `the program grows in each of ${rounds} rounds, to ${countText(size, "node")}`,
    UNDO,
    changes,
    start,
  );

/** Returns the error for a program that the last allowed round still changes. */
export const stillChanges = ({ round, changes, start }: LastRound): NoFixpoint =>
  new NoFixpoint(
    `the program still changes in round ${round}`,
    `${UNDO}, or allow more rounds`,
    changes,
    start,
  );

function changeText({ pass, plugin, fired }: RoundChange): string {
  const label = plugin === undefined ? `"${pass}"` : `"${pass}" of plugin "${plugin}"`;
  const rules = [...fired].map(([rule, count]) => `${rule} ${count}x`);
  return rules.length === 0 ? label : `${label} (${rules.join(", ")})`;
}
