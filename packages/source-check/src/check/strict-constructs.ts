/**
 * @file What strict mode refuses: constructs that a trace runs once and that the program does not
 * have. Each has an id, which errors, tests and documentation share.
 */
import type { Problem } from "./diagnose.js";

interface Construct {
  /** What is wrong, behind the code. */
  readonly what: string;
  /** What to write instead. */
  readonly fix: string;
}

const CONSTRUCTS = {
  "outer-write": {
    what: "changes state outside of the model, which the program does not do",
    fix: "return the value, or keep it in a buffer of the module: `this.registerBuffer(name, tensor)`",
  },
  "outer-read": {
    what: "reads state that other code changes, and the program keeps the value of the export",
    fix: "pass the value as an argument, or keep it in a `const` or a property of the module",
  },
  "iterated-mutation": {
    what: "changes the container that a loop around it iterates over",
    fix: "iterate over a copy: `for (const item of [...list])`, or collect the changes in another list",
  },
  "host-read": {
    what: "reads the values of a tensor, and the program keeps what the code does with them",
    fix: "compute with operators and choose with `torch.where` or `torch.cond`, or read the values before the export",
  },
  random: {
    what: "draws a number once, during the export",
    fix: "draw it in the program with `torch.rand` or `torch.randint`, or pass it as an argument",
  },
  clock: {
    what: "reads the time once, during the export",
    fix: "take the time before the call and pass it as an argument",
  },
  host: {
    what: "uses the host during the export, which the program does not do",
    fix: "leave it out of the model, and do it around the call of the program",
  },
  try: {
    what: "catches errors of operators, and the program has none",
    fix: "check the condition first, and call the operators outside of `try`",
  },
  using: {
    what: "enters a context manager, which the program does not have",
    fix: "call the operators outside of it; for gradients use `torch.noGrad(() => ...)`; or export with `strict: false`",
  },
  generator: {
    what: "is a generator, which runs between the steps of its caller",
    fix: "return an array of all values",
  },
  async: {
    what: "waits, and a trace does not",
    fix: "await the values before the export, and make the function synchronous",
  },
  eval: {
    what: "runs code of a text, which cannot be analyzed",
    fix: "write the code as a function",
  },
  with: {
    what: "makes names depend on the properties of an object",
    fix: "read the properties of the object by name",
  },
  arguments: {
    what: "changes with each call and hides the parameters of the program",
    fix: "declare the parameters, or `...rest`",
  },
} as const satisfies Readonly<Record<string, Construct>>;

/** The id of a construct that strict mode refuses. */
export type StrictConstruct = keyof typeof CONSTRUCTS;

/** All ids. */
export const strictConstructs = Object.keys(CONSTRUCTS) as readonly StrictConstruct[];

/** Returns what is wrong with a construct, and what to write instead. */
export function strictProblem(id: StrictConstruct, code: string): Required<Problem> {
  const { what, fix } = CONSTRUCTS[id];
  return { message: `\`${code}\` ${what}`, fix };
}
