/** Returns whether two arrays hold the same bytes: four at a time, where both lie so. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  const words = (a.byteOffset | b.byteOffset) % 4 === 0 ? a.length >> 2 : 0;
  if (words > 0) {
    const left = new Int32Array(a.buffer, a.byteOffset, words);
    const right = new Int32Array(b.buffer, b.byteOffset, words);
    for (let i = 0; i < words; i++) if (left[i] !== right[i]) return false;
  }
  for (let i = 4 * words; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
