/** What is known of every module. */
export interface ModuleBase {
  /** Whether the module trains. */
  training: boolean;
  /** What stands between the parentheses of the module's text. */
  extraRepr(): string;
  /** The module as PyTorch prints it. */
  toString(): string;
}
