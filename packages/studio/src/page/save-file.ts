/** Gives the user a file to save. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has taken the address when the click is over.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
