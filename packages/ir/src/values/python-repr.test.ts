import fc from "fast-check";
import { expect, test } from "vitest";
import { complexRepr, floatRepr, stringRepr } from "./python-repr.js";

test.each([
  [1, "1.0"],
  [0.1, "0.1"],
  [-0, "-0.0"],
  [1e16, "1e+16"],
  [9999999999999998, "9999999999999998.0"],
  [1e22, "1e+22"],
  [1e-4, "0.0001"],
  [1e-5, "1e-05"],
  [1.5e-7, "1.5e-07"],
  [5e-324, "5e-324"],
  [1.7976931348623157e308, "1.7976931348623157e+308"],
  [NaN, "nan"],
  [Infinity, "inf"],
  [-Infinity, "-inf"],
  [0.1 + 0.2, "0.30000000000000004"],
  [1e100, "1e+100"],
])("repr of the float %d is %s", (value, text) => expect(floatRepr(value)).toBe(text));

test("a printed float reads back the same", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
      Object.is(Number(floatRepr(value)), value),
    ),
  );
});

test.each([
  [0, 2, "2j"],
  [-0, -1, "(-0-1j)"],
  [1, -2.5, "(1-2.5j)"],
  [1, NaN, "(1+nanj)"],
  [0, 1e-5, "1e-05j"],
  [1e16, 0, "(1e+16+0j)"],
])("repr of the complex number %d, %d is %s", (re, im, text) => expect(complexRepr(re, im)).toBe(text));

test.each([
  ["ij->ji", "'ij->ji'"],
  ["it's", `"it's"`],
  [`it's"`, `'it\\'s"'`],
  ["a\\b\n\t\r", "'a\\\\b\\n\\t\\r'"],
  ["\u0000\u007f\u00a0", "'\\x00\\x7f\\xa0'"],
  ["\u00e9\u{1f600}", "'\u00e9\u{1f600}'"],
  ["\u2028\u{e0001}", "'\\u2028\\U000e0001'"],
])("repr of the string %j is %s", (value, text) => expect(stringRepr(value)).toBe(text));
