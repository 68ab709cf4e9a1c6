#!/bin/sh
# Makes the archives of this folder: the same photos by several programs. trip.tar is GNU tar's; ArchiveTests unpacks it with
# GNU tar to have the folder that all others must equal.
#
# usage: Tests/CommandTests/Fixtures/archives/make.sh      needs zip, libarchive-tools, p7zip-full, zstd, xz-utils
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TZ=UTC LC_ALL=C.UTF-8
mkdir -p Trip/sub Trip/.hidden
cp "$here/../forest.jpg" Trip/a.jpg
cp "$here/../slate.png" Trip/sub/ö.png
cp "$here/../desert.jpg" Trip/.hidden/b.jpg
echo words > Trip/notes.txt
echo 'no picture' > Trip/broken.jpg
find Trip -exec touch -d '2024-06-01 12:34:56' {} +
rm -f "$here"/trip.* "$here"/encrypted.*
tar --sort=name --owner=0 --group=0 --numeric-owner -cf "$here/trip.tar" Trip
gzip -n < "$here/trip.tar" > "$here/trip.gnu.tgz"
bsdtar --uid 0 --gid 0 -caf "$here/trip.bsdtar.tar.zst" Trip
bsdtar --uid 0 --gid 0 -caf "$here/trip.bsdtar.tar.xz" Trip
bsdtar --uid 0 --gid 0 --format zip -cf "$here/trip.bsdtar.zip" Trip
zip -qrX "$here/trip.infozip.zip" Trip
zip -qrX - Trip | cat > "$here/trip.stream.zip"
7z a -bd -tzip "$here/trip.7z.zip" Trip > /dev/null
zip -qrX -P secret "$here/encrypted.infozip.zip" Trip
7z a -bd -tzip -psecret -mem=AES256 "$here/encrypted.7z.zip" Trip > /dev/null
