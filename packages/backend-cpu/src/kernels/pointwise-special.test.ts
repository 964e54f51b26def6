import { describe, expect, test } from "vitest";
import {
  besselI0,
  besselI1,
  digamma,
  erf,
  erfc,
  erfcx,
  erfinv,
  erfSingle,
  lgamma,
  logNdtr,
  ndtri,
  polygamma,
  zeta,
} from "./pointwise-special.js";

/** Relative closeness; values from 50-digit arithmetic. */
function expectClose(got: number, want: number, tolerance = 5e-15): void {
  expect(Math.abs(got - want)).toBeLessThanOrEqual(tolerance * Math.abs(want));
}

describe("special functions", () => {
  test("erf and its complement", () => {
    expectClose(erf(1e-10), 1.1283791670955126e-10, 2e-14);
    expectClose(erf(0.3), 0.32862675945912745, 2e-14);
    expectClose(erf(0.99), 0.8385080695553698, 2e-14);
    expectClose(erf(1.01), 0.8468104962282766, 2e-14);
    expectClose(erf(3.5), 0.9999992569016276, 2e-14);
    expectClose(erfc(0.4), 0.5716076449533315, 2e-14);
    expectClose(erfc(2), 0.004677734981047266, 2e-14);
    expectClose(erfc(10), 2.088487583762545e-45, 2e-14);
    expectClose(erfc(8), 1.1224297172982926e-29, 2e-14);
    expectClose(erfc(-3), 1.9999779095030015, 2e-14);
  });

  test("erfc scaled far out", () => {
    expectClose(erfcx(0.5), 0.6156903441929259, 2e-14);
    expectClose(erfcx(5), 0.11070463773306863, 2e-14);
    expectClose(erfcx(100), 0.005641613782989433, 2e-14);
    expectClose(erfcx(1000000000), 5.641895835477563e-10, 2e-14);
  });

  test("the inverse of erf", () => {
    expectClose(erfinv(1e-12), 8.86226925452758e-13);
    expectClose(erfinv(0.1), 0.08885599049425769);
    expectClose(erfinv(-0.5), -0.4769362762044699);
    expectClose(erfinv(0.9999), 2.75106390571208);
    expectClose(erfinv(0.999999999999), 5.042031898572696);
  });

  test("the normal distribution", () => {
    expectClose(ndtri(1e-10), -6.361340902404057, 1e-14);
    expectClose(ndtri(0.3), -0.5244005127080408, 1e-14);
    expectClose(ndtri(0.975), 1.9599639845400538, 1e-14);
    expectClose(logNdtr(-30), -454.3212439563432, 1e-14);
    expectClose(logNdtr(-2), -3.783184333682032, 1e-14);
    expectClose(logNdtr(1), -0.17275377902344988, 1e-14);
  });

  test("the gamma family", () => {
    expectClose(lgamma(0.1), 2.252712651734206, 1e-14);
    expectClose(lgamma(1.3), -0.10817480950786047, 1e-14);
    expectClose(lgamma(3.7), 1.428072326665388, 1e-14);
    expectClose(lgamma(170.3), 702.9773854513282, 1e-14);
    expectClose(lgamma(-0.5), 1.2655121234846454, 1e-14);
    expectClose(digamma(0.1), -10.423754940411076, 1e-14);
    expectClose(digamma(3.5), 1.103156640645243, 1e-14);
    expectClose(digamma(100), 4.600161852738087, 1e-14);
    expectClose(digamma(-0.3), 2.113309779635399, 1e-14);
    expectClose(polygamma(1, 0.7), 2.834049156694611, 1e-14);
    expectClose(polygamma(3, 2.5), 0.22390584881725206, 1e-14);
    expectClose(zeta(1.5, 1), 2.612375348685488, 1e-14);
    expectClose(zeta(4, 0.25), 256.46369066819807, 1e-14);
    expectClose(zeta(30, 2.7), 1.1458326456470344e-13, 1e-14);
  });

  test("Bessel functions", () => {
    expectClose(besselI0(0.1), 1.0025015629340956, 1e-14);
    expectClose(besselI0(5), 27.239871823604446, 1e-14);
    expectClose(besselI0(29), 292520631785.69086, 1e-14);
    expectClose(besselI0(31), 2089962966491.9038, 1e-14);
    expectClose(besselI0(300), 4.475847367935052e128, 1e-14);
    expectClose(besselI1(0.1), 0.050062526047092694, 1e-14);
    expectClose(besselI1(-5), -24.335642142450528, 1e-14);
    expectClose(besselI1(31), 2055972795294.5647, 1e-14);
  });

  test("erf in half the time is still good to 1e-9", () => {
    expectClose(erfSingle(0.3), 0.32862675945912745, 1e-9);
    expectClose(erfSingle(0.99), 0.8385080695553698, 1e-9);
    expectClose(erfSingle(1.01), 0.8468104962282766, 1e-9);
    expectClose(erfSingle(3.5), 0.9999992569016276, 1e-9);
  });

  test("poles and infinities", () => {
    expect(lgamma(-3)).toBe(Infinity);
    expect(digamma(-3)).toBeNaN();
    expect(erfinv(1)).toBe(Infinity);
    expect(erfinv(1.5)).toBeNaN();
    expect(zeta(1, 2)).toBe(Infinity);
    expect(besselI0(Infinity)).toBeNaN();
  });

  test("zeta far left of 0 takes no term for each integer", () => {
    // The sum of its terms from the smallest on, and of those right of 11.
    expectClose(zeta(2, -12345.25), 19.73912780264451, 1e-14);
    expectClose(zeta(4, -2000.7), 128.17015238894513, 1e-14);
    expectClose(zeta(2, -1e12 - 0.5), 9.869604401088358, 1e-14);
  });

  test("poles at negative integers, of which minus infinity is one", () => {
    for (const q of [-1, -3, -1e30, Number.NEGATIVE_INFINITY]) {
      expect(zeta(3, q)).toBe(Number.POSITIVE_INFINITY);
      expect(polygamma(2, q)).toBe(Number.NEGATIVE_INFINITY);
    }
  });
});
