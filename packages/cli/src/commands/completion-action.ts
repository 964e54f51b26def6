/** @file Scripts that complete the command in shells. */
import type { CommandEntry } from "../command-entry.js";
import type { SafeIo } from "../io.js";
import type { SHELLS } from "../shared-options.js";
import { bashScript } from "./completion-bash.js";
import { fishScript } from "./completion-fish.js";
import { completedCommands } from "./completion-words.js";
import { zshScript } from "./completion-zsh.js";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export async function completion(
  shell: (typeof SHELLS)[number],
  entries: readonly CommandEntry[],
  io: SafeIo,
): Promise<void> {
  io.exact(SCRIPTS[shell](await completedCommands(entries, io)));
}
