/** @file Another program of the session, whose weights no other program may show or change. */
import type { Executable } from "@sconce/ir";
import type { Sconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";

/** Bits that no program computes from the inputs that it is given. */
const SECRET = 0x5ec2_e75e;
const COUNT = 4096;
const secret = new Float32Array(Uint32Array.of(SECRET).buffer)[0]!;

const TEXT = `sconce-ir 1
program "ATEN" {
  parameter "w": f32[${COUNT}]
  input %p: PARAMETER "w"
  input %x: USER_INPUT
  output %y: USER_OUTPUT
}
graph(%p: f32[${COUNT}], %x: f32[${COUNT}]) {
  %y: f32[${COUNT}] = aten.mul.Tensor(%p, %x)
  return (%y)
}`;

/** A program whose weights are secret, compiled by a backend. */
export class SecretHolder {
  readonly #executable: Executable;

  private constructor(executable: Executable) {
    this.#executable = executable;
  }

  static async on(session: Sconce, backend: string): Promise<SecretHolder> {
    const weight = Tensor.fromData(new Float32Array(COUNT).fill(secret), "float32", [COUNT]);
    const program = session.parseIr(TEXT, { tensors: new Map([["w", weight]]) });
    return new SecretHolder(await session.compile(program, backend));
  }

  /** Runs it, and frees its result. Returns what has become of its bits; undefined for nothing. */
  async problem(): Promise<string | undefined> {
    const ones = Tensor.fromData(new Float32Array(COUNT).fill(1), "float32", [COUNT]);
    try {
      const [result] = (await this.#executable.run([ones])) as Tensor[];
      const words = wordsOf(result!);
      const isWhole = words.length === COUNT && words.every((word) => word === SECRET);
      result!.dispose();
      return isWhole ? undefined : "has other bits";
    } catch (error) {
      return `fails: ${String(error)}`;
    }
  }

  dispose(): void {
    this.#executable.dispose();
  }
}

/** Returns whether a result has the secret bits in it. */
export const showsSecret = (result: Tensor): boolean =>
  result.dtype === "float32" && wordsOf(result).includes(SECRET);

function wordsOf({ storage: { bytes } }: Tensor): Uint32Array {
  const { buffer, byteOffset, byteLength } = bytes;
  return new Uint32Array(buffer, byteOffset, byteLength >> 2);
}
