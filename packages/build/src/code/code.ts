/** @file Expressions of JavaScript, as parts of a module's text. */

/** An expression that is put into the text as it is: made of numbers and names of ours only. */
export class Code {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
