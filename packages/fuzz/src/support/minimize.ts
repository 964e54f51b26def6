/** @file Makes a failing input smaller while it fails in the same way. */

/** Attempts that reducing one input may take. */
const MOST_ATTEMPTS = 3000;

/**
 * Removes parts of an input, large ones first, as long as it fails. Bytes that cannot be removed
 * become zero.
 */
export async function minimize<Input extends string | Uint8Array>(
  input: Input,
  fails: (smaller: Input) => Promise<boolean>,
): Promise<Input> {
  let smallest = input;
  let attempts = 0;
  const accept = async (smaller: Input): Promise<boolean> => {
    if (attempts++ >= MOST_ATTEMPTS || !(await fails(smaller))) return false;
    smallest = smaller;
    return true;
  };
  for (let size = input.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at < smallest.length && attempts < MOST_ATTEMPTS; ) {
      if (!(await accept(without(smallest, at, at + size)))) at += size;
    }
  }
  if (typeof smallest === "string") return smallest;
  for (let at = 0; at < smallest.length && attempts < MOST_ATTEMPTS; at++) {
    const bytes = smallest as Uint8Array;
    if (bytes[at] !== 0) await accept(bytes.map((byte, i) => (i === at ? 0 : byte)) as Input);
  }
  return smallest;
}

function without<Input extends string | Uint8Array>(input: Input, from: number, to: number): Input {
  if (typeof input === "string") return (input.slice(0, from) + input.slice(to)) as Input;
  const rest = new Uint8Array(input.length - Math.min(to, input.length) + from);
  rest.set(input.subarray(0, from));
  rest.set(input.subarray(to), from);
  return rest as Input;
}
