/** Plain `npx vitest` and editors find their configuration here; what it says is in `.config`. */
export { default } from "./.config/vitest.config.js";
