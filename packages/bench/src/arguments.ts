import { type ParseArgsConfig, parseArgs } from "node:util";

/** Options from the command line; a bad one ends the process with code 2 and the usage. */
export function readArguments<const T extends NonNullable<ParseArgsConfig["options"]>>(
  options: T,
  usage: string,
): ReturnType<typeof parseArgs<{ options: T }>>["values"] {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return refuse((error as Error).message, usage);
  }
}

/** Reports what is wrong, and how the command is used. */
export function refuse(message: string, usage: string): never {
  console.error(`error USAGE: ${message}\n${usage}`);
  process.exit(2);
}
