/**
 * @file Just enough of a WebAssembly assembler for one hand-written kernel: bytes in, bytes out. A
 * page that bundles this package would grow by 4.4 kB (gzip) with `@sconce/wasm` in its place, and
 * kernels are synchronous: they cannot wait until `import()` loads it.
 */

const unsigned = (value: number): number[] => {
  const bytes: number[] = [];
  let rest = value >>> 0;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return bytes;
};

const signed = (value: number): number[] => {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    const done = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
    bytes.push(done ? low : low | 0x80);
    if (done) return bytes;
  }
};

const I32 = 0x7f;
const V128 = 0x7b;
const text = (name: string): number[] => [...unsigned(name.length), ...[...name].map((c) => c.charCodeAt(0))];
const section = (id: number, body: readonly number[]): number[] => [id, ...unsigned(body.length), ...body];
const vector = (items: readonly (readonly number[])[]): number[] => [
  ...unsigned(items.length),
  ...items.flat(),
];

/** Instructions; each gives its encoding. Locals are by index. */
export const wasm = {
  get: (local: number) => [0x20, ...unsigned(local)],
  set: (local: number) => [0x21, ...unsigned(local)],
  tee: (local: number) => [0x22, ...unsigned(local)],
  i32: (value: number) => [0x41, ...signed(value)],
  i32Add: [0x6a],
  i32Sub: [0x6b],
  /** Runs the body again as long as it leaves a value other than zero. */
  repeat: (...body: readonly (readonly number[])[]) => [0x03, 0x40, ...body.flat(), 0x0d, 0, 0x0b],
  loadVector: (offset: number) => [0xfd, 0x00, 3, ...unsigned(offset)],
  loadSplat64: (offset: number) => [0xfd, 0x0a, 3, ...unsigned(offset)],
  storeVector: (offset: number) => [0xfd, 0x0b, 3, ...unsigned(offset)],
  f64x2Add: [0xfd, 0xf0, 0x01],
  f64x2Mul: [0xfd, 0xf2, 0x01],
} as const;

/**
 * Returns a module with a memory (exported as `memory`) and one function of i32 parameters
 * (exported as `run`).
 */
export function assemble(init: {
  readonly params: number;
  readonly i32Locals: number;
  readonly vectorLocals: number;
  readonly pages: number;
  readonly body: readonly (readonly number[])[];
}): Uint8Array<ArrayBuffer> {
  const locals = vector([
    [...unsigned(init.i32Locals), I32],
    [...unsigned(init.vectorLocals), V128],
  ]);
  const code = [...locals, ...init.body.flat(), 0x0b];
  const parameters = new Array<number[]>(init.params).fill([I32]);
  return Uint8Array.from([
    0x00,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...section(1, vector([[0x60, ...vector(parameters), 0]])),
    ...section(3, vector([[0]])),
    ...section(5, vector([[0, ...unsigned(init.pages)]])),
    ...section(
      7,
      vector([
        [...text("memory"), 2, 0],
        [...text("run"), 0, 0],
      ]),
    ),
    ...section(10, vector([[...unsigned(code.length), ...code]])),
  ]);
}
