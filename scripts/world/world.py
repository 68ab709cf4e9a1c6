#!/usr/bin/env python3
"""Makes the files of the world, and compares what is read of them with what outside readers see.

world.py make FOLDER ROOT        ROOT: the package
world.py compare FOLDER ROOT     prints the table, and each disagreement; status 1 for some without a reason
world.py document FOLDER ROOT    the same, and puts the table into docs/FORMATS.md
"""

import collections, concurrent.futures, json, pathlib, re, sys

import numpy

import newer_writers, readers, scenes, tiff_writers, words, writers

KNOWN = pathlib.Path(__file__).parent / "known.tsv"
NEAR = 3


def make(folder, root, what):
    world = scenes.World(folder, root)
    for writer in (*writers.OLDER, *newer_writers.NEWER, tiff_writers.tiff, newer_writers.profiles):
        writer(world)
    words.add_words(world)
    words.break_some(world)
    world.save()
    kinds = {line["kind"] for line in world.lines.values()}
    print(f"world: {len(world.lines)} files of {len(kinds)} kinds")
    print(f"{len(world.missing)} that no writer at hand makes")
    reasons = collections.Counter(
        f"{name.split('-')[0]}: {reason[:70]}" for name, reason in world.missing.items()
    )
    for reason, count in reasons.most_common(12):
        print(f"  {count:4} {reason}")


def outside(job):
    """What readers see of a file: a grid for each that reads it, a reason for each that does not."""
    path, kind = job
    seen, refused = {}, {}
    found = readers.readers(kind)
    for index, (name, read) in enumerate([*found, readers.MAGICK]):
        values = list(seen.values())
        if index >= 2 and any(
            readers.distance(a, b) <= NEAR for i, a in enumerate(values) for b in values[:i]
        ):
            break
        try:
            seen[name] = readers.grid(read(path))
        except Exception as error:
            refused[name] = f"{type(error).__name__}: {str(error)[:80]}"
    return seen, refused


def truth_of(scene, alphas):
    """The grid of a scene that was written without loss."""
    array = alphas[scene[:-6]] if scene.endswith("-alpha") else scenes.with_alpha(alphas[scene][..., :3])
    if not scene.endswith("-alpha"):
        array = array.copy()
        array[..., 3] = 255
    return readers.grid(array)


def colors(line, ours, seen, truth):
    """None when there is nothing to say; else the disagreement."""
    others = dict(seen)
    if truth:
        others["truth"] = truth
    if ours.get("error"):
        if len(seen) >= 2:
            return f"refused ({ours['error']}), but {', '.join(seen)} read it"
        return None
    if not others:
        return None
    near = [name for name, grid in others.items() if readers.distance(ours["grid"], grid) <= NEAR]
    if near:
        return None
    agree = [
        (a, b)
        for i, a in enumerate(others)
        for b in list(others)[:i]
        if readers.distance(others[a], others[b]) <= NEAR
    ]
    if agree or "truth" in others:
        far = {name: round(float(readers.distance(ours["grid"], grid)), 1) for name, grid in others.items()}
        return f"other colors than {far}"
    return None


def broken(line, both, base, seen):
    """What a broken file has to be: a picture like the whole one, or cut."""
    strict, kept = both["strict"], both["kept"]
    whole = base["strict"]
    if whole.get("error"):
        return None
    if not strict.get("error"):
        same = readers.distance(strict["grid"], whole["grid"]) <= NEAR
        if not same and not strict["notes"] and line["way"] != "zeros":
            return "another picture, without a note"
        return None
    intact = [name for name, grid in seen.items() if readers.distance(grid, whole["grid"]) <= NEAR]
    if len(intact) >= 2 and line["way"] not in ("zeros", "checksum"):
        return f"refused ({strict['error']}), but {', '.join(intact)} see the whole picture"
    if line["way"].startswith("cut") and not strict["error"].startswith(("file ends", "not a picture")):
        return f"cut, but: {strict['error']}"
    if not kept.get("error") and kept["rows"] > whole["rows"]:
        return "more rows than there are"
    return None


def wording(ours, exif):
    """Date and place against exiftool's."""
    problems = []
    if ours.get("error"):
        return problems
    date = words.date_of(exif)
    said = (ours.get("date") or "")[:19]
    if (date or "").replace("-", ":") != said.replace("-", ":"):
        problems.append(f"date {said or 'none'}, exiftool {date}")
    place = tuple(
        exif.get(f"Composite:{name}", exif.get(f"XMP-exif:{name}"))
        for name in ("GPSLatitude", "GPSLongitude")
    )
    if place[0] is not None or ours.get("place"):
        mine = ours.get("place") or (None, None)
        if None in place or None in mine or max(abs(a - b) for a, b in zip(place, mine)) > 1e-4:
            problems.append(f"place {mine}, exiftool {place}")
    return problems


def compare(folder, root, what):
    world = json.loads((pathlib.Path(folder) / "world.json").read_text())
    ours = json.loads((pathlib.Path(folder) / "read.json").read_text())
    files = pathlib.Path(folder) / "files"
    base = scenes.World(f"{folder}/compare", root).alphas
    exif = words.words_of(files)
    jobs = [(files / name, line["kind"]) for name, line in world.items()]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        found = dict(zip(world, pool.map(outside, jobs, chunksize=8)))
    known = [line.split("\t") for line in KNOWN.read_text().splitlines() if line and not line.startswith("#")]
    table = collections.defaultdict(lambda: collections.Counter())
    unexplained, explained, undecided = [], collections.Counter(), 0
    for name, line in sorted(world.items()):
        seen, refused = found[name]
        both = ours[name]
        problems = []
        if line["about"] == "broken":
            problem = broken(line, both, ours[line["base"]], seen)
        else:
            truth = truth_of(line["scene"], base) if line["scene"] else None
            problem = colors(line, both["strict"], seen, truth)
            undecided += len(seen) < 2 and not truth
            problems += wording(both["strict"], exif.get(name, {}))
        problems += [problem] if problem else []
        verdict = "refused" if both["strict"].get("error") else "read"
        for text in problems:
            reason = next((row[2] for row in known if re.search(row[0], name) and row[1] in text), None)
            if reason:
                explained[reason] += 1
                verdict = "known"
            else:
                unexplained.append(f"{name}: {text}; refused by {refused}" if refused else f"{name}: {text}")
                verdict = "WRONG"
        table[line["kind"], line["about"]][verdict] += 1
    lines = rows(table)
    if what == "document":
        document(root, lines)
    print("\n".join(lines))
    print(
        f"{len(world)} files, {undecided} with fewer than two readers; {sum(explained.values())} known, "
        f"{len(unexplained)} without a reason"
    )
    for reason, count in explained.most_common():
        print(f"  {count:4} {reason}")
    for text in unexplained:
        print(text)
    return 1 if unexplained else 0


def rows(table):
    """A table in Markdown, kind by property."""
    abouts = ["read", "depth", "alpha", "profile", "orientation", "date", "place", "animation", "broken"]
    lines = ["| kind | " + " | ".join(abouts) + " |", "|---|" + "---|" * len(abouts)]
    for kind in sorted({kind for kind, _ in table}):
        cells = []
        for about in abouts:
            counts = sorted(table.get((kind, about), {}).items(), key=lambda count: count[0] != "read")
            cells.append(", ".join(f"{count} {verdict}" for verdict, count in counts))
        lines.append(f"| {kind} | " + " | ".join(cells) + " |")
    return lines


def document(root, lines):
    """Puts the table between its marks in FORMATS.md."""
    path = pathlib.Path(root) / "docs/FORMATS.md"
    before, rest = path.read_text().split("<!-- world -->\n")
    path.write_text(
        before
        + "<!-- world -->\n"
        + "\n".join(lines)
        + "\n<!-- /world -->"
        + rest.split("<!-- /world -->")[1]
    )


if __name__ == "__main__":
    what, folder, root = sys.argv[1:]
    numpy.seterr(all="ignore")
    sys.exit((make if what == "make" else compare)(folder, root, what))
