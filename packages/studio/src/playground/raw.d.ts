/** The text of a file, which the bundler puts in its place. */
declare module "*?raw" {
  const text: string;
  export default text;
}
