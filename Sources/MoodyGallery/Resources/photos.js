// The page. Its photos stand in a <noscript> for those without a script, which is text to everyone else, and in short in
// #data; rows are made from that when they come near the window. Search and colors: search.js, above.

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

// ---- Photos

// The rows of #data as lists, one of each kind of fact, in the order of the list: what stands where is written by
// GalleryPage+Data.swift. Ten thousand rows would stay as many objects as that takes ten times, and each time the browser looks for
// what is no longer used it looks at all.
const perSwatch = 4; // Of a row's colors: hex, share, number of its name (in a live page the name), Display P3 or 0.
const columns = {id: 0, aspect: 1, day: 2, time: 3, name: 4, place: 6, camera: 7, path: 8, size: 9, section: 11, pictures: 12, accent: 13, version: 14};
const kinds = {aspect: Float64Array, section: Uint32Array, pictures: Uint8Array, accent: Int16Array};
const facts = {}, photos = [], byID = new Map();
let stamps = 0; // Rows so far: a photo whose row is another has another number.
let notes = new Map(), nameAt = new Uint32Array(0), wide = [];
// Of a path a search reads what stands below the folder that all are in, as the command does.
const commonFolder = paths => {
  let common = paths[0] ?? '';
  for (const path of paths) while (!path.startsWith(common)) common = common.slice(0, -1);
  return common.slice(0, common.lastIndexOf('/') + 1);
};
let folder = '';
// Of "41.853° N 12.4888° E, Italy" what a search reads, as the command does.
// In the user's language and, where that is another, in English.
const countryOf = place => {
  const name = place.includes(', ') ? place.slice(place.indexOf(', ') + 2) : '', english = data.countries?.[name];
  return english ? `${english} ${name}` : name;
};
const all = collect(gather([], perSwatch),
  mood => [facts.name[mood], facts.path[mood].slice(folder.length), countryOf(facts.place[mood]), facts.camera[mood]],
  mood => facts.section[mood] === data.undated ? '' : facts.day[mood]);
const {swatches} = all;
const nameNumbers = new Map(data.names.map((name, at) => [name, at]));
const numberOf = name => {
  if (typeof name === 'number') return name;
  if (!nameNumbers.has(name)) nameNumbers.set(name, data.names.push(name) - 1);
  return nameNumbers.get(name);
};
// Puts these into the catalog, in their order: an entry is a row, or the place of a photo that stays. Nothing is computed anew of
// what stays, and its Photo stays the same object.
const fillCatalog = entries => {
  const isOld = entry => typeof entry === 'number', was = {...facts}, old = {...swatches}, oldNotes = notes, oldWide = wide, oldNames = nameAt;
  const isKnown = old.known === old.count, oldFolder = folder;
  // Photos that stay stand in long runs, which are copied as they are: [first, end, where they were, -1 for rows].
  const runs = [];
  for (let at = 0; at < entries.length;) {
    const from = isOld(entries[at]) ? entries[at] : -1;
    let end = at + 1;
    while (end < entries.length && (from < 0 ? !isOld(entries[end]) : entries[end] === from + end - at)) end++;
    runs.push([at, end, from]);
    at = end;
  }
  for (const key in columns) {
    const fact = columns[key], column = was[key];
    const parts = runs.map(([at, end, from]) => from < 0 ? entries.slice(at, end).map(row => row[fact] ?? '') : column.slice(from, from + end - at));
    if (kinds[key]) {
      facts[key] = new kinds[key](entries.length);
      runs.forEach(([at], number) => facts[key].set(parts[number], at));
    } else facts[key] = [].concat(...parts);
  }
  folder = commonFolder(facts.path);
  const words = folder === oldFolder ? all.words : [];
  notes = new Map();
  entries.forEach((entry, at) => {
    const texts = isOld(entry) ? oldNotes.get(entry) : entry[10];
    if (texts?.length) notes.set(at, texts);
  });
  const size = entry => isOld(entry) ? old.first[entry + 1] - old.first[entry] : entry[5].length / perSwatch;
  Object.assign(swatches, gather(entries.map(entry => ({length: size(entry) * perSwatch})), perSwatch, false));
  [nameAt, wide] = [new Uint32Array(swatches.count), new Array(swatches.count).fill(0)];
  all.words = [];
  for (const [at, end, entry] of runs) {
    if (entry < 0) {
      for (let row = at; row < end; row++) {
        const to = swatches.first[row];
        entries[row][5].forEach((value, k) => {
          const place = to + Math.floor(k / perSwatch);
          if (k % perSwatch === 0) swatches.rgb[place] = code(value);
          else if (k % perSwatch === 1) swatches.share[place] = value;
          else if (k % perSwatch === 2) nameAt[place] = numberOf(value);
          else wide[place] = value;
        });
      }
      continue;
    }
    const to = swatches.first[at], from = old.first[entry], stop = old.first[entry + end - at];
    for (const key of ['rgb', 'share', 'chroma', 'hue']) swatches[key].set(old[key].subarray(from, stop), to);
    for (const key of ['ok', 'cie']) swatches[key].set(old[key].subarray(3 * from, 3 * stop), 3 * to);
    nameAt.set(oldNames.subarray(from, stop), to);
    for (let k = from; k < stop; k++) wide[to + k - from] = oldWide[k];
    for (let k = at; k < end; k++) if (words[entry + k - at] !== undefined) all.words[k] = words[entry + k - at];
  }
  if (isKnown && old.count) {
    for (let at = 0; at < entries.length; at++) if (!isOld(entries[at])) for (let k = swatches.first[at]; k < swatches.first[at + 1]; k++) readColor(swatches, k);
    swatches.known = swatches.count;
  }
  const before = photos.slice();
  photos.length = 0;
  entries.forEach((entry, at) => {
    let photo = isOld(entry) ? before[entry] : byID.get(facts.id[at]);
    if (!photo) byID.set(facts.id[at], photo = new Photo(at, facts.id[at]));
    photo.index = at;
    if (!isOld(entry)) photo.stamp = ++stamps;
    photos.push(photo);
  });
  for (const photo of before) if (photos[photo.index] !== photo) byID.delete(photo.id);
  [accents, lightnesses, judged] = [new Float64Array(photos.length).fill(-1), new Float64Array(photos.length), 0];
};

class Photo {
  // Its place in the catalog, which may become another in a live page, and its number, which never does.
  constructor(index, id) { [this.index, this.id] = [index, id]; }
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
  // Some digits of its contents in a live page.
  get version() { return facts.version[this.index]; }
  // The number of the color that it goes by, -1 for none.
  get accent() { return facts.accent[this.index]; }
  get notes() { return notes.get(this.index) ?? []; }
  // Largest first. Objects are made for the few photos that are looked at.
  get swatches() {
    const begin = swatches.first[this.index], end = swatches.first[this.index + 1];
    return Array.from({length: end - begin}, (_, at) => ({
      hex: hexOf(swatches.rgb[begin + at]), share: swatches.share[begin + at], name: data.names[nameAt[begin + at]] ?? '',
      p3: wide[begin + at] || null,
    }));
  }
}

// The color that a photo is remembered by, and how light the photo is: for the orders. Written when first asked for.
let accents, lightnesses, judged;
fillCatalog(data.rows);
data.rows = null;
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
  return accent < 0 ? 'Gray' : data.families.find(([end]) => accent < end)[1];
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
  return photo.pictures ? addressOf('pictures', photo) : null;
};
const addressOf = (folder, photo) => `${folder}/${photo.id}.jpg${photo.version && `?v=${photo.version}`}`;
const image = (photo, sizes, isNow = true) => {
  const url = pictureOf(photo);
  if (!url) return html('span', {className: 'blank', textContent: photo.name});
  const picture = html('img', {alt: photo.name, decoding: 'async', draggable: false});
  // In rows the photo's own largest color until it is there, for gray would look like a photo that is not. In the large view it
  // would stand beside a picture that is narrower than its place.
  const first = swatches.first[photo.index];
  if (!isNow && first < swatches.first[photo.index + 1]) picture.style.backgroundColor = hexOf(swatches.rgb[first]);
  const ask = () => {
    if (photo.pictures & 2) {
      picture.sizes = sizes;
      picture.srcset = `${url} 320w, ${addressOf('sharp', photo)} 640w`;
    }
    picture.src = url;
  };
  picture.addEventListener('load', () => { picture.alt = photo.name; });
  picture.addEventListener('error', () => {
    // The larger one may be missing alone, or for now.
    if (picture.srcset) {
      const {srcset} = picture, larger = html('img', {alt: ''});
      picture.removeAttribute('srcset');
      larger.addEventListener('load', () => { picture.srcset = srcset; });
      if (data.live) setTimeout(() => { if (picture.isConnected) larger.src = addressOf('sharp', photo); }, 5000);
    } else if (data.live) pictureFailed(picture, ask);
  });
  if (isNow) ask();
  else waiting.set(picture, ask);
  return picture;
};
// A picture of a live page that did not come is asked for again, after two seconds, four, ... or when the line is back; until then its
// color stands there.
const failed = new Map();
let retrying = 0, patience = 1000;
const pictureFailed = (picture, ask) => {
  // Without a text no sign of a broken picture stands there; the name is below it.
  picture.alt = '';
  failed.set(picture, ask);
  if (retrying) return;
  patience = Math.min(60_000, 2 * patience);
  retrying = setTimeout(retryPictures, patience);
};
const retryPictures = () => {
  clearTimeout(retrying);
  retrying = 0;
  const pictures = [...failed].filter(([picture]) => picture.isConnected);
  failed.clear();
  if (!pictures.length) patience = 1000;
  for (const [picture, ask] of pictures) waiting.set(picture, ask);
  if (pictures.length) fetchPictures();
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
