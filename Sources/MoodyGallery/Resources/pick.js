
// ---- The eyedropper: colors of single pixels of the large photo

let isPicking = false, picked = null;
// The photo as pixels that can be read; null where a page that is opened from a disk may not read its pictures.
let pixels = null;
const readable = () => {
  const picture = $('.photo img', view);
  if (!picture?.complete || !picture.naturalWidth) return null;
  // The element is the same when a larger picture takes the thumbnail's place.
  if (pixels?.picture === picture && pixels.source === picture.currentSrc) return pixels;
  const canvas = html('canvas', {width: picture.naturalWidth, height: picture.naturalHeight});
  const paper = canvas.getContext('2d', {willReadFrequently: true});
  paper.drawImage(picture, 0, 0);
  try { paper.getImageData(0, 0, 1, 1); } catch { return null; }
  return pixels = {picture, source: picture.currentSrc, paper};
};
// The pixel under a place of the window, as a hex; null beside the photo.
const pixelAt = (x, y) => {
  const read = readable(), box = read?.picture.getBoundingClientRect();
  if (!read || x < box.left || y < box.top || x >= box.right || y >= box.bottom) return null;
  const {naturalWidth: wide, naturalHeight: high} = read.picture, scale = Math.min(box.width / wide, box.height / high);
  // The picture stands in the middle of its box.
  const [column, row] = [(x - box.left - (box.width - wide * scale) / 2) / scale, (y - box.top - (box.height - high * scale) / 2) / scale];
  if (column < 0 || row < 0 || column >= wide || row >= high) return null;
  const [r, g, b] = read.paper.getImageData(Math.floor(column), Math.floor(row), 1, 1).data;
  return toHex([r / 255, g / 255, b / 255]);
};
// The color of the palette that is nearest to one.
const nearestOf = (photo, hex) => {
  const lab = cielab(hex), far = photo.swatches.map(swatch => distance(lab, cielab(swatch.hex), 0));
  return photo.swatches[far.indexOf(Math.min(...far))] ?? null;
};
const wordsFor = hex => {
  const near = open && nearestOf(open, hex), color = written({hex});
  return !near ? color : near.hex === hex ? `${color}, ${near.name}` : `${color}, near ${near.name} ${written(near)}`;
};
const showPicked = hex => {
  picked = hex;
  $('.under', view).replaceChildren(...hex ? [chip(hex), ` ${wordsFor(hex)}`] : []);
};
const setPicking = isOn => {
  isPicking = isOn;
  $('[name=pick]', view).ariaPressed = isOn;
  view.classList.toggle('picking', isOn);
  showPicked(null);
};
const togglePicking = async () => {
  if (isPicking) return setPicking(false);
  if (readable()) return setPicking(true);
  if (!window.EyeDropper) return say('This browser does not let a page from a disk read its pictures');
  try { // The browser's own, which reads what stands on the screen.
    const {sRGBHex} = await new EyeDropper().open();
    copy(written({hex: sRGBHex}), wordsFor(sRGBHex));
  } catch { } // Escape.
};
for (const kind of ['pointermove', 'pointerdown']) {
  view.addEventListener(kind, event => { if (isPicking) showPicked(pixelAt(event.clientX, event.clientY)); });
}
// Before the click that would zoom.
view.addEventListener('click', event => {
  if (!isPicking || !event.target.closest('.photo')) return;
  event.stopImmediatePropagation();
  // The color that was shown: a click has whole coordinates, and the pixel there may be a neighbor.
  const hex = picked ?? pixelAt(event.clientX, event.clientY);
  if (hex) copy(written({hex}), wordsFor(hex));
}, true);
