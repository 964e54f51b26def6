/** @file Prints what each version of the classifier takes and how well it reads. */
import { versions } from "./versions.js";

console.log("version          bytes of weights  correct of 360  SNR of the logits");
for (const { name, bytes, correct, snr } of await versions()) {
  const ratio = Number.isFinite(snr) ? `${snr.toFixed(1)} dB` : "exact";
  console.log(
    `${name.padEnd(15)}  ${String(bytes).padStart(16)}  ${String(correct).padStart(14)}  ${ratio.padStart(17)}`,
  );
}
