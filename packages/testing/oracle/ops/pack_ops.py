"""Pack the operator cases that make_ops.py wrote into one archive.

    python3 pack_ops.py CASES_DIR OUT.zip

The same cases give the same bytes: names in order, one fixed date, one
compression level.
"""
import pathlib
import sys
import zipfile


def pack(folder: pathlib.Path, out: pathlib.Path) -> int:
    files = sorted(folder.glob("*.safetensors"))
    with zipfile.ZipFile(out, "w") as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes(), compresslevel=9)
    return len(files)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = (pathlib.Path(argument) for argument in sys.argv[1:])
    print(f"{pack(source, target)} files, {target.stat().st_size} bytes")
