"""A random program: its inputs and calls, its text in the IR, and what PyTorch computes for it."""

import base64
import json
import math

import tensor_arguments  # noqa: F401 (adds to MAKERS)
import torch
from arguments import Unknown, schema_arguments
from neural_arguments import MAKERS
from values import DRAW, FLOATS, INTS, NAMES, Ref, Spec, chance, pick

REFUSALS = (RuntimeError, LookupError, ValueError, TypeError, ArithmeticError, AssertionError)
# Refusals of the call itself: the IR has no text that Sconce could read for most of them.
UNTYPED = ("schema", "Expected a value of type", "missing value for argument", "CUDA")
LAYOUTS = ("plain", "plain", "plain", "permuted", "spaced", "expanded", "offset")
LARGEST = 20000


class Node:
    """A call, or the item of a result: `function` is None then."""

    def __init__(self, name, text, function, positional, keywords):
        self.name, self.text = name, f"%{name} = {text}"
        self.function, self.positional, self.keywords = function, positional, keywords

    def compute(self, values):
        if self.function is None:
            source, item = self.positional
            return values[source][item]
        keywords = {name: given(value, values) for name, value in self.keywords.items()}
        return self.function(*given(self.positional, values), **keywords)


class Program:
    def __init__(self):
        self.specs, self.nodes = [], []
        # Inputs and results by name, with the values of the first run.
        self.values = []
        self.refusal = None
        few = (1, 2, 2, 3, 3, 4, 5, 0) if chance(0.15) else (2, 3, 3, 4, 5, 1)
        self.base = [pick(*few) for _ in range(pick(0, 1, 1, 2, 2, 2, 3, 3, 4))]
        any_kind, mostly_floats = FLOATS * 2 + INTS + [torch.bool], [torch.float32] * 4 + FLOATS + [torch.complex64]
        self.dtype = pick(*any_kind) if chance(0.5) else pick(*mostly_floats)
        self.mode = pick("normal", "normal", "ties", "ends", "positive")

    def input(self, shape, dtype, mode=None, fill=None, layout=None):
        spec = Spec(shape, dtype, mode or self.mode, fill, layout or pick(*LAYOUTS))
        ref = Ref(f"x{len(self.specs)}", spec.make())
        self.specs.append(spec)
        self.values.append(ref)
        return ref

    def tensors(self):
        return [ref for ref in self.values if isinstance(ref.value, torch.Tensor)]

    def add_call(self, target, function):
        """Adds a call with random arguments, unless PyTorch does not take them; False to give the program up."""
        before = len(self.specs), len(self.values)
        try:
            node = self.call(target, function)
        except (Unknown, AttributeError, *REFUSALS):
            return self.undo(before)
        try:
            result = node.compute({ref.name: ref.value for ref in self.values})
        except REFUSALS as error:
            text = str(error)
            is_rare = "not implemented" in text and chance(0.6) or chance(0.75)
            if isinstance(error, TypeError) or any(part in text for part in UNTYPED) or is_rare:
                return self.undo(before)
            self.refusal = text[:300]
            self.nodes.append(node)
            return True
        if any(not is_recordable(value) for value in (result if isinstance(result, (list, tuple)) else [result])):
            self.undo(before)
            # What it wrote stays written.
            return not function._schema.is_mutable
        self.nodes.append(node)
        self.keep(node.name, result)
        return True

    def undo(self, before):
        del self.specs[before[0] :]
        del self.values[before[1] :]
        return True

    def call(self, target, function):
        _, name, overload = target.split(".")
        if name in MAKERS and chance(0.85):
            positional, keywords = MAKERS[name](self, name, function._schema.overload_name)
        else:
            positional, keywords = schema_arguments(self, function, name)
        texts = [argument_text(value) for value in positional]
        texts += [f"{key}={argument_text(value)}" for key, value in keywords.items()]
        return Node(f"n{len(self.nodes)}", f"{target}({', '.join(texts)})", function, positional, keywords)

    def keep(self, name, result):
        if not isinstance(result, (list, tuple)):
            if result is not None:
                self.values.append(Ref(name, result))
            return
        for at, value in enumerate(result):
            item = f"n{len(self.nodes)}"
            self.nodes.append(Node(item, f"operator.getitem(%{name}, {at})", None, (name, at), {}))
            self.values.append(Ref(item, value))

    def outputs(self):
        """The names of some tensors that calls give, always the last; the call that PyTorch refuses, if there is one."""
        if self.refusal is not None:
            last = self.nodes[-1]
            return [last.name] if [str(one.type) for one in last.function._schema.returns] == ["Tensor"] else []
        results = [ref.name for ref in self.tensors() if not ref.name.startswith("x")]
        return [name for name in results if name == results[-1] or chance(0.35)]

    def text(self, outputs, inputs, symbols=None):
        types = [input_type(value, spec, symbols) for value, spec in zip(inputs, self.specs)]
        lines = ["sconce-ir 1", 'program "TRAINING" {']
        lines += [f"  input %x{at}: USER_INPUT" for at in range(len(types))]
        lines += [f"  output %{name}: USER_OUTPUT" for name in outputs] + ["}"]
        lines.append("graph(" + ", ".join(f"%x{at}: {kind}" for at, kind in enumerate(types)) + ") {")
        lines += ["  " + node.text for node in self.nodes]
        lines.append("  return (" + ", ".join(f"%{name}" for name in outputs) + ")\n}")
        return "\n".join(lines)

    def stable_run(self, outputs, inputs):
        """The record of a run, if a second one gives the same: some kernels read memory that no one wrote."""
        again = [copied(value) for value in inputs]
        record = self.run(outputs, inputs)
        if record != self.run(outputs, again):
            raise Unknown("other results in a second run")
        return record

    def run(self, outputs, inputs):
        """The record of one run: inputs, results and what is in the inputs after it, or PyTorch's refusal."""
        record = {"inputs": [packed_input(value) for value in inputs]}
        values = {f"x{at}": value for at, value in enumerate(inputs)}
        try:
            for node in self.nodes:
                values[node.name] = node.compute(values)
        except REFUSALS as error:
            return {**record, "error": str(error)[:300]}
        results = [packed(values[name]) for name in outputs]
        return {**record, "outputs": results, "after": [packed(value) for value in inputs]}

    def record(self, name):
        """The program with static sizes, and in half of all cases with symbolic ones and other sizes too."""
        outputs = self.outputs()
        if not outputs:
            return
        inputs = [spec.make() for spec in self.specs]
        text = self.text(outputs, inputs)
        yield {"id": name, "ir": text, "runs": [self.stable_run(outputs, inputs)]}
        known = sorted({size for spec in self.specs for size in spec.shape if size >= 2})
        symbols = {size: f"s{size}" for size in known if chance(0.8)}
        if symbols and chance(0.5):
            yield self.symbolic(name, outputs, symbols)

    def symbolic(self, name, outputs, symbols):
        for spec in self.specs:
            spec.layout = "plain"
        inputs = [spec.make() for spec in self.specs]
        text = self.text(outputs, inputs, symbols)
        runs = [self.stable_run(outputs, inputs)]
        for _ in range(3):
            other = {size: pick(size + 1, size + 2, size, 2 * size, max(2, size - 1), pick(0, 1)) for size in symbols}
            try:
                inputs = [spec.make(other) for spec in self.specs]
            except REFUSALS:
                continue
            runs.append(self.stable_run(outputs, inputs))
        return {"id": name + "-symbolic", "ir": text, "runs": runs}


def random_program(operators, longest):
    program = Program()
    count = DRAW.randint(1, longest)
    for _ in range(count * 8):
        if program.refusal is not None or sum(node.function is not None for node in program.nodes) >= count:
            break
        if not program.add_call(*DRAW.choice(operators)):
            return None
    return program if program.nodes else None


def given(argument, values):
    if isinstance(argument, Ref):
        return values[argument.name]
    if isinstance(argument, (list, tuple)):
        return [given(item, values) for item in argument]
    return argument


def is_recordable(value):
    if not isinstance(value, torch.Tensor):
        return True
    return value.numel() <= LARGEST and value.dtype in NAMES and value.layout == torch.strided


def argument_text(value):
    if isinstance(value, Ref):
        return f"%{value.name}"
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    if isinstance(value, torch.memory_format):
        return f"format({str(value).removeprefix('torch.')})"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(argument_text, value)) + "]"
    raise Unknown(type(value))


def input_type(value, spec, symbols):
    if symbols is not None:
        return f"{NAMES[value.dtype]}[{', '.join(symbols.get(size, str(size)) for size in spec.shape)}]"
    text = f"{NAMES[value.dtype]}[{', '.join(map(str, value.shape))}]"
    plain = list(torch.empty(value.shape).stride())
    if not value.is_contiguous() or (value.numel() <= 1 and list(value.stride()) != plain):
        text += "{" + ", ".join(map(str, value.stride())) + "}"
    return text + (f"@{value.storage_offset()}" if value.storage_offset() else "")


def elements(value):
    if value.numel() == 0:
        return ""
    plain = torch.empty(value.shape, dtype=value.dtype).copy_(value.detach().resolve_conj().resolve_neg())
    return base64.b64encode(plain.view(-1).view(torch.uint8).numpy().tobytes()).decode()


def header(value):
    return {"dtype": str(value.dtype).removeprefix("torch."), "shape": list(value.shape), "strides": list(value.stride())}


def packed_input(value):
    """With the whole storage, which a view may read."""
    count = value.untyped_storage().nbytes() // value.element_size()
    data = elements(torch.as_strided(value, [count], [1], 0))
    return {**header(value), "offset": value.storage_offset(), "data": data}


def copied(value):
    """A view of a copy of the whole storage."""
    count = value.untyped_storage().nbytes() // value.element_size()
    copy = torch.as_strided(value, [count], [1], 0).clone()
    return torch.as_strided(copy, value.shape, value.stride(), value.storage_offset())


def packed(value):
    """A result, with its elements in logical order."""
    return {**header(value), "data": elements(value)}
