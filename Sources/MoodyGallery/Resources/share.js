
// ---- What leaves the page: files, cards, what is dragged

// All colors of a photo as CSS, in the format that is chosen.
const css = ({name, swatches}) => [
  `/* ${inComment(oneLine(name))} */`, ':root {',
  ...swatches.map((swatch, at) => `  --color-${at + 1}: ${written(swatch)}; /* ${[inComment(swatch.name), percent(swatch.share)].filter(Boolean).join(', ')} */`),
  '}', '',
].join('\n');
const stemOf = photo => photo.name.replace(/\.[^.]*$/, '') || 'palette';
const download = (blob, name) => {
  const url = URL.createObjectURL(blob);
  html('a', {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
const save = async (photo, kind) => {
  if (kind === 'png') return download(await blobOf(drawCard(photo, null, [1280, 480])), `${stemOf(photo)}.png`);
  const [, type, end] = files[kind];
  download(new Blob([fileOf(photo, kind)], {type}), `${stemOf(photo)}.${end}`);
};
for (const [kind, [,,, label]] of [...Object.entries(files), ['png', [0, 0, 0, 'PNG']]]) {
  $('.saves', view).append(html('button', {name: 'save', value: kind, textContent: label}), ' ');
}

// A card: the photo, its strip without a gap, and below it each color with its name; 1080 x 1350 or 1920 x 1080. The command's
// (CardLayout.swift) stands in the same places.
const cardSizes = {portrait: [1080, 1350], wide: [1920, 1080], copy: [1080, 1350]};
const cardLayout = (aspect, number, [wide, high]) => {
  const margin = 60, inner = wide - 2 * margin, strip = 140, row = 96;
  const columns = Math.min(Math.max(1, number), Math.floor(inner / 190)), rows = Math.ceil(Math.min(number, 3 * columns) / columns);
  const below = number ? strip + 36 + rows * row : 0, room = high - 2 * margin - below;
  // Without a photo the strip is as high as there is room for.
  const width = aspect ? Math.min(inner, room * aspect) : inner, height = aspect ? Math.max(1, width / aspect) : 0;
  const band = aspect ? Math.max(width, Math.min(inner, 640)) : inner, bandHeight = aspect ? strip : strip + room;
  const top = aspect ? (high - below - height) / 2 : margin;
  return {photo: [(wide - width) / 2, top, width, height], strip: [(wide - band) / 2, top + height, band, bandHeight],
    legend: {left: (wide - Math.max(band, inner)) / 2, top: top + height + bandHeight + 36, column: inner / columns, columns, row, count: Math.min(number, 3 * columns)}};
};
const drawCard = (photo, picture, size) => {
  const canvas = html('canvas', {width: size[0], height: size[1]}), paper = canvas.getContext('2d'), {swatches} = photo;
  const {photo: frame, strip, legend} = cardLayout(picture && photo.aspect, swatches.length, size);
  paper.fillStyle = '#ffffff';
  paper.fillRect(0, 0, ...size);
  if (picture) paper.drawImage(picture, ...frame);
  let x = Math.round(strip[0]);
  pixelWidths(swatches, Math.round(strip[2])).forEach((width, at) => {
    paper.fillStyle = swatches[at].hex;
    paper.fillRect(x, Math.round(strip[1]), width, Math.round(strip[3]));
    x += width;
  });
  swatches.slice(0, legend.count).forEach((swatch, at) => {
    const left = legend.left + at % legend.columns * legend.column, top = legend.top + Math.floor(at / legend.columns) * legend.row;
    paper.fillStyle = swatch.hex;
    paper.fillRect(left, top, 24, 24);
    paper.strokeStyle = 'rgb(0 0 0 / 0.15)';
    paper.strokeRect(left + 0.5, top + 0.5, 23, 23);
    paper.fillStyle = '#1a1a1a';
    paper.font = '500 26px system-ui, sans-serif';
    paper.fillText(swatch.hex, left + 36, top + 22, legend.column - 48);
    paper.fillStyle = '#666666';
    paper.font = '400 20px system-ui, sans-serif';
    paper.fillText(swatch.name, left + 36, top + 52, legend.column - 48);
  });
  return canvas;
};
const blobOf = canvas => new Promise((done, fail) => {
  try { canvas.toBlob(blob => blob ? done(blob) : fail(new Error('empty'))); } catch (error) { fail(error); }
});
const makeCard = async (photo, kind) => {
  const url = largeOf(photo) ?? pictureOf(photo), picture = url && html('img', {src: url});
  try {
    if (picture) await picture.decode();
    return await blobOf(drawCard(photo, picture, cardSizes[kind]));
  } catch { // A page that is opened from a disk may show its pictures and not read them.
    say(`This browser does not let a page from a disk read its pictures: moody export card ${photo.id} makes the card`);
    return null;
  }
};
const giveCard = async (photo, kind) => {
  const blob = await makeCard(photo, kind);
  if (!blob) return;
  if (kind !== 'copy') return download(blob, `${stemOf(photo)}-card.png`);
  try {
    await navigator.clipboard.write([new ClipboardItem({'image/png': blob})]);
    say('The card is copied');
  } catch {
    say('This browser does not let a page copy pictures');
  }
};

// A swatch that is dragged out is its color as text, and a color to programs that know one.
view.addEventListener('dragstart', event => {
  const button = event.target.closest?.('.big');
  if (!button) return;
  const swatch = open.swatches[button.value], [r, g, b] = channels(swatch.hex).map(value => value * 257);
  event.dataTransfer.setData('text/plain', written(swatch));
  event.dataTransfer.setData('application/x-color', String.fromCharCode(...[r, g, b, 65535].flatMap(value => [value & 255, value >> 8])));
});
