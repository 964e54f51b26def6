/** @file Text as it is, which scrolls when it is too wide. */

/** A text that the keyboard can scroll. */
export function Code({ text }: { readonly text: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus
  return <pre tabIndex={0}>{text}</pre>;
}
