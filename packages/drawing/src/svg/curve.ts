/**
 * Returns the path of an arrow in the syntax of SVG: straight where it goes down, and a curve that
 * starts and ends downwards where it moves aside.
 */
export function curveText(points: Float64Array): string {
  const parts: string[] = [];
  for (let i = 0; i < points.length; i += 2) {
    const x = points[i]!;
    const y = points[i + 1]!;
    if (i === 0) parts.push(`M${coordinate(x)} ${coordinate(y)}`);
    else if (Math.abs(points[i - 2]! - x) < 0.5) parts.push(`V${coordinate(y)}`);
    else {
      const middle = coordinate((points[i - 1]! + y) / 2);
      parts.push(
        `C${coordinate(points[i - 2]!)} ${middle} ${coordinate(x)} ${middle} ${coordinate(x)} ${coordinate(y)}`,
      );
    }
  }
  return parts.join("");
}

/** Returns a length with at most one digit after the point. */
export const coordinate = (value: number): string => String(Math.round(value * 10) / 10);
