/** @file Where programs of the page come from: its examples, and files on servers. */

/** A program that comes with the page. */
interface Example {
  readonly name: string;
  readonly title: string;
}

/** The programs that come with the page. */
export const EXAMPLES: readonly Example[] = [
  { name: "digits", title: "Digits: a small convolutional network" },
  { name: "net_gpt", title: "GPT: a transformer with dynamic sizes" },
  { name: "net_resnet", title: "ResNet: residual blocks" },
  { name: "net_unet", title: "U-Net: skip connections" },
  { name: "flow_cond_nested", title: "Nested control flow" },
];

/** Returns the name of the file at an address. */
export function nameOf(address: string): string {
  const last = address.slice(address.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(last);
  } catch {
    // A percent sign that starts no escape.
    return last;
  }
}

/** Returns whether an address is on the server of the page: a link asks no other one. */
export function isOnServer(address: string): boolean {
  try {
    return new URL(address, location.href).origin === location.origin;
  } catch {
    // A text that is not an address.
    return false;
  }
}

/** Files with their tensors: those of a text are in a safetensors file of the same name. */
export function pairedFiles(files: readonly File[]): { readonly file: File; readonly tensors?: File }[] {
  const stem = ({ name }: File): string => name.replace(/\.\w+$/, "");
  const isTensors = ({ name }: File): boolean => /\.safetensors$/i.test(name);
  if (files.length === 1) return files.map((file) => ({ file }));
  return files
    .filter((file) => !isTensors(file))
    .map((file) => {
      const tensors = files.find((one) => isTensors(one) && stem(one) === stem(file));
      return { file, ...(tensors && { tensors }) };
    });
}
