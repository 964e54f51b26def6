import { expect, test } from "vitest";
import { float } from "../values/argument.js";
import { INPUT_KINDS, type InputSpec, OUTPUT_KINDS, type OutputSpec } from "./signature.js";
import { inputSpecRepr, outputSpecRepr, signatureRepr } from "./signature-repr.js";

const x = { kind: "tensor", name: "x" } as const;
const input: InputSpec = { kind: "USER_INPUT", arg: x, target: null, persistent: null };
const output: OutputSpec = { kind: "USER_OUTPUT", arg: x, target: null };

// All texts are those of PyTorch 2.14 for the same objects.
test("specifications print as repr does [S-080]", () => {
  const buffer: InputSpec = { ...input, kind: "BUFFER", target: "w", persistent: true };
  expect(inputSpecRepr(buffer)).toBe(
    "InputSpec(kind=<InputKind.BUFFER: 3>, arg=TensorArgument(name='x'), target='w', persistent=True)",
  );
  const mutation: OutputSpec = { ...output, kind: "BUFFER_MUTATION", target: "cnt" };
  expect(outputSpecRepr(mutation)).toBe(
    "OutputSpec(kind=<OutputKind.BUFFER_MUTATION: 3>, arg=TensorArgument(name='x'), target='cnt')",
  );
  expect(signatureRepr({ inputSpecs: [input], outputSpecs: [output] })).toBe(
    "ExportGraphSignature(input_specs=[InputSpec(kind=<InputKind.USER_INPUT: 1>, arg=TensorArgument(name='x'), target=None, persistent=None)], output_specs=[OutputSpec(kind=<OutputKind.USER_OUTPUT: 1>, arg=TensorArgument(name='x'), target=None)])",
  );
});

test("input kinds have PyTorch's names and numbers [S-081]", () => {
  const shown = INPUT_KINDS.map((kind) => /<InputKind\.(.*?)>/.exec(inputSpecRepr({ ...input, kind }))![1]);
  expect(shown).toEqual([
    "USER_INPUT: 1",
    "PARAMETER: 2",
    "BUFFER: 3",
    "CONSTANT_TENSOR: 4",
    "CUSTOM_OBJ: 5",
    "TOKEN: 6",
  ]);
});

test("output kinds have the names and numbers of PyTorch 2.14 [S-082, S-140, T-08]", () => {
  const shown = OUTPUT_KINDS.map(
    (kind) => /<OutputKind\.(.*?)>/.exec(outputSpecRepr({ ...output, kind }))![1],
  );
  expect(shown).toEqual([
    "USER_OUTPUT: 1",
    "LOSS_OUTPUT: 2",
    "BUFFER_MUTATION: 3",
    "PARAMETER_MUTATION: 4",
    "GRADIENT_TO_PARAMETER: 5",
    "GRADIENT_TO_USER_INPUT: 6",
    "USER_INPUT_MUTATION: 7",
    "TOKEN: 8",
  ]);
});

test.each<[InputSpec["arg"], string]>([
  [x, "TensorArgument(name='x')"],
  [{ kind: "symint", name: "s" }, "SymIntArgument(name='s')"],
  [{ kind: "symfloat", name: "s" }, "SymFloatArgument(name='s')"],
  [{ kind: "symbool", name: "s" }, "SymBoolArgument(name='s')"],
  [{ kind: "token", name: "t" }, "TokenArgument(name='t')"],
  [
    { kind: "custom_obj", name: "c", classFqn: "a.B" },
    "CustomObjArgument(name='c', class_fqn='a.B', fake_val=None)",
  ],
  [{ kind: "constant", name: "n", value: 3 }, "ConstantArgument(name='n', value=3)"],
  [{ kind: "constant", name: "n", value: 2.5 }, "ConstantArgument(name='n', value=2.5)"],
  [{ kind: "constant", name: "n", value: float(2) }, "ConstantArgument(name='n', value=2.0)"],
  [{ kind: "constant", name: "s", value: "it's" }, `ConstantArgument(name='s', value="it's")`],
  [{ kind: "constant", name: "s", value: true }, "ConstantArgument(name='s', value=True)"],
  [{ kind: "constant", name: "", value: null }, "ConstantArgument(name='', value=None)"],
])("the argument %j prints as repr does [S-083]", (arg, text) => {
  expect(inputSpecRepr({ ...input, arg })).toContain(`arg=${text}, target`);
});
