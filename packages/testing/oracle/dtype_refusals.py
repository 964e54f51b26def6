"""Makes the table of dtypes that PyTorch's CPU kernels refuse, and the verdicts that its tests expect.

    python3 dtype_refusals.py targets.json grid.jsonl... TABLE.ts VERDICTS.json

The grid is that of dtype_grid.py; TABLE.ts is packages/ops/src/dtypes/dtype-refusals.ts, VERDICTS.json (packed with gzip -9n)
packages/testing/fixtures/ops/dtype-verdicts.json.gz.

For each overload the refused rows of the grid are explained by clauses: a subject (an argument, what arguments promote to, the
argument `dtype`, two arguments that differ), the set of its refused dtypes, and the message. No accepted row has a dtype of
the set. Where one value of a setting, or 0-d tensors, decide, the clauses have a condition. Refusals of fakes need no clause:
the shape rules of Sconce have them, but those of `LEFT_TO_TABLE`.
"""

import collections
import json
import re
import sys

import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes

from dtype_grid import NAMES

# Overloads whose shape rule leaves to the table what fakes refuse too.
LEFT_TO_TABLE = set(
    """
aten.cumprod_.default aten.abs_.default aten.__lshift__.Tensor aten.__rshift__.Tensor aten._adaptive_avg_pool2d_backward.default
aten._embedding_bag_backward.default aten._fused_rms_norm.default aten._scaled_dot_product_attention_math.default
aten._unsafe_masked_index.default aten._unsafe_masked_index_put_accumulate.default aten.addmv.default aten.baddbmm.default
aten.batch_norm.default aten.bilinear.default aten.bmm.default aten.conv1d.default aten.conv1d.padding aten.conv2d.padding
aten.conv3d.default aten.conv_transpose1d.default aten.conv_transpose2d.input aten.conv_transpose3d.input aten.diff.default
aten.divide.Scalar_mode aten.einsum.default aten.floor_divide.default aten.gru.input aten.index.Tensor
aten.instance_norm.default aten.isclose.default aten.isfinite.default aten.isin.Tensor_Tensor aten.kl_div.default
aten.lstm.input aten.matmul.default aten.max_pool1d.default aten.max_pool2d_with_indices_backward.default
aten.nanmean.default aten.normal.float_float aten.pad.default aten.pairwise_distance.default aten.randn_like.default
aten.replication_pad1d.default aten.replication_pad2d.default aten.replication_pad3d.default aten.rms_norm.default
aten.rnn_relu.input aten.rnn_tanh.input aten.scaled_dot_product_attention.default aten.std_mean.correction
aten.std_mean.default aten.std_mean.dim aten.subtract.Tensor aten.take_along_dim.default aten.tril_indices.default
aten.triu_indices.default aten.var_mean.default aten.var_mean.dim
""".split()
)
# Lines that by-setting.ts has in their place: the calls of the grid give the logarithms the dtype of the halves.
BY_HAND = {
    ("aten._scaled_dot_product_flash_attention_for_cpu_backward.default", head)
    for head in ("grad_out c", "grad_out!logsumexp 0", "logsumexp 1ffffc")
}
# Settings that never decide about dtypes.
INDIFFERENT = set(
    "scale_grad_by_freq sparse include_last_offset ceil_mode count_include_pad largest sorted descending cudnn_enabled benchmark "
    "deterministic".split()
)
# Messages that are about dtypes, and those that are about values, or that promotion gives.
ABOUT_DTYPES = re.compile(r"not implemented|not supported|dtype|type|[Bb]ool|[Cc]omplex|[Ii]nteg|[Ff]loat|[Pp]romot|same|Subtraction")
ABOUT_OTHERS = re.compile(
    r"Promotion for|be cast to the desired|itensor_view|get_mkldnn|Unknown Complex|MKLDNN|index_fill_..: Conv|ZeroDivision|overflow|"
    r"out of bounds|out of range|singular|should be between|must be in|unsigned type with negative"
)
UNDECIDED = re.compile(r"Dynamic|DataDep|KeyError")
OPERANDS = ("self", "other", "exponent", "base", "x", "n", "end", "min", "max", "value", "condition", "input")
INDEX_LIKE = re.compile(r"ind(ex|ices)|mask|condition|offset|lengths|bag|buffer")
SCALARS = {"bool": True, "int": 1, "float": 1.5, "complex": 1j}

S = dict(
    zip(
        NAMES,
        "Double Float Half BFloat16 Float8_e4m3fn Float8_e5m2 Float8_e4m3fnuz Float8_e5m2fnuz Float8_e8m0fnu Char Short Int Long Byte "
        "UInt16 UInt32 UInt64 Bool ComplexHalf ComplexFloat ComplexDouble".split(),
    )
)
C = {name: f"c10::{text}" for name, text in S.items()}
C.update(
    float64="double", float32="float", int64="long", int32="int", int16="short", int8="signed char", uint8="unsigned char",
    bool="bool", complex64="c10::complex<float>", complex128="c10::complex<double>", complex32="c10::complex<c10::Half>",
    uint16="unsigned short", uint32="unsigned int", uint64="unsigned long",
)  # fmt: skip
L = dict(C, int64="long int", int16="short int", uint16="short unsigned int", uint64="long unsigned int")
LEGACY = "float64 float32 float16 int64 int32 int16 int8 uint8".split()
P = {name: f"torch.{text}Tensor" if name in LEGACY else f"CPU{text}Type" for name, text in S.items()}
STYLES = dict(S=S, C=C, L=L, T={name: f"torch.{name}" for name in NAMES}, P=P)

promotions = {}


def promoted(operands):
    """The dtype of operands [dtype, rank or "s"]; "!promotion" where PyTorch refuses."""
    key = tuple(map(tuple, operands))
    if key not in promotions:
        made = [SCALARS[dtype] if rank == "s" else torch.empty((1,) * rank, dtype=getattr(torch, dtype)) for dtype, rank in key]
        try:
            if len(made) == 1:
                promotions[key] = str(made[0].dtype)[6:]
            elif len(made) == 2:
                promotions[key] = str(torch.result_type(*made))[6:]
            else:
                kind = ELEMENTWISE_TYPE_PROMOTION_KIND.NO_OPMATH
                promotions[key] = str(elementwise_dtypes(*made, type_promotion_kind=kind)[1])[6:]
        except Exception as error:
            promotions[key] = "!promotion" if "promot" in str(error).lower() else None
    return promotions[key]


def argument_names(schema):
    """The names of a schema's arguments; commas in lists do not count."""
    text, depth, parts = re.search(r"\((.*)\) ->", schema)[1], 0, [""]
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip().split("=")[0].split()[-1] for part in parts if part.strip() not in ("", "*")]


class Row:
    """A call of the grid: dtypes by argument, settings, and what PyTorch said."""

    def __init__(self, target, names, call, tensors, dtype, refused):
        fakes, cpu = refused
        self.args = {}
        for path, name, shape in tensors:
            head, place = path.split("/")[:2]
            self.args.setdefault(names[int(place)] if head == "0" else place, []).append((name, len(shape)))
        for name, kind in call["scal"].items():
            self.args.setdefault(name, [(kind, "s")])
        self.dtype, self.empty, self.message = dtype or call["dt"], call["empty"], cpu
        ranks = [len(shape) for _, _, shape in call["t"]]
        self.settings = dict(call["st"], **({"0d": ranks[0] == 0, "rank": ranks[0]} if ranks else {}))
        self.ok = cpu is None
        by_fakes = target not in LEFT_TO_TABLE and fakes is not None and not UNDECIDED.match(fakes)
        self.about_dtypes = not self.ok and not ABOUT_OTHERS.search(cpu) and ABOUT_DTYPES.search(cpu) is not None
        # Refusals that need no clause.
        self.free = not self.ok and (by_fakes or not self.about_dtypes)


def changed(sample, change):
    """The tensors of a row, and its argument `dtype`."""
    tensors = [list(tensor) for tensor in sample["t"]]
    kind, *rest = change
    for i, tensor in enumerate(tensors):
        if kind == "U" and tensor[0] in sample["main"]:
            tensor[1] = NAMES[rest[0]]
        if kind == "S" and rest[0] == i:
            tensor[1] = NAMES[rest[1]]
        if kind == "P" and i < 2:
            tensor[1] = NAMES[rest[i]]
    return tensors, NAMES[rest[0]] if kind == "D" else None


def rows_of(entry, schema):
    target, names = entry["target"], argument_names(schema)
    rows = [
        Row(target, names, sample, *changed(sample, change), (fakes, cpu))
        for sample in entry["samples"]
        for change, fakes, cpu in sample["rows"]
    ]
    for call in entry["recorded"]:
        rows.append(Row(target, names, call, call["t"], None, (call["refused"][1], call["refused"][0])))
    return names, rows


def value_of(subject, row):
    """What a subject is in a row: a dtype, "differ", or None."""
    kind, *names = subject
    if kind == "a":
        value = row.args.get(names[0])
        if value is None or value[0][1] == "s":
            return None
        return value[0][0] if len(value) == 1 else promoted(value)
    if kind == "p":
        return promoted([one for name in names for one in row.args.get(name, [])]) if names[0] in row.args else None
    if kind == "k":
        return row.dtype
    if kind == "pk":
        operands = [one for value in row.args.values() for one in value]
        return row.dtype or (promoted(operands) if operands else None)
    first, second = row.args.get(names[0]), row.args.get(names[1])
    if first is None or second is None or "s" in (first[0][1], second[0][1]):
        return None
    return "differ" if first[0][0] != second[0][0] else None


def subjects_of(names, rows):
    given = [name for name in names if any(name in row.args for row in rows)]
    tensors = [name for name in given if any(row.args.get(name, [("", "s")])[0][1] != "s" for row in rows)]
    values = [name for name in tensors if not INDEX_LIKE.search(name)]
    operands = [name for name in given if name in OPERANDS]
    subjects = [("a", name) for name in tensors]
    if 2 <= len(values) <= 3:
        subjects.append(("p", *values))
    if len(values) > 2:
        subjects.append(("p", *values[:2]))
    if len(operands) >= 2 and operands != tensors:
        subjects.insert(0, ("p", *operands))
    if any(row.dtype for row in rows):
        subjects = [("k",), *subjects, ("pk",)]
    return subjects + [("m", a, b) for i, a in enumerate(tensors) for b in tensors[i + 1 :]], len(tensors)


def weight_of(subject, tensors):
    """Single arguments are preferred, but to operands beside Python numbers."""
    return 1.3 if subject[0] == "a" else 1.31 if subject[0] == "p" and tensors < len(subject) - 1 else 1


def explained(subjects, tensors, must, ok, free):
    """Clauses (subject, {dtype: message}) for the rows that must be refused, and the rows that none explains."""
    clauses, left = [], list(must)
    accepted = {subject: {value_of(subject, row) for row in ok} for subject in subjects}
    while left:
        best, most = None, 0
        for subject in subjects:
            covered = sum(1 for row in left if (value := value_of(subject, row)) is not None and value not in accepted[subject])
            if covered and covered * weight_of(subject, tensors) > most:
                best, most = subject, covered * weight_of(subject, tensors)
        if best is None:
            break
        messages = collections.defaultdict(collections.Counter)
        for row in left:
            if (value := value_of(best, row)) is not None and value not in accepted[best]:
                messages[value][row.message] += 1
        known = set(messages)
        for row in free:
            value = value_of(best, row)
            if value in S and value not in accepted[best] and value not in known:
                messages[value][row.message] += 1
        clauses.append((best, {value: count.most_common(1)[0][0] for value, count in messages.items()}))
        left = [row for row in left if value_of(best, row) not in messages]
    return clauses, left


def conditional(subjects, tensors, must, ok, free, rows):
    """Clauses (subject, messages, condition), by the setting that leaves the fewest rows, if one does better than none."""
    plain, left = explained(subjects, tensors, must, ok, free)
    clauses = [(subject, messages, None) for subject, messages in plain]
    best = None
    if left:
        for name in sorted({key for row in rows for key in row.settings} - INDIFFERENT, key=lambda key: (key == "rank", key)):
            values = sorted({str(row.settings.get(name)) for row in rows})
            found, missed = [], []
            for value in values if len(values) > 1 else []:
                select = lambda some: [row for row in some if str(row.settings.get(name)) == value]  # noqa: E731
                part, rest = explained(subjects, tensors, select(must), select(ok), free)
                found += [(subject, messages, (name, value)) for subject, messages in part]
                missed += rest
            if len(values) > 1 and len(missed) * 2 <= len(left) and (best is None or len(missed) < len(best[1])):
                best = (found, missed)
    if best is None:
        return clauses, left
    return merged(best[0], ok), best[1]


def merged(clauses, ok):
    """Dtypes that no accepted row has are refused for every value of the setting."""
    out = []
    for subject in dict.fromkeys(clause[0] for clause in clauses):
        own = [clause for clause in clauses if clause[0] == subject]
        accepted = {value_of(subject, row) for row in ok}
        always = {}
        for _, messages, _ in own:
            for value, message in messages.items():
                if value not in accepted:
                    always.setdefault(value, message)
        if always:
            out.append((subject, always, None))
        for _, messages, condition in own:
            rest = {value: message for value, message in messages.items() if value not in always}
            if rest:
                out.append((subject, rest, condition))
    return out


def word(text):
    return r"(?<![\w:])" + re.escape(text) + r"(?![\w:<])"


def without_type(message):
    return re.sub(r"^\w+(Error|Exception): ", "", message)


def template(message, dtype):
    for style in "PSCLT" if dtype in S else "":
        text = re.sub(word(STYLES[style][dtype]), "%" + style, message)
        if text != message:
            return text
    return message


def pair_template(message, first, second):
    for style in "STPCL":
        a, b = word(STYLES[style][first]), word(STYLES[style][second])
        if re.search(a, message) and re.search(b, message):
            return re.sub(b, "%1" + style, re.sub(a, "%0" + style, message))
    return message


def messages_of(subject, messages, rows):
    """{template: dtypes}; float8 has the message of the others."""
    if subject[0] == "m":
        names = subject[1:]
        count = collections.Counter(
            pair_template(without_type(row.message), *(row.args[name][0][0] for name in names))
            for row in rows
            if row.message and not row.empty and not row.free
        )
        both = [text for text, _ in count.most_common() if "%0" in text and "%1" in text]
        return {(both or [count.most_common(1)[0][0]])[0]: ["differ"]}
    found = collections.defaultdict(list)
    for value, message in messages.items():
        found[template(without_type(message), value)].append(value)
    main = max(found, key=lambda text: (sum(not value.startswith("float8") for value in found[text]), len(found[text])))
    for text in [text for text in found if text != main]:
        if all(value.startswith("float8") or value not in S for value in found[text]):
            found[main] += found.pop(text)
    return found


def lines_of(entry, schema):
    """The lines of an overload: head (subject, condition, set), and message."""
    names, rows = rows_of(entry, schema)
    main = [row for row in rows if not row.empty]
    subjects, tensors = subjects_of(names, main)
    must = [row for row in main if not row.ok and not row.free]
    free = [row for row in main if row.free and row.about_dtypes]
    clauses, left = conditional(subjects, tensors, must, [row for row in main if row.ok], free, main)
    lines = []
    for subject, messages, condition in clauses:
        hit = [
            row
            for row in rows
            if (condition is None or str(row.settings.get(condition[0])) == condition[1]) and value_of(subject, row) in messages
        ]
        taken = sum(row.empty and row.ok for row in hit)
        accepts_empty = taken > 0 and sum(row.empty and not row.ok and not row.free for row in hit) <= taken
        for message, values in messages_of(subject, messages, hit).items():
            mask = sum(1 << NAMES.index(value) for value in values if value in S)
            if mask or subject[0] == "m":
                text = {"a": "+", "p": "+", "m": "!"}.get(subject[0])
                head = {"k": "dtype", "pk": "dtype?"}.get(subject[0]) or text.join(subject[1:])
                head += "" if condition is None else f"@{condition[0]}={condition[1]}"
                lines.append((f"{head}{' ?' if accepts_empty else ''} {mask:x}", message))
    return lines, left


HEADER = '''/**
 * @file Generated by packages/testing/oracle/dtype_refusals.py: dtypes that the CPU kernels of
 * PyTorch 2.14 refuse. A line is subject, condition, `?` where empty tensors are accepted, set of
 * dtypes in hexadecimal, message, and operators with their kernels; see `read-clauses.ts`.
 */
export const DTYPE_REFUSALS: readonly string[] = [
'''


def table_of(entries, targets):
    groups, left = collections.defaultdict(list), {}
    for entry in entries:
        target = entry["target"]
        facts = targets[target]
        if not entry.get("samples") or ((facts.get("functional") or facts.get("parts")) and target not in LEFT_TO_TABLE):
            continue
        lines, unexplained = lines_of(entry, facts["schema"])
        if unexplained:
            left[target] = len(unexplained)
        namespace, name, which = target.split(".")
        short = ("" if namespace == "aten" else namespace + ".") + name + ("" if which == "default" else "." + which)
        base = name.strip("_")
        for head, message in lines:
            if (target, head) in BY_HAND:
                continue
            kernel = re.fullmatch(r"\"([^\" ]+)\" not implemented for '%S'", message)
            if kernel is None:
                groups[head, message].append(short)
            else:
                text = kernel[1].replace(base, "~", 1)
                groups[head, ""].append(short if text == "~_cpu" else f"{short}={text}")
    lines = []
    for (head, message), calls in sorted(groups.items()):
        text = f" {json.dumps(message, ensure_ascii=False)}" if message else ""
        lines.append(f"{head}{text}: {' '.join(sorted(calls))}")
    return lines, left


def verdicts_of(entries):
    """By overload, for its first recorded call that is not empty: its name, the changed tensors, and a letter for each dtype:
    `.` is accepted, `f` refused by fakes too, `k` by the kernel alone, `v` for other reasons than dtypes."""
    found = {}
    for entry in entries:
        sample = next((one for one in entry.get("samples", []) if not one["empty"] and one["id"] != "schema" and one["t"]), None)
        if sample is None:
            continue
        letters = ""
        for change, fakes, cpu in sample["rows"]:
            if change[0] == "U":
                value = cpu is not None and (ABOUT_OTHERS.search(cpu) or not ABOUT_DTYPES.search(cpu))
                letters += "." if cpu is None else "v" if value else "f" if fakes is not None and not UNDECIDED.match(fakes) else "k"
        found[entry["target"]] = [sample["id"], sample["main"], letters, sample["t"]]
    return found


def main(targets_path, *paths):
    *grids, table_path, verdicts_path = paths
    with open(targets_path, encoding="utf-8") as file:
        targets = {entry["target"]: entry for entry in json.load(file)}
    entries = [json.loads(line) for path in grids for line in open(path, encoding="utf-8")]
    entries.sort(key=lambda entry: list(targets).index(entry["target"]))
    lines, left = table_of(entries, targets)
    with open(table_path, "w", encoding="utf-8") as file:
        file.write(HEADER + "".join(f"  {json.dumps(line, ensure_ascii=False)},\n" for line in lines) + "];\n")
    with open(verdicts_path, "w", encoding="utf-8") as file:
        json.dump(verdicts_of(entries), file, separators=(",", ":"))
    print(f"{len(lines)} lines; rows that no clause explains: {left}")


if __name__ == "__main__":
    main(*sys.argv[1:])
