"""Records of photos as rows of Arrow: the columns of docs/DATA.md, "Records"."""

import base64
import json

import pyarrow as pa

COLOR = pa.struct([
    pa.field("hex", pa.string()), pa.field("share", pa.float64()), pa.field("name", pa.string()),
    pa.field("displayP3", pa.string()),
])

SCHEMA = pa.schema([
    ("path", pa.string()), ("pathBytes", pa.binary()), ("size", pa.int64()), ("mtimeNs", pa.int64()),
    ("contentHash", pa.string()), ("algorithm", pa.int16()), ("count", pa.int16()), ("mode", pa.string()),
    ("ignore", pa.list_(pa.string())), ("background", pa.string()), ("width", pa.int32()),
    ("height", pa.int32()), ("taken", pa.string()), ("day", pa.int32()), ("offset", pa.int16()),
    ("dateSource", pa.string()), ("latitude", pa.float64()), ("longitude", pa.float64()),
    ("camera", pa.string()), ("rating", pa.int16()), ("colors", pa.list_(COLOR)),
    ("notes", pa.list_(pa.string())), ("pictureHash", pa.string()), ("thumbnail", pa.binary()),
    ("error", pa.string()), ("errorKind", pa.string()),
])
"""The columns; every one may be null but ``path``."""

_BINARY = ("pathBytes", "thumbnail")


def row(record):
    """Turns a record, as JSON has it, into a row: binary columns as bytes, no ``v``."""
    found = {name: record.get(name) for name in SCHEMA.names}
    for name in _BINARY:
        if found[name] is not None:
            found[name] = base64.b64decode(found[name])
    for color in found["colors"] or ():
        color.setdefault("displayP3", None)
    return found


def line(row):
    """Turns a row into the line of JSON that ``moody import`` reads. Null columns are left out."""
    record = {"v": 1}
    for name in SCHEMA.names:
        value = row.get(name)
        if value is None:
            continue
        if name in _BINARY:
            value = base64.b64encode(value).decode()
        elif name == "colors":
            value = [{key: part for key, part in color.items() if part is not None} for color in value]
        elif name in ("ignore", "notes"):
            value = list(value)
            if not value:
                continue
        record[name] = value
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def batch(rows):
    """A RecordBatch of :data:`SCHEMA`."""
    return pa.RecordBatch.from_pylist(rows, schema=SCHEMA)
