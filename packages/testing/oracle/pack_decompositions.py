"""Packs recorded decompositions for the tests: what the comparison reads, gzipped.

    python3 pack_decompositions.py decompositions.json ../fixtures/decompositions/pytorch.json.gz

The input lists, for tiny modules, the calls that torch.export records (`training_ir`), those that run_decompositions()
makes of them (`core`, `core_nodes`), and the keys of the default table.
"""

import gzip
import json
import sys

CASE = ("name", "training_ir", "core", "core_nodes", "signature", "ranges")
NODE = ("op", "name", "val")
TABLE = ("post_autograd", "cia_decomposed")


def pick(record, keys):
    return {key: record[key] for key in keys if key in record}


def packed(case):
    return {**pick(case, CASE), "core_nodes": [pick(node, NODE) for node in case["core_nodes"]]}


def main(source, target):
    with open(source, encoding="utf-8") as file:
        record = json.load(file)
    kept = {
        "torch": record["torch"],
        "how": record["how"],
        "default_table": pick(record["default_table"], TABLE),
        "cases": [packed(case) for case in record["cases"] if "core" in case],
        "dynamic_cases": [packed(case) for case in record["dynamic_cases"] if "core" in case],
    }
    with open(target, "wb") as file:
        file.write(gzip.compress(json.dumps(kept, separators=(",", ":")).encode(), 9, mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
