"""Makes stores and streams of strangers in the current folder, from the fixtures of ManagedObjectsTests ($FIXTURES) and a
store of moody, base.moody."""
import os, plistlib, shutil, sqlite3
from plistlib import UID
F = os.environ["FIXTURES"] + "/"

def opened(name, source=F + "SampleModel_V1.sqlite"):
    shutil.copy(source, name); c = sqlite3.connect(name); c.execute("PRAGMA journal_mode=DELETE")
    c.create_function("NSCoreDataDATriggerUpdatedAffectedObjectValue", -1, lambda *a: None); return c
def done(c): c.commit(); c.close()

# Property lists of Z_METADATA: numbers of objects, two bytes each.
def bplist(objects):
    out, offsets = b"bplist00", []
    for o in objects: offsets.append(len(out)); out += o
    return out + b"".join(x.to_bytes(4, "big") for x in offsets) + b"\0" * 6 + bytes([4, 2]) + len(objects).to_bytes(8, "big") + (0).to_bytes(8, "big") + len(out).to_bytes(8, "big")
def text(t): t = t.encode(); return bytes([0x50 | len(t)]) + t if len(t) < 15 else b"\x5f\x10" + bytes([len(t)]) + t
def array(refs): return bytes([0xA0 | len(refs)]) + b"".join(r.to_bytes(2, "big") for r in refs)
def wrapped(rest):
    return bplist([b"\xD2" + b"".join(r.to_bytes(2, "big") for r in (1, 2, 3, 4)), text("NSStoreModelVersionHashes"), text("x"), b"\xD0"] + rest)
for name, rest in {"plist-tens": [array([5 + i] * 10) for i in range(8)] + [text("lol")], "plist-self": [array([4])],
                   "plist-deep": [array([5 + i]) for i in range(500)] + [text("end")]}.items():
    c = opened(name + ".sqlite"); c.execute("UPDATE Z_METADATA SET Z_PLIST = ?", (wrapped(rest),)); done(c)

# Models of Z_MODELCACHE.
def model(kind, k):
    O = ["$null"]
    def add(x): O.append(x); return UID(len(O) - 1)
    def cls(*n): return add({"$classname": n[0], "$classes": list(n)})
    cModel, cEnt = cls("NSManagedObjectModel", "NSObject"), cls("NSEntityDescription", "NSObject")
    cAttr, cComp = cls("NSAttributeDescription", "NSPropertyDescription"), cls("NSCompositeAttributeDescription", "NSAttributeDescription", "NSPropertyDescription")
    cDict, cArr, cFun = cls("NSDictionary", "NSObject"), cls("NSArray", "NSObject"), cls("NSFunctionExpression", "NSExpression")
    nm, en = add("a"), add("Person")
    arr = {"$class": cArr, "NS.objects": []}; aU = add(arr)
    if kind == "composite": prop = add({"$class": cComp, "NSAttributeType": 2100, "NSPropertyName": nm, "NSCompositeElements": aU}); arr["NS.objects"] = [prop] * k
    else:
        e = add({"$class": cFun, "NSSelectorName": add("now"), "NSArguments": aU}); arr["NS.objects"] = [e] * k
        prop = add({"$class": cAttr, "NSAttributeType": 900, "NSPropertyName": nm, "NSDerivationExpression": e})
    props = add({"$class": cDict, "NS.keys": [nm], "NS.objects": [prop]})
    ent = add({"$class": cEnt, "NSEntityName": en, "NSProperties": props})
    root = add({"$class": cModel, "NSEntities": add({"$class": cDict, "NS.keys": [en], "NS.objects": [ent]})})
    return plistlib.dumps({"$archiver": "NSKeyedArchiver", "$version": 100000, "$objects": O, "$top": {"root": root}}, fmt=plistlib.FMT_BINARY)
for kind, k in (("composite", 10), ("expression", 3)):
    c = opened(f"model-{kind}.sqlite"); c.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = ?", (model(kind, k),)); done(c)

# A view in place of Z_PRIMARYKEY.
c = opened("view.sqlite"); c.execute("DROP TABLE Z_PRIMARYKEY")
c.execute("CREATE VIEW Z_PRIMARYKEY AS WITH RECURSIVE c(a) AS (SELECT 1 UNION ALL SELECT a+1 FROM c) SELECT a AS Z_ENT,'x'||a AS Z_NAME,0 AS Z_SUPER,0 AS Z_MAX FROM c"); done(c)
# Counters of a history that are no numbers: store migrate.
for name, value in (("history-null", "NULL"), ("history-text", "'x'")):
    c = opened(name + ".sqlite"); s = sqlite3.connect(F + "SampleModel2_V2.sqlite")
    for (sql,) in s.execute("SELECT sql FROM sqlite_master WHERE tbl_name IN ('ATRANSACTION','ACHANGE','ATRANSACTIONSTRING') AND sql NOT NULL ORDER BY type DESC"): c.execute(sql)
    c.execute(f"INSERT INTO Z_PRIMARYKEY VALUES (16001,'CHANGE',0,{value}),(16002,'TRANSACTION',0,{value}),(16003,'TRANSACTIONSTRING',0,{value})"); done(c)
# Control characters for a terminal.
c = opened("escapes.sqlite", F + "SampleModel2_V2.sqlite")
p = plistlib.loads(c.execute("SELECT Z_PLIST FROM Z_METADATA").fetchone()[0]); p["note"] = "\x1b]0;owned\x07\x1b[2Jhello"
c.execute("UPDATE Z_METADATA SET Z_PLIST = ?, Z_UUID = 'u\x1b[31mid'", (plistlib.dumps(p, fmt=plistlib.FMT_BINARY),))
c.execute("UPDATE ATRANSACTIONSTRING SET ZNAME = '\x1b[31mred' || Z_PK"); c.execute('CREATE TABLE "Z\x1b[31mT" (a)')
c.execute("UPDATE ZFEEDBACK SET ZCOMMENT = 'c\u009b31mx\u202e' WHERE Z_PK = 1"); done(c)
# Two indexes whose names are one text to Swift: ingest.
if os.path.exists("base.moody"):
    c = opened("indexes.moody", "base.moody"); c.execute('CREATE INDEX "x\u00e9" ON ZPHOTO(ZSIZE)'); c.execute('CREATE INDEX "xe\u0301" ON ZPHOTO(ZSIZE)'); done(c)
# XML stores that cost a square.
H = '<?xml version="1.0"?>\n<database>\n<databaseInfo><version>134481920</version><UUID>7C0F5B7B-0000-4000-8000-000000000001</UUID><nextObjectID>%d</nextObjectID><metadata><plist version="1.0"><dict><key>NSStoreModelVersionHashes</key><dict></dict></dict></plist></metadata></databaseInfo>\n'
R = 4000
open("relationships.xml", "w").write(H % 3 + '<object type="A" id="z1">' + "".join(f'<relationship name="r{i}" type="0/0" destination="A" idrefs="z1"></relationship>' for i in range(R)) + "</object></database>")
open("entities.xml", "w").write(H % (R + 2) + "".join(f'<object type="E{i}" id="z{i}"><relationship name="r" type="0/1" destination="E{max(1, i - 1)}" idrefs="z{i}"></relationship></object>' for i in range(1, R + 1)) + "</database>")
# Streams of tar: extract --tar.
def header(name, size, kind, wide=False):
    h = bytearray(512); h[0:len(name)] = name; h[100:124] = b"0000644\0" + b"0000000\0" * 2
    h[124:136] = b"\x80\0\0\0" + size.to_bytes(8, "big") if wide else b"%011o\0" % size
    h[136:156] = b"%011o\0" % 0 + b" " * 8; h[156:157] = kind; h[257:265] = b"ustar\0" + b"00"; h[148:156] = b"%06o\0 " % sum(h); return bytes(h)
MAX = 2**63 - 1
record = b"28 size=%d\n" % MAX
assert len(record) == 28
open("label.tar", "wb").write(header(b"x", MAX, b"V", True) + b"\0" * 1024)
open("folder.tar", "wb").write(header(b"p", 28, b"x") + record.ljust(512, b"\0") + header(b"dir/", 0, b"0") + b"\0" * 1024)
open("sparse.tar", "wb").write(header(b"f.jpg", MAX, b"S", True) + b"\0" * 1024)
