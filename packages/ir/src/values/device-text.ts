/** @file Devices by their names, as `torch.device` reads them. */
import { type DeviceLiteral, device } from "./argument.js";

const DEVICE = /^(cpu|cuda|meta|mps|xpu|xla|hpu|mtia|privateuseone|mkldnn|ipu|lazy|maia|vulkan)(?::(\d+))?$/;

/** Returns a device by its name, `"cuda:1"`; undefined for other texts. */
export function parseDevice(text: string): DeviceLiteral | undefined {
  const found = DEVICE.exec(text);
  if (found === null) return undefined;
  const [, type, index] = found;
  return device(type!, index === undefined ? null : Number(index));
}

/** Returns the name of a device as `str(torch.device(...))` gives it: `cpu`, `cuda:0`. */
export const deviceText = ({ type, index }: Pick<DeviceLiteral, "type" | "index">): string =>
  index === null ? type : `${type}:${index}`;
