"""Makes the .pt2 files of a folder of programs small: their entries are compressed.

Usage: python3 deflate_programs.py FOLDER [NAME.pt2 ...]

With names, only these files of each program. The programs of `fixtures/programs` keep their `program.pt2` as
PyTorch wrote it; their `decomposed.pt2` are compressed.
"""

import os
import sys
import zipfile


def deflate(path):
    with zipfile.ZipFile(path) as archive:
        entries = [(info, archive.read(info)) for info in archive.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for info, content in entries:
            fresh = zipfile.ZipInfo(info.filename, (1980, 1, 1, 0, 0, 0))
            fresh.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(fresh, content)


for folder in sorted(os.listdir(sys.argv[1])):
    path = os.path.join(sys.argv[1], folder)
    if not os.path.isdir(path):
        continue
    for name in sorted(os.listdir(path)):
        if name.endswith(".pt2") and (not sys.argv[2:] or name in sys.argv[2:]):
            deflate(os.path.join(path, name))
