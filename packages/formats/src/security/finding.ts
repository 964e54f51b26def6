/** Something in a file that PyTorch would execute, evaluate or import. */
export interface SecurityFinding {
  /**
   * - `pickle`: objects that are unpickled, which calls what their classes say
   * - `native-code`: a compiled library
   * - `script`: code of TorchScript
   * - `expression`, `guard`: text that is evaluated
   * - `import`: a module that is imported by its name
   * - `function`: a function that the graph calls by its name, and that is not an operator
   * - `custom-object`, `custom-operator`: code that must be registered where the program is loaded
   * - `name`: a name that would be more than a name in the Python source that PyTorch makes of it
   * - `unreadable`: what could not be looked at, so that it may hold anything
   */
  readonly kind:
    | "pickle"
    | "native-code"
    | "script"
    | "expression"
    | "guard"
    | "import"
    | "function"
    | "custom-object"
    | "custom-operator"
    | "name"
    | "unreadable";
  /** The entry of the archive, with the path in its JSON. */
  readonly where: string;
  /** What is imported, evaluated or called: names, or the text. */
  readonly names: readonly string[];
  /** What PyTorch does with it. */
  readonly does: string;
  /**
   * Whether it is what ordinary programs hold: tensors in plain containers, arithmetic on sizes.
   * Anything else is worth a look before PyTorch loads the file.
   */
  readonly isPlain: boolean;
}

/** What a file would make PyTorch do. */
export interface SecurityReport {
  /** The findings, in the order of the archive. */
  readonly findings: readonly SecurityFinding[];
  /** Whether all findings are plain. */
  readonly isPlain: boolean;
}
