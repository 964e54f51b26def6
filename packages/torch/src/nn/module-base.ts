/** The members that helpers need of a module. */
export interface ModuleBase {
  /** Whether the module trains. */
  training: boolean;
  /** Returns the text between the module's parentheses. */
  extraRepr(): string;
  /** Returns the module as PyTorch prints it. */
  toString(): string;
}
