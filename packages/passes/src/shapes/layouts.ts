/** @file Recorded strides and offsets beside those that the operators' shape rules give. */
import { FakeTensor, type MetaValue, symContiguousStrides } from "@sconce/ir";
import { eq, type IntLike, mul, type ShapeEnv, symEquals } from "@sconce/symbolic";

/** How a recorded layout relates to the one that the rule gives. */
export type LayoutVerdict =
  /** The same wherever an element is addressed. */
  | "same"
  /**
   * Another one that is not a mistake: one that kernels of PyTorch may choose, one that only the
   * sizes of a run decide, the row-major one, which a text has that states none, and the offset 0,
   * which PyTorch 2.6 records of the parts of a split.
   */
  | "other"
  /** One that the call never gives. */
  | "wrong";

/**
 * Operators whose kernels choose the order of their results in memory: by the build of PyTorch and
 * by the processor, which rules do not know.
 */
const CHOOSES_ORDER =
  /^aten\.(_?convolution(_overrideable)?|conv(_transpose)?[123]d|mkldnn_convolution|_slow_conv2d_forward|thnn_conv2d|slow_conv3d(_forward)?)\./;

/** Its result has the offset of what it replaces, or none, by the storage behind that. */
const CHOOSES_OFFSET = "aten.copy.default";

/** Compares the layout that a call records with the one that its rule gives. */
export function layoutVerdict(
  recorded: FakeTensor,
  computed: FakeTensor,
  target: string,
  env: ShapeEnv,
): LayoutVerdict {
  if (recorded.layout !== "strided" || recorded.strides.length !== computed.strides.length) return "same";
  // Elements that do not exist have no place.
  if (recorded.shape.includes(0)) return "same";
  let verdict = equality(recorded.storageOffset, computed.storageOffset, env);
  if (verdict === "wrong" && (recorded.storageOffset === 0 || target === CHOOSES_OFFSET)) verdict = "other";
  recorded.shape.forEach((size, d) => {
    // The stride of a single element is never multiplied.
    if (size === 1 || verdict === "wrong") return;
    const one = equality(recorded.strides[d]!, computed.strides[d]!, env);
    if (one !== "same") verdict = one;
  });
  if (verdict !== "wrong" || isRowMajor(recorded)) return verdict === "wrong" ? "other" : verdict;
  const isFree = CHOOSES_ORDER.test(target) || recorded.device.type !== "cpu";
  return isFree && [recorded, computed].every((tensor) => isDense(tensor, env)) ? "other" : "wrong";
}

/**
 * Returns whether a layout is what is recorded of a tensor where nothing states one, as in text by
 * hand.
 */
export function isRowMajor({ shape, strides, storageOffset }: FakeTensor): boolean {
  if (storageOffset !== 0) return false;
  return symContiguousStrides(shape).every((stride, d) => symEquals(stride, strides[d]!));
}

function equality(a: IntLike, b: IntLike, env: ShapeEnv): LayoutVerdict {
  if (a === b || symEquals(a, b)) return "same";
  if (typeof a === "number" && typeof b === "number") return "wrong";
  const known = env.staticallyKnown(eq(a, b));
  if (known === undefined) return "other";
  return known ? "same" : "wrong";
}

/**
 * Returns whether the elements fill their memory from its start, in any order of the dimensions.
 * Strides that are not numbers pass: their order is that of a run.
 */
function isDense({ shape, strides, storageOffset }: FakeTensor, env: ShapeEnv): boolean {
  if (storageOffset !== 0) return false;
  if (strides.some((stride) => typeof stride !== "number")) return true;
  const dims = shape.map((_, d) => d).filter((d) => shape[d] !== 1);
  dims.sort((a, b) => Number(strides[a]) - Number(strides[b]));
  let step: IntLike = 1;
  for (const d of dims) {
    if (equality(strides[d]!, step, env) === "wrong") return false;
    step = mul(step, shape[d]!);
  }
  return true;
}

/** `strides [4, 1] and offset 2`. */
export const layoutText = ({ strides, storageOffset }: FakeTensor): string =>
  `strides [${strides.join(", ")}] and offset ${String(storageOffset)}`;

/** Returns the recorded value, with the strides and offsets of the computed one. */
export function withLayoutsOf(recorded: MetaValue, computed: MetaValue): MetaValue {
  if (recorded instanceof FakeTensor && computed instanceof FakeTensor) {
    const { strides, storageOffset } = computed;
    if (recorded.ndim !== computed.ndim || hasLayout(recorded, computed)) return recorded;
    return new FakeTensor({ ...recorded, strides, storageOffset });
  }
  if (!Array.isArray(recorded) || !Array.isArray(computed)) return recorded;
  const items = (recorded as readonly MetaValue[]).map((item, i) =>
    withLayoutsOf(item, (computed as readonly MetaValue[])[i] ?? null),
  );
  return items.every((item, i) => item === recorded[i]) ? recorded : items;
}

const hasLayout = (a: FakeTensor, b: FakeTensor): boolean =>
  symEquals(a.storageOffset, b.storageOffset) &&
  a.strides.every((stride, d) => symEquals(stride, b.strides[d]!));
