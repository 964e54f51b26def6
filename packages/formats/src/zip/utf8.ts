const encoder = /* @__PURE__ */ new TextEncoder();

/** Returns the UTF-8 bytes of a text. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text);
