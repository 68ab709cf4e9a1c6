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

const perSwatch = 4; // A swatch in a row: hex, share, number of its name, Display P3 or 0.
class Photo {
  // Of a row of #data: what stands where is written by GalleryPage+Data.swift.
  constructor(row, index) {
    this.row = row;
    this.index = index;
    this.id = row[0];
    this.aspect = row[1] || 1.5;
    this.section = row[11];
  }
  get day() { return this.row[2]; }
  get time() { return this.row[3]; }
  get name() { return this.row[4]; }
  get place() { return this.row[6]; }
  get camera() { return this.row[7]; }
  get path() { return this.row[8]; }
  get size() { return this.row[9]; }
  get notes() { return this.row[10]; }
  get pictures() { return this.row[12]; }
  // Largest first. Objects are made for the few photos that are looked at.
  get swatches() {
    const colors = this.row[5];
    return this.own ??= Array.from({length: colors.length / perSwatch}, (_, at) => ({
      hex: colors[at * perSwatch], share: colors[at * perSwatch + 1], name: data.names[colors[at * perSwatch + 2]] ?? '', p3: colors[at * perSwatch + 3] || null,
    }));
  }
}
const photos = data.rows.map((row, index) => new Photo(row, index));
const byID = new Map(photos.map(photo => [photo.id, photo]));
const all = collect(gather(data.rows.map(row => row[5]), perSwatch),
  mood => [4, 8, 6, 7].map(at => data.rows[mood][at]), mood => data.rows[mood][2]);

// The colour that a photo is remembered by, and how light the photo is: for the orders. Written when first asked for.
const {swatches} = all;
const accents = new Float64Array(photos.length).fill(-1), lightnesses = new Float64Array(photos.length);
let judged = 0;
const judge = (end = photos.length) => {
  for (; judged < end; judged++) {
    const begin = swatches.first[judged], stop = swatches.first[judged + 1], accent = data.rows[judged][13];
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
const image = (photo, sizes) => {
  const url = pictureOf(photo);
  if (!url) return html('span', {className: 'blank', textContent: photo.name});
  const picture = html('img', {alt: photo.name, decoding: 'async', draggable: false});
  // The photo's own largest colour until it is there, for grey would look like a photo that is not.
  if (photo.row[5].length) picture.style.backgroundColor = photo.row[5][0];
  if (photo.pictures & 2) {
    picture.sizes = sizes;
    picture.srcset = `${url} 320w, sharp/${photo.id}.jpg 640w`;
  }
  picture.src = url;
  return picture;
};
