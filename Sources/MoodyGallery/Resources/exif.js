// ---- When a photo was taken, put into its JPEG: EXIF 2.32, DateTimeOriginal and its offset. Knows no page.

const exifOf = date => {
  const two = number => String(number).padStart(2, '0');
  const clock = `${date.getFullYear()}:${two(date.getMonth() + 1)}:${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  const minutes = -date.getTimezoneOffset(), offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  const texts = [[0x9003, clock], [0x9011, offset], [0x9291, String(date.getMilliseconds()).padStart(3, '0')]];
  // TIFF, the most significant byte first: a directory with the place of the EXIF one, which has the texts behind it.
  const directory = 26, entries = directory + 2 + 12 * texts.length + 4;
  const size = entries + texts.reduce((sum, [, text]) => sum + (text.length + 1 > 4 ? text.length + 1 + (text.length + 1) % 2 : 0), 0);
  const bytes = new Uint8Array(4 + 6 + size), view = new DataView(bytes.buffer, 10);
  bytes.set([0xFF, 0xE1, (size + 8) >> 8, (size + 8) & 255, 0x45, 0x78, 0x69, 0x66, 0, 0, 0x4D, 0x4D, 0, 42, 0, 0, 0, 8]);
  view.setUint16(8, 1);
  view.setUint16(10, 0x8769);
  view.setUint16(12, 4);
  view.setUint32(14, 1);
  view.setUint32(18, directory);
  view.setUint16(directory, texts.length);
  let at = directory + 2, next = entries;
  for (const [tag, text] of texts) {
    view.setUint16(at, tag);
    view.setUint16(at + 2, 2);
    view.setUint32(at + 4, text.length + 1);
    const to = text.length + 1 > 4 ? next : at + 8;
    if (to === next) view.setUint32(at + 8, next), next += text.length + 1 + (text.length + 1) % 2;
    for (let k = 0; k < text.length; k++) view.setUint8(to + k, text.charCodeAt(k));
    at += 12;
  }
  return bytes;
};
// The JPEG with the moment in it: behind SOI and JFIF's own segment, where EXIF belongs; one that has EXIF stays as it is.
const dated = (jpeg, date) => {
  if (jpeg[0] !== 0xFF || jpeg[1] !== 0xD8) return jpeg;
  let at = 2, place = 2;
  while (jpeg[at] === 0xFF && jpeg[at + 1] >= 0xE0 && jpeg[at + 1] <= 0xEF) {
    const end = at + 2 + (jpeg[at + 2] << 8 | jpeg[at + 3]);
    if (jpeg[at + 1] === 0xE1 && String.fromCharCode(...jpeg.subarray(at + 4, at + 8)) === 'Exif') return jpeg;
    if (jpeg[at + 1] === 0xE0 && at === 2) place = end;
    at = end;
  }
  const exif = exifOf(date), whole = new Uint8Array(jpeg.length + exif.length);
  whole.set(jpeg.subarray(0, place));
  whole.set(exif, place);
  whole.set(jpeg.subarray(place), place + exif.length);
  return whole;
};
