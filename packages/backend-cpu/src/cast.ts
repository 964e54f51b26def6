import { SconceError } from "@sconce/errors";
import { type DType, type DTypeKind, dtypeInfo } from "@sconce/tensor";

const ORDER: readonly DTypeKind[] = ["bool", "int", "float", "complex"];
const NAMES: Readonly<Partial<Record<DType, string>>> = {
  float64: "Double", float32: "Float", float16: "Half", bfloat16: "BFloat16", int64: "Long", int32: "Int", int16: "Short",
  int8: "Char", uint8: "Byte", bool: "Bool", complex64: "ComplexFloat", complex128: "ComplexDouble",
};

/**
 * Refuses what no in-place operator may store: a result of a higher kind (bool < int < float < complex) than its place.
 * @throws SconceError `DTYPE_MISMATCH`
 */
export function checkCast(result: DType, place: DType): void {
  if (ORDER.indexOf(dtypeInfo(result).kind) <= ORDER.indexOf(dtypeInfo(place).kind)) return;
  throw new SconceError({
    code: "DTYPE_MISMATCH",
    message: `result type ${NAMES[result] ?? result} can't be cast to the desired output type ${NAMES[place] ?? place}`,
  });
}
