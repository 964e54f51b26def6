"""Records what PyTorch exports for the examples of its ExportDB (`torch/_export/db/examples`).

    py packages/testing/oracle/exportdb.py packages/testing/fixtures

Writes `capture/exportdb.json.gz`: for each example its level of support, its tags, and the program without comments
that `torch.export.export` gives in non-strict mode; where it fails, the class and the message of the exception.
"""

import gzip
import json
import os
import sys
import warnings

import torch
from torch._export.db.examples import all_examples
from torch.export import export

from program_texts import comparable

warnings.filterwarnings("ignore")
torch._logging.set_logs(all=50)


def record(case):
    facts = {"support": case.support_level.name, "tags": sorted(case.tags)}
    try:
        program = export(
            case.model, case.example_args, case.example_kwargs, dynamic_shapes=case.dynamic_shapes, strict=False
        )
        return {**facts, "program": comparable(str(program))}
    except Exception as error:
        return {**facts, "error": type(error).__name__, "message": str(error).split("\n")[0]}


def main(fixtures):
    records = {name: record(case) for name, case in sorted(all_examples().items())}
    text = json.dumps(records, separators=(",", ":"))
    with open(os.path.join(fixtures, "capture", "exportdb.json.gz"), "wb") as file:
        file.write(gzip.compress(text.encode(), mtime=0))
    print(f"{len(records)} examples, {sum('error' in one for one in records.values())} refused")


if __name__ == "__main__":
    main(*sys.argv[1:])
