/** @file Four float32 as pairs of float64, and calls for single lanes. */
import type { Vector, VectorWriter } from "./lines.js";

/** The first halves of each lane of two vectors. */
export const LOW_WORDS = [0, 2, 4, 6];
const LOW_HALVES = [0, 2];
const HIGH_HALF = [1, 1];

/** Returns the lanes of four float32 as two vectors of float64. */
export function promoted(w: VectorWriter, x: Vector): readonly [Vector, Vector] {
  const high = (): void => {
    x();
    x();
    w.f.shuffle(HIGH_HALF);
  };
  return [w.let(w.op("f64x2.promote_low_f32x4", x)), w.let(w.op("f64x2.promote_low_f32x4", high))];
}
export const joined =
  (w: VectorWriter, lanes: readonly number[], [a, b]: readonly [Vector, Vector]): Vector =>
  () => {
    a();
    b();
    w.f.shuffle(lanes);
  };
export const demoted = (w: VectorWriter, [a, b]: readonly [Vector, Vector]): Vector =>
  joined(w, LOW_HALVES, [w.op("f32x4.demote_f64x2_zero", a), w.op("f32x4.demote_f64x2_zero", b)]);
/** Returns the value, with that of the imported function in lanes where operands are special. */
export function unlessSpecial(
  w: VectorWriter,
  op: string,
  value: Vector,
  isSpecial: Vector,
  operands: readonly Vector[],
): Vector {
  const { f, helpers } = w;
  const result = f.local("v128");
  const special = w.let(isSpecial);
  value();
  f.set(result);
  special();
  f.op("v128.any_true").if(() => {
    for (const lane of [0, 1, 2, 3]) {
      special();
      f.lane("i32x4.extract_lane", lane).if(() => {
        f.get(result);
        for (const operand of operands) {
          operand();
          f.lane("f32x4.extract_lane", lane).op("f64.promote_f32");
        }
        f.call(helpers.host(op)).op("f32.demote_f64").lane("f32x4.replace_lane", lane).set(result);
      });
    }
  });
  return () => void f.get(result);
}
