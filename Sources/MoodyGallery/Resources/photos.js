// The page. Its photos stand in a <noscript> for those without a script, which is text to everyone else, and in short in
// #data; rows are made from that when they come near the window. Search and colours: search.js, above.

const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const svg = (name, attributes = {}, ...children) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  element.append(...children);
  return element;
};
const html = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};
const data = JSON.parse($('#data').textContent);
learn(data.words);
const monthName = number => monthNames[number - 1][0].toUpperCase() + monthNames[number - 1].slice(1);
const percent = share => share >= 0.005 ? `${Math.round(share * 100)} %` : share > 0 ? '< 1 %' : '0 %';

// ---- Photos

// The rows of #data as lists, one of each kind of fact: what stands where is written by GalleryPage+Data.swift. Ten thousand rows
// would stay as many objects as that takes ten times, and each time the browser looks for what is no longer used it looks at all.
const perSwatch = 4; // Of a row's colours: hex, share, number of its name, Display P3 or 0.
const column = at => data.rows.map(row => row[at]);
const facts = {
  id: column(0), aspect: Float64Array.from(data.rows, row => row[1] || 1.5), day: column(2), time: column(3), name: column(4),
  place: column(6), camera: column(7), path: column(8), size: column(9), section: Uint32Array.from(data.rows, row => row[11]),
  pictures: Uint8Array.from(data.rows, row => row[12]), accent: Int16Array.from(data.rows, row => row[13]),
};
const notes = new Map(data.rows.map((row, index) => [index, row[10]]).filter(([, texts]) => texts.length));
// Of a path a search reads what stands below the folder that all are in, as the command does.
const commonFolder = paths => {
  let common = paths[0] ?? '';
  for (const path of paths) while (!path.startsWith(common)) common = common.slice(0, -1);
  return common.slice(0, common.lastIndexOf('/') + 1);
};
const folder = commonFolder(facts.path);
const all = collect(gather(data.rows.map(row => row[5]), perSwatch),
  mood => [facts.name[mood], facts.path[mood].slice(folder.length), facts.place[mood], facts.camera[mood]],
  mood => facts.section[mood] === data.undated ? '' : facts.day[mood]);
const {swatches} = all;
const nameAt = Uint32Array.from(data.rows.flatMap(row => row[5].filter((_, at) => at % perSwatch === 2)));
const wide = new Map(data.rows.flatMap(row => row[5].filter((_, at) => at % perSwatch === 3)).map((p3, at) => [at, p3]).filter(([, p3]) => p3));
data.rows = null;

class Photo {
  constructor(index) { this.index = index; }
  get id() { return facts.id[this.index]; }
  get aspect() { return facts.aspect[this.index]; }
  get section() { return facts.section[this.index]; }
  get day() { return facts.day[this.index]; }
  get time() { return facts.time[this.index]; }
  get name() { return facts.name[this.index]; }
  get place() { return facts.place[this.index]; }
  get camera() { return facts.camera[this.index]; }
  get path() { return facts.path[this.index]; }
  get size() { return facts.size[this.index]; }
  get pictures() { return facts.pictures[this.index]; }
  // The number of the colour that it goes by, -1 for none.
  get accent() { return facts.accent[this.index]; }
  get notes() { return notes.get(this.index) ?? []; }
  // Largest first. Objects are made for the few photos that are looked at.
  get swatches() {
    const begin = swatches.first[this.index], end = swatches.first[this.index + 1];
    return Array.from({length: end - begin}, (_, at) => ({
      hex: hexOf(swatches.rgb[begin + at]), share: swatches.share[begin + at], name: data.names[nameAt[begin + at]] ?? '',
      p3: wide.get(begin + at) ?? null,
    }));
  }
}
const photos = facts.id.map((_, index) => new Photo(index));
const byID = new Map(photos.map(photo => [photo.id, photo]));

// The colour that a photo is remembered by, and how light the photo is: for the orders. Written when first asked for.
const accents = new Float64Array(photos.length).fill(-1), lightnesses = new Float64Array(photos.length);
let judged = 0;
const judge = (end = photos.length) => {
  for (; judged < end; judged++) {
    const begin = swatches.first[judged], stop = swatches.first[judged + 1], accent = facts.accent[judged];
    readColors(swatches, stop);
    // From where a family begins, so that none is torn apart.
    if (accent >= 0) accents[judged] = (swatches.hue[begin + accent] + 360 - data.firstHue) % 360;
    let sum = 0, shares = 0;
    for (let at = begin; at < stop; at++) {
      sum += swatches.share[at] * swatches.ok[3 * at];
      shares += swatches.share[at];
    }
    lightnesses[judged] = sum / (shares || 1);
  }
};
const familyOf = photo => {
  const accent = accents[photo.index];
  return accent < 0 ? 'Grey' : data.families.find(([end]) => accent < end)[1];
};
const dateOf = photo => {
  if (!photo.day) return '';
  const [year, month, day] = photo.day.split('-');
  return `${+day} ${monthName(+month)} ${year}`;
};

// Pictures in the page stand once, in the text for those without a script.
const unscripted = () => $('noscript')?.textContent ?? '';
const ownPictures = new Map();
if (data.inside) {
  for (const [, id, url] of unscripted().matchAll(/\x3cfigure id="m(-?\d+)"[^>]*>\n<a [^>]*>\x3cimg src="(data:image\/jpeg;base64,[A-Za-z0-9+/=]*)"/g)) {
    ownPictures.set(+id, url);
  }
}
const pictureOf = photo => {
  if (data.inside) return ownPictures.get(photo.id) ?? null;
  return photo.pictures ? `pictures/${photo.id}.jpg` : null;
};
const image = (photo, sizes, isNow = true) => {
  const url = pictureOf(photo);
  if (!url) return html('span', {className: 'blank', textContent: photo.name});
  const picture = html('img', {alt: photo.name, decoding: 'async', draggable: false});
  // In rows the photo's own largest colour until it is there, for grey would look like a photo that is not. In the large view it
  // would stand beside a picture that is narrower than its place.
  const first = swatches.first[photo.index];
  if (!isNow && first < swatches.first[photo.index + 1]) picture.style.backgroundColor = hexOf(swatches.rgb[first]);
  const ask = () => {
    if (photo.pictures & 2) {
      picture.sizes = sizes;
      picture.srcset = `${url} 320w, sharp/${photo.id}.jpg 640w`;
    }
    picture.src = url;
  };
  if (isNow) ask();
  else waiting.set(picture, ask);
  return picture;
};
// Pictures of rows are asked for a few a frame, in the order in which their rows were made: the first when those rows have been seen,
// and none while the page goes by so fast that nobody would see it, for to ask for a picture and to take it in is half of what a
// frame costs then.
const waiting = new Map();
let isFetching = false, calm = 0;
const fetchPictures = () => {
  if (isFetching) return;
  [isFetching, calm] = [true, 0];
  fetchSome(scrollY);
};
const fetchSome = before => requestAnimationFrame(() => {
  // For so many frames it has gone slowly.
  calm = Math.abs(scrollY - before) > innerHeight / 4 ? 0 : calm + 1;
  let left = calm > 1 ? 6 : 0;
  for (const [picture, ask] of waiting) {
    if (picture.isConnected && !left) break;
    waiting.delete(picture);
    if (picture.isConnected) ask(), left--;
  }
  isFetching = waiting.size > 0;
  if (isFetching) fetchSome(scrollY);
});
