import { expect, test } from "vitest";
import { describeLayer, exportLayer, type LayerCase, layerInBothModes } from "./layer-cases.fixture.js";

/** Sconce's codes for PyTorch's errors: `aten.ctc_loss.Tensor` is refused. */
const REFUSALS: Readonly<Record<string, string>> = {
  DynamicOutputShapeException: "UNSUPPORTED_OPERATOR",
  GuardOnDataDependentSymNode: "DATA_DEPENDENT_GUARD",
};

const nameBefore = (line: string): string => line.split(":")[0]!;

/** Tests that layers have PyTorch's text, state and calls. */
export function compareLayers(cases: readonly LayerCase[]): void {
  const named = cases.map((one) => [`${one.layer} of ${JSON.stringify(one.inputs)}`, one] as const);
  test.each(named)("%s has PyTorch's text, state and first values", (_, one) => {
    const { text, state } = describeLayer(one);
    expect({ text, state }).toEqual({ text: one.text, state: one.state });
  });

  const called = named.filter(([, { train }]) => train !== undefined);
  test.each(called)("%s records PyTorch's calls", (_, one) => {
    const wanted = [one.train!, one.eval ?? one.train!];
    const got = [exportLayer(one, true), exportLayer(one, false)];
    // Where PyTorch refuses, one line says why.
    if (wanted[0]!.length > 1) return expect(got).toEqual(wanted);
    const code = REFUSALS[nameBefore(wanted[0]![0]!)];
    expect(got.map(([line]) => nameBefore(line!))).toEqual([code, code]);
  });

  const accepted = called.filter(([, { train }]) => train!.length > 1);
  test.each(accepted)("%s has the same operators in strict mode, which follows it [S-005]", (_, one) => {
    const { plain, strict, unchecked } = layerInBothModes(one);
    expect(unchecked).toEqual([]);
    expect(strict).toEqual(plain);
  });
}
