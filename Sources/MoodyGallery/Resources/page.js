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

// ---- Colours as people copy them

const oklch = hex => {
  const lab = oklab(hex), c = chroma(lab);
  return `oklch(${+lab[0].toFixed(3)} ${+c.toFixed(3)} ${c < 0.0005 ? 0 : +hue(lab).toFixed(1)})`;
};
const channels = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));
const hsl = hex => {
  const [r, g, b] = channels(hex).map(v => v / 255), max = Math.max(r, g, b), min = Math.min(r, g, b), d = max - min;
  const h = !d ? 0 : max === r ? (g - b) / d % 6 : max === g ? (b - r) / d + 2 : (r - g) / d + 4, l = (max + min) / 2;
  const s = d ? d / (1 - Math.abs(2 * l - 1)) : 0;
  return `hsl(${Math.round((h * 60 + 360) % 360)} ${Math.round(s * 100)}% ${Math.round(l * 100)}%)`;
};
// SMPTE EG 432-1: both spaces have sRGB's white, so one matrix.
const displayP3 = hex => {
  const [r, g, b] = linear(hex);
  const light = [0.8224621 * r + 0.177538 * g, 0.0331941 * r + 0.9668058 * g, 0.0170827 * r + 0.0723974 * g + 0.9105199 * b];
  return `color(display-p3 ${light.map(v => +gamma(v).toFixed(4)).join(' ')})`;
};
const formats = {
  hex: swatch => swatch.hex, rgb: swatch => `rgb(${channels(swatch.hex).join(' ')})`, hsl: swatch => hsl(swatch.hex),
  oklch: swatch => oklch(swatch.hex), 'Display P3': swatch => swatch.p3 ?? displayP3(swatch.hex),
};
const luminance = hex => linear(hex).reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
const contrast = (p, q) => {
  const [a, b] = [luminance(p), luminance(q)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
};
const inkOn = hex => luminance(hex) > 0.179 ? '#000' : '#fff';
const kept = { // What this browser chose; pages opened from files may have no storage.
  get(key) { try { return localStorage.getItem('moody.' + key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem('moody.' + key, value); } catch { } },
};
let format = formats[kept.get('format')] ? kept.get('format') : 'hex';
const written = swatch => formats[format](swatch);

// ---- Photos

// A row of #data: id, width / height, day, time, name, swatches as hex, share, number of its name, place, camera, path,
// pixels, notes, number of its section by date, larger pictures.
const photos = data.rows.map((row, index) => {
  const [id, aspect, day, time, name, colors, place, camera, path, size, notes, section, pictures] = row;
  const swatches = [];
  for (let at = 0; at < colors.length; at += 4) {
    swatches.push({hex: colors[at], share: colors[at + 1], name: data.names[colors[at + 2]] ?? '', p3: colors[at + 3] || null});
  }
  return {index, id, aspect, day, time, name, swatches, place, camera, path, size, notes, section, pictures};
});
const byID = new Map(photos.map(photo => [photo.id, photo]));
// What a search looks at; read when first needed, and before that when the browser has nothing else to do.
const readPhoto = photo => {
  if (photo.search) return photo.search;
  const texts = [photo.name, photo.path, photo.place, photo.camera];
  photo.search = prepared({swatches: photo.swatches, texts, day: photo.day});
  return photo.search;
};
const accentOf = photo => {
  if (photo.accent === undefined) {
    const accent = accentAmong(readPhoto(photo).swatches);
    photo.accent = accent ? {hue: (accent.hue + 34) % 360, family: families.find(([end]) => accent.hue < end)[1]} : null;
    const {swatches} = readPhoto(photo), all = swatches.reduce((sum, s) => sum + s.share, 0) || 1;
    photo.lightness = swatches.reduce((sum, s) => sum + s.share * s.lab[0], 0) / all;
  }
  return photo.accent;
};
const families = [
  [10, 'Pink'], [42, 'Red'], [82, 'Orange and brown'], [116, 'Yellow'], [160, 'Green'], [222, 'Teal'],
  [286, 'Blue'], [330, 'Purple'], [361, 'Pink'],
];
const dateOf = photo => {
  if (!photo.day) return '';
  const [year, month, day] = photo.day.split('-');
  return `${+day} ${monthName(+month)} ${year}`;
};

// Pictures in the page stand once, in the text for those without a script.
const ownPictures = new Map();
const source = $('noscript')?.textContent ?? '';
if (data.inside) {
  for (const [, id, url] of source.matchAll(/\x3cfigure id="m(-?\d+)"[^>]*>\n<a [^>]*>\x3cimg src="(data:image\/jpeg;base64,[A-Za-z0-9+/=]*)"/g)) {
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
  if (photo.pictures & 2) {
    picture.sizes = sizes;
    picture.srcset = `${url} 320w, sharp/${photo.id}.jpg 640w`;
  }
  picture.src = url;
  return picture;
};

// ---- Saying and copying

const said = $('#said'), view = $('#view'), main = $('main'), input = $('input[type=search]'), count = $('#count');
let silence;
const say = text => {
  said.textContent = text;
  said.className = 'on';
  clearTimeout(silence);
  silence = setTimeout(() => { said.className = ''; }, 1800);
};
const copy = async (text, words = text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // A browser that gives pages opened from files no clipboard still knows the old way.
    const focused = document.activeElement;
    const field = (view.open ? view : document.body).appendChild(html('textarea', {value: text}));
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    focused?.focus();
    if (!done) return say(`This browser does not let a page copy: ${text}`);
  }
  say(`${words} copied`);
};

// ---- The strip: one stop for Tab, arrows inside; the colour in the swatch, words in the caption

const swatchOf = new WeakMap();
// Where each swatch begins and ends, in percent: by share, none under 16 pixels or, where there are too many, equal.
const extents = (shares, width) => {
  const least = Math.min(100 / shares.length, Math.max(3, 1600 / width));
  let narrow = new Set(), sizes = shares;
  for (;;) {
    const wide = shares.reduce((sum, share, at) => narrow.has(at) ? sum : sum + share, 0), room = 100 - least * narrow.size;
    sizes = shares.map((share, at) => narrow.has(at) ? least : wide ? room * share / wide : room / shares.length);
    const more = sizes.map((size, at) => size < least - 1e-9 ? at : -1).filter(at => at >= 0);
    if (!more.length) break;
    more.forEach(at => narrow.add(at));
  }
  let start = 0;
  return sizes.map(size => [start, (start += size) - size]).map(([from], at) => [from, sizes[at]]);
};
const stripOf = (swatches, name, width, className = 'strip') => {
  const strip = svg('svg', {class: className, role: 'group', 'aria-label': `Palette of ${name}`});
  extents(swatches.map(s => s.share), width).forEach(([start, size], index) => {
    const swatch = swatches[index];
    const rect = svg('rect', {
      x: `${start.toFixed(2)}%`, width: `${size.toFixed(2)}%`, height: '100%', fill: swatch.hex, role: 'button',
      tabindex: index ? -1 : 0,
      'aria-label': ['Copy ' + swatch.hex, swatch.name, className === 'strip' ? percent(swatch.share) : ''].filter(Boolean).join(', '),
    });
    swatchOf.set(rect, swatch);
    strip.append(rect);
  });
  return strip;
};
const extent = rect => ['x', 'width'].map(key => parseFloat(rect.getAttribute(key)));
const label = svg('text', {y: '50%', 'text-anchor': 'middle', 'dominant-baseline': 'central'});
const rings = [svg('rect', {class: 'ring wide', height: '100%'}), svg('rect', {class: 'ring', height: '100%'})];
const wordsShown = html('span', {className: 'words', ariaHidden: 'true'});
let shown = null;
const point = rect => {
  if (rect === shown) return;
  shown?.closest('.pointed')?.classList.remove('pointed');
  shown = rect;
  if (!rect) return [label, wordsShown, ...rings].forEach(element => element.remove());
  const swatch = swatchOf.get(rect), strip = rect.parentNode, host = rect.closest('figure, h2');
  const [x, width] = extent(rect), text = written(swatch);
  label.setAttribute('x', `${x + width / 2}%`);
  label.setAttribute('fill', inkOn(swatch.hex));
  const {width: wide, height: high} = rect.getBoundingClientRect();
  label.textContent = wide > text.length * 8.5 && high > 16 ? text : '';
  for (const ring of rings) {
    ring.setAttribute('x', `${x}%`);
    ring.setAttribute('width', `${width}%`);
  }
  strip.append(...(rect.matches(':focus-visible') ? rings : []), label);
  wordsShown.replaceChildren(
    html('b', {textContent: label.textContent ? '' : text}), html('span', {textContent: swatch.name}),
    html('time', {textContent: host.matches('h2') ? '' : percent(swatch.share)}));
  if (host.matches('h2')) strip.before(wordsShown);
  else $('figcaption', host).append(wordsShown);
  host.classList.add('pointed');
};
const rectAt = event => event.target.closest?.('rect[role]');
const focusedRect = () => document.activeElement.closest('rect[role]:focus-visible');
document.addEventListener('pointerover', event => point(rectAt(event) ?? focusedRect()));
document.addEventListener('focusin', () => { if (focusedRect()) { point(null); point(focusedRect()); } });
document.addEventListener('focusout', () => { if (!shown?.matches(':hover')) point(null); });

// A long press shows the colour and copies nothing.
let pressed = 0, held = false;
document.addEventListener('pointerdown', () => { pressed = performance.now(); });
document.addEventListener('pointerup', event => { held = event.pointerType === 'touch' && performance.now() - pressed > 450; });
document.addEventListener('click', event => {
  const rect = rectAt(event);
  if (rect && !held) copy(written(swatchOf.get(rect)));
});
document.addEventListener('keydown', event => {
  const rect = rectAt(event);
  if (!rect || event.ctrlKey || event.metaKey || event.altKey) return;
  const rects = $$('rect[role]', rect.parentNode), at = rects.indexOf(rect);
  const to = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: rects.length - 1}[event.key];
  if (event.key === 'Enter' || event.key === ' ') copy(written(swatchOf.get(rect)));
  else if (to === undefined) return;
  else if (rects[to]) {
    rect.setAttribute('tabindex', -1);
    rects[to].setAttribute('tabindex', 0);
    rects[to].focus();
  }
  event.preventDefault();
});

// ---- Rows: laid out as numbers, made when they come near the window

const gap = 20;
let blocks = [], made = new Map(), listed = photos, marks = new Map(), isMixed = false;
const measures = () => {
  const style = getComputedStyle(document.documentElement), px = name => parseFloat(style.getPropertyValue(name));
  return {width: main.clientWidth - 2 * parseFloat(getComputedStyle(main).paddingLeft), row: px('--row'), strip: px('--strip'),
    caption: px('--caption'), isPhone: matchMedia('(max-width:34rem)').matches};
};
const clamped = aspect => Math.min(3, Math.max(0.5, aspect || 1.5));
// One section's photos as rows as wide as the page; the last keeps the usual height.
const rowsOf = (group, {width, row, strip, caption, isPhone}, top) => {
  const rows = [], below = strip + caption;
  if (isPhone) {
    for (const photo of group) {
      const high = Math.min(innerHeight * 0.78, (width + 32) / clamped(photo.aspect));
      rows.push({top, height: high + below, high, photos: [photo], widths: [width + 32]});
      top += high + below;
    }
    return [rows, top];
  }
  for (let at = 0; at < group.length;) {
    let end = at, sum = 0;
    while (end < group.length && (end === at || row * sum + gap * (end - at) < width)) sum += clamped(group[end++].aspect);
    // Without the last the row may be nearer to the height wanted.
    const fit = (total, number) => (width - gap * (number - 1)) / total;
    const last = clamped(group[end - 1].aspect), isFull = row * sum + gap * (end - at - 1) >= width;
    if (isFull && end - at > 1 && fit(sum - last, end - at - 1) - row < row - fit(sum, end - at)) sum -= clamped(group[--end].aspect);
    const high = isFull ? Math.min(row * 1.5, fit(sum, end - at)) : Math.min(row, fit(sum, end - at));
    const some = group.slice(at, end);
    rows.push({top, height: high + below, high, photos: some, widths: some.map(photo => high * clamped(photo.aspect))});
    top += high + below;
    at = end;
  }
  return [rows, top];
};
let sections = [];
const layOut = () => {
  const size = measures();
  let top = 0;
  blocks = [];
  for (const section of sections) {
    section.top = top;
    if (section.heading) {
      const height = size.isPhone && section.palette ? 96 : 78;
      blocks.push({top, height, section});
      top += height;
    } else top += 24;
    const [rows, end] = rowsOf(section.photos, size, top);
    blocks.push(...rows);
    section.bottom = top = end;
  }
  main.style.height = `${top + 60}px`;
  for (const element of made.values()) element.remove();
  made = new Map();
  show();
  drawScrubber(top);
};
const make = block => {
  if (block.section) return heading(block.section, block);
  const row = html('div', {className: 'row'});
  row.style.top = `${block.top}px`;
  block.photos.forEach((photo, at) => row.append(figureOf(photo, block.widths[at], block.high)));
  return row;
};
const figureOf = (photo, width, high) => {
  const figure = html('figure', {id: `m${photo.id}`});
  figure.style.width = `${width}px`;
  const picture = image(photo, `${Math.round(width)}px`);
  picture.style.height = `${high}px`;
  const link = html('a', {href: `#m${photo.id}`}, picture);
  const caption = html('figcaption', {}, html('bdi', {textContent: photo.name, title: photo.name}));
  if (photo.day && photo.section !== data.undated) {
    const [year, month, day] = photo.day.split('-');
    const text = width < 176 ? (isMixed ? '' : `${+day}`) : isMixed ? `${+day} ${monthName(+month)} ${year}` : `${+day} ${monthName(+month)}`;
    if (text && (!isMixed || width > 230)) caption.append(html('time', {dateTime: photo.day + (photo.time && 'T' + photo.time), textContent: text}));
  }
  const strip = photo.swatches.length ? stripOf(photo.swatches, photo.name, width) : html('p', {className: 'strip none', textContent: 'No palette'});
  figure.append(link, strip, caption);
  const hits = marks.get(photo);
  if (hits) markIn(strip, photo, hits);
  return figure;
};
// A line under each swatch that was searched for: shape, not colour, says which.
const markIn = (strip, photo, hits) => {
  photo.swatches.forEach((swatch, at) => {
    if (!hits.some(hit => hit === readPhoto(photo).swatches[at])) return;
    const rect = strip.children[at], [x, width] = extent(rect);
    strip.append(svg('line', {class: 'mark', x1: `${x}%`, x2: `${x + width}%`, y1: '100%', y2: '100%'}));
  });
};
const heading = (section, block) => {
  const head = html('h2', {}, ...section.heading, ' ', html('small', {textContent: section.photos.length}));
  head.style.top = `${block.top}px`;
  if (section.palette?.length) head.append(stripOf(section.palette, section.name, 256, 'month'));
  return head;
};
// First block that ends below a place.
const blockAt = place => {
  let low = 0, high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle].top + blocks[middle].height <= place) low = middle + 1;
    else high = middle;
  }
  return low;
};
let isPrinting = false;
const show = () => {
  if (isPrinting) return;
  const from = scrollY - main.offsetTop, far = innerHeight, wanted = new Map();
  for (let at = blockAt(from - far); at < blocks.length && blocks[at].top < from + 2 * far; at++) wanted.set(blocks[at], at);
  for (const [block, element] of made) {
    if (wanted.has(block) || element.contains(document.activeElement)) continue;
    element.remove();
    made.delete(block);
  }
  let before = null;
  for (const block of [...wanted.keys()].reverse()) { // In the order of the page, which is that of Tab.
    let element = made.get(block);
    if (!element) {
      element = make(block);
      made.set(block, element);
      main.insertBefore(element, before);
    }
    before = element;
  }
};
let isAsked = false;
addEventListener('scroll', () => {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => { isAsked = false; show(); });
}, {passive: true});
let resizing, lastWidth = 0;
new ResizeObserver(() => {
  if (main.clientWidth === lastWidth) return;
  lastWidth = main.clientWidth;
  clearTimeout(resizing);
  resizing = setTimeout(() => { const place = placeNow(); layOut(); toPlace(place); }, 60);
}).observe(main);
// The photo at the top of the window, and how far it is scrolled: survives another layout.
const placeNow = () => {
  const from = scrollY - main.offsetTop, block = blocks[blockAt(from + 1)];
  return from > 0 && block?.photos ? {photo: block.photos[0], part: (from - block.top) / block.height} : null;
};
const toPlace = place => {
  const block = place && blocks.find(({photos}) => photos?.includes(place.photo));
  if (block) scrollTo({top: main.offsetTop + block.top + place.part * block.height, behavior: 'instant'});
};
const reveal = photo => {
  const block = blocks.find(({photos}) => photos?.includes(photo)), head = $('header').offsetHeight;
  if (!block) return;
  const top = main.offsetTop + block.top;
  if (top < scrollY + head || top + block.height > scrollY + innerHeight) {
    scrollTo({top: Math.max(0, top - head - 24), behavior: 'instant'});
  }
  show();
  $(`#m${photo.id} > a`)?.focus({preventScroll: true});
};
// Paper gets what stands there without a script, of what is shown just now.
const print = to => {
  if (isPrinting === to) return;
  isPrinting = to;
  if (!to) { main.replaceChildren(); return layOut(); }
  const pieces = new Map();
  for (const [piece, id] of source.matchAll(/\x3cfigure id="m(-?\d+)"[^]*?\x3c\/figure>/g)) pieces.set(+id, piece);
  main.replaceChildren(...sections.map(section => {
    const rows = html('div', {className: 'rows', innerHTML: section.photos.map(({id}) => pieces.get(id)).join('')});
    const head = section.heading && html('h2', {}, ...section.heading.map(part => part.cloneNode?.(true) ?? part));
    return html('section', {}, ...head ? [head] : [], rows);
  }));
};
addEventListener('beforeprint', () => print(true));
addEventListener('afterprint', () => print(false));
matchMedia('print').addEventListener('change', event => print(event.matches));

// ---- The scrubber: the page at a glance, each section by its colours

const scrubber = $('#scrubber');
const drawScrubber = height => {
  scrubber.hidden = sections.length < 3 || height < 3 * innerHeight;
  if (scrubber.hidden) return;
  const parts = [];
  for (const section of sections) {
    const colors = section.palette ?? [], all = colors.reduce((sum, s) => sum + s.share, 0) || 1;
    const part = html('button', {title: `${section.name}, ${section.photos.length}`, ariaLabel: `${section.name}, ${section.photos.length} photos`, tabIndex: -1});
    part.style.flex = `${section.bottom - section.top} 1 0`;
    const strip = svg('svg', {'aria-hidden': true});
    let x = 0;
    for (const {hex, share} of colors) {
      strip.append(svg('rect', {x: `${x / all * 100}%`, width: `${share / all * 100}%`, height: '100%', fill: hex}));
      x += share;
    }
    part.append(strip);
    part.addEventListener('click', () => scrollTo({top: main.offsetTop + section.top - $('header').offsetHeight + 16, behavior: 'instant'}));
    parts.push(part);
  }
  scrubber.replaceChildren(...parts);
};

// ---- Search and order; what is looked at stands in the address

const near = 12; // A search for colours alone shows so many, the farther ones under their own heading.
const state = {q: '', order: '', within: 10, photo: null};
const firstOrder = $('#order [aria-pressed=true]').value;
const orders = {
  given: {group: () => ''},
  // A page in another order is put into that of its days.
  date: {group: photo => photo.section, by: firstOrder === 'given' && ((p, q) => p.section - q.section || q.day.localeCompare(p.day))},
  hue: {group: photo => accentOf(photo)?.family ?? 'Grey', by: (p, q) => {
    const [a, b] = [accentOf(p), accentOf(q)];
    return !a - !b || (a && b ? a.hue - b.hue : 0) || q.lightness - p.lightness;
  }},
  lightness: {group: photo => photo.third, by: (p, q) => q.lightness - p.lightness},
};
const thirds = () => {
  photos.forEach(accentOf);
  const sorted = photos.map(photo => photo.lightness).sort((p, q) => q - p);
  const [a, b] = [sorted[Math.floor(sorted.length / 3)], sorted[Math.floor(sorted.length * 2 / 3)]];
  for (const photo of photos) photo.third = photo.lightness > a ? 'Lightest third' : photo.lightness > b ? 'Middle third' : 'Darkest third';
};
// The terms of a query; "like:12" is photos like one.
const asked = query => {
  const like = [...query.matchAll(/(?:^|\s)like:(-?\d+)/g)].map(([, id]) => byID.get(+id)).filter(Boolean);
  const terms = parse(query.replace(/(?:^|\s)like:-?\d+/g, ' '));
  return [...terms, ...like.map(photo => ({text: `photos like ${photo.name}`, like: readPhoto(photo).swatches, photo}))];
};
const chip = hex => svg('svg', {class: 'chip', 'aria-hidden': true}, svg('rect', {width: '100%', height: '100%', fill: hex}));
const typical = term => { // A region's colour in this collection, else its own middle.
  const best = barColors.get(term.text);
  return best ?? '#808080';
};
const nameOf = term => html('span', {}, chip(term.hex ?? (term.like ? term.photo.swatches[0]?.hex ?? '#808080' : typical(term))), term.text);
const arrange = () => {
  const terms = asked(state.q), colors = terms.filter(term => term.isColor || term.like);
  const settings = {within: state.within, share: 0}, order = orders[state.order || firstOrder];
  marks = new Map();
  let list = photos, far = [];
  if (terms.length) {
    const except = new Set(terms.map(term => term.photo));
    const moods = photos.map(readPhoto);
    const found = find(terms, moods, settings).filter(({index}) => !except.has(photos[index]));
    list = found.map(({index, hits}) => { marks.set(photos[index], hits); return photos[index]; });
    if (list.length < near && colors.length === terms.length && terms.every(term => term.hex)) {
      const taken = new Set(list);
      far = find(terms, moods, {within: state.within * 2.5, share: 0}).map(({index, hits}) => ({photo: photos[index], hits}))
        .filter(({photo}) => !taken.has(photo)).slice(0, near - list.length);
      for (const {photo, hits} of far) marks.set(photo, hits);
    }
  }
  if (order === orders.lightness) thirds();
  sections = [];
  isMixed = colors.length > 0 || order !== orders.date;
  if (colors.length) {
    if (list.length) sections.push({heading: ['Most of ', ...colors.flatMap(term => [nameOf(term), ' '])], name: 'Found', photos: list});
    if (far.length) {
      if (!list.length) sections.push({heading: ['Nothing is near ', ...colors.flatMap(term => [nameOf(term), ' '])], name: 'Nothing', photos: []});
      sections.push({heading: ['Farther away'], name: 'Farther away', photos: far.map(({photo}) => photo)});
    }
  } else {
    if (order.by) list = [...list].sort(order.by);
    const groups = new Map();
    for (const photo of list) {
      const key = order.group(photo);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(photo);
    }
    for (const [key, group] of groups) {
      const known = order === orders.date ? data.sections[key] : null, name = known ? known[0] : key;
      const palette = known ? known[1].map(([hex, share, at]) => ({hex, share, name: data.names[at] ?? ''})) : paletteOf(group);
      sections.push({heading: name ? [name] : null, name: name || 'Photos', photos: group, palette: name ? palette : null});
    }
  }
  listed = [...list, ...far.map(({photo}) => photo)];
  main.classList.toggle('mixed', isMixed);
  $$('.empty', main).forEach(element => element.remove());
  if (photos.length && !listed.length) main.append(html('p', {className: 'empty', textContent: 'No photo has all of that.'}));
  if (!photos.length) main.append(html('p', {className: 'empty'}, 'No moods yet. Make some: ', html('code', {textContent: 'moody ingest PATH'})));
  const all = photos.length === 1 ? '1 photo' : `${photos.length} photos`;
  count.textContent = list.length < photos.length ? `${list.length} of ${all}` : all;
  $('#within').hidden = !terms.some(term => term.hex || term.like);
  for (const button of $$('#bar button')) button.ariaPressed = terms.some(term => term.text === button.value);
  for (const button of $$('#order button')) button.ariaPressed = button.value === (state.order || firstOrder);
  layOut();
};
// A few strong colours of some photos, for the headings that this script makes.
const paletteOf = group => group.slice(0, 60).flatMap(photo => photo.swatches.slice(0, 2))
  .filter((swatch, at, all) => all.findIndex(other => other.hex === swatch.hex) === at)
  .sort((p, q) => q.share * chroma(oklab(q.hex)) - p.share * chroma(oklab(p.hex))).slice(0, 6);
// What is asked for anew begins at the top, at once.
const ask = changes => {
  Object.assign(state, changes);
  if (scrollY > 0) scrollTo({top: 0, behavior: 'instant'});
  arrange();
  keepAddress();
};

const address = () => {
  const parts = new URLSearchParams();
  if (state.q) parts.set('q', state.q);
  if (state.order && state.order !== firstOrder) parts.set('order', state.order);
  if (state.within !== 10) parts.set('within', state.within);
  const text = parts.toString();
  return state.photo === null ? (text && '#' + text) : '#m' + state.photo + (text && '&' + text);
};
const keepAddress = () => history.replaceState(null, '', location.href.split('#')[0] + address());
const readAddress = () => {
  const text = location.hash.slice(1), [first] = text.split('&');
  const isPhoto = /^m-?\d+$/.test(first), parts = new URLSearchParams(isPhoto ? text.slice(first.length + 1) : text);
  return {
    photo: isPhoto && byID.has(+first.slice(1)) ? +first.slice(1) : null, q: parts.get('q') ?? '',
    order: orders[parts.get('order')] ? parts.get('order') : '', within: Math.min(20, Math.max(2, +parts.get('within') || 10)),
  };
};

let typing;
input.addEventListener('input', () => { clearTimeout(typing); typing = setTimeout(() => ask({q: input.value}), 120); });
$('form').addEventListener('submit', event => { event.preventDefault(); clearTimeout(typing); ask({q: input.value}); });
$('#order').addEventListener('click', event => {
  const button = event.target.closest('button');
  if (button) ask({order: button.value});
});
$('#within input').addEventListener('input', event => ask({within: +event.target.value}));
const setQuery = text => { input.value = text; ask({q: text}); };

// The colour bar: words for what the collection has, each drawn in the colour that it has most of.
const barColors = new Map();
const bar = $('#bar');
const drawBar = () => {
  const all = ['red', 'orange', 'brown', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink', 'white', 'grey', 'black'];
  const some = photos.length > 600 ? photos.filter((_, at) => at % Math.ceil(photos.length / 600) === 0) : photos;
  for (const word of all) {
    const [term] = parse(word);
    let best = 0, hex = null, sum = 0;
    for (const photo of some) {
      for (const swatch of readPhoto(photo).swatches) {
        const fit = Math.max(...term.boxes.map(box => isIn(box, swatch)));
        sum += fit * swatch.share;
        // The strongest stands for its word, not the largest.
        const weight = fit ** 3 * Math.sqrt(swatch.share) * (0.05 + swatch.chroma);
        if (weight > best) [best, hex] = [weight, swatch.hex];
      }
    }
    if (!hex || sum / some.length < 0.002) continue;
    barColors.set(word, hex);
    bar.append(html('button', {value: word, title: word, ariaLabel: word, ariaPressed: 'false'}, chip(hex)));
  }
  bar.hidden = bar.children.length < 2;
};
bar.addEventListener('click', event => {
  const button = event.target.closest('button');
  if (!button) return;
  const words = input.value.split(/\s+/).filter(Boolean);
  setQuery(words.includes(button.value) ? words.filter(word => word !== button.value).join(' ') : [...words, button.value].join(' '));
});
if (window.EyeDropper) {
  const pick = html('button', {type: 'button', textContent: 'Pick', title: 'Pick a colour from the screen'});
  pick.addEventListener('click', async () => {
    try { setQuery((await new EyeDropper().open()).sRGBHex); } catch { } // Escape.
  });
  $('form').append(pick);
}
for (const choice of $$('select[name=format]')) {
  choice.append(...Object.keys(formats).map(name => html('option', {textContent: name, value: name, selected: name === format})));
  choice.addEventListener('change', () => {
    format = choice.value;
    kept.set('format', format);
    for (const other of $$('select[name=format]')) other.value = format;
    point(null);
    if (open) fill(open);
  });
}
document.addEventListener('keydown', event => {
  if (event.key !== '/' || view.open || event.target === input) return;
  event.preventDefault();
  input.select();
});

// ---- The large view: a dialog whose address is the photo's

let open = null, pushed = false;
const inList = photo => listed.indexOf(photo);
const largeOf = photo => photo.pictures & 4 ? `large/${photo.id}.jpg` : photo.pictures & 2 ? `sharp/${photo.id}.jpg` : null;
const fill = photo => {
  const place = $('.photo', view), picture = image(photo, '46rem');
  place.className = 'photo';
  place.style.setProperty('--a', photo.aspect || 1.5);
  place.replaceChildren(picture);
  const large = largeOf(photo);
  if (large) { // The small one is there until the large one is.
    place.classList.add('whole');
    const whole = html('img', {alt: photo.name, src: large, draggable: false});
    whole.addEventListener('load', () => { if (open === photo) picture.replaceWith(whole); });
  }
  $('h2 bdi', view).textContent = photo.name;
  const isUndated = photo.section === data.undated;
  $('.when', view).textContent = [isUndated ? (photo.day ? `Undated; the file is of ${dateOf(photo)}` : 'Undated') : dateOf(photo),
    isUndated ? '' : photo.time].filter(Boolean).join(', ') || 'No date';
  $('ol', view).replaceChildren(...photo.swatches.map((swatch, at) => {
    const text = written(swatch);
    const row = html('li', {}, html('button', {className: 'big', name: 'copy', value: at, ariaLabel: `Copy ${text}`, tabIndex: -1}, chip(swatch.hex)),
      html('p', {}, html('b', {textContent: swatch.name || swatch.hex}), html('time', {textContent: percent(swatch.share)})),
      html('p', {}, html('button', {name: 'copy', value: at, textContent: text, title: `Copy ${text}`}),
        html('button', {name: 'find', value: at, textContent: 'Find', title: `Photos with ${swatch.hex}`})));
    row.addEventListener('pointerenter', () => light_(at));
    row.addEventListener('pointerleave', () => light_(-1));
    return row;
  }));
  fillPairs(photo);
  $('.all', view).hidden = !photo.swatches.length;
  $('.nothing', view).hidden = photo.swatches.length > 0;
  const facts = [['Place', photo.place], ['Camera', photo.camera], ['Size', photo.size], ['File', photo.path], ...photo.notes.map(note => ['Note', note])];
  $('dl', view).replaceChildren(...facts.filter(([, text]) => text).flatMap(([term, text]) =>
    [html('dt', {textContent: term}), html('dd', {}, html('bdi', {textContent: text}))]));
  const at = inList(photo);
  $('.at', view).textContent = at < 0 ? '' : `${at + 1} of ${listed.length}`;
  $('[name=previous]', view).disabled = at <= 0;
  $('[name=next]', view).disabled = at === listed.length - 1;
};
// The pairs of the palette that text is read best in: WCAG 2.2, 1.4.3 and 1.4.6.
const fillPairs = ({swatches}) => {
  const pairs = swatches.flatMap((p, at) => swatches.slice(at + 1).map(q => [p, q, contrast(p.hex, q.hex)]))
    .filter(([, , ratio]) => ratio >= 3).sort((p, q) => q[2] - p[2]).slice(0, 3);
  $('.pairs', view).replaceChildren(...pairs.map(([p, q, ratio]) => {
    const [ground, ink] = luminance(p.hex) > luminance(q.hex) ? [p, q] : [q, p];
    const sample = svg('svg', {class: 'pair', 'aria-hidden': true}, svg('rect', {width: '100%', height: '100%', fill: ground.hex}));
    sample.append(svg('text', {x: '50%', y: '50%', 'text-anchor': 'middle', 'dominant-baseline': 'central', fill: ink.hex}, 'Text'));
    const level = ratio >= 7 ? 'AAA' : ratio >= 4.5 ? 'AA' : 'large text';
    return html('p', {}, sample, `${ink.hex} on ${ground.hex}, ${(Math.floor(ratio * 10) / 10).toFixed(1)} : 1, ${level}`);
  }));
};
// Which pixels of the picture a colour stands for: the others fade. Not where the browser lets no page look at pictures.
const light_ = at => {
  const place = $('.photo', view), picture = $('img', place);
  $('canvas', place)?.remove();
  if (at < 0 || !picture?.complete || !picture.naturalWidth || !open) return;
  const scale = Math.min(1, 480 / Math.max(picture.naturalWidth, picture.naturalHeight));
  const canvas = html('canvas', {width: Math.max(1, picture.naturalWidth * scale | 0), height: Math.max(1, picture.naturalHeight * scale | 0)});
  const paper = canvas.getContext('2d', {willReadFrequently: true});
  paper.drawImage(picture, 0, 0, canvas.width, canvas.height);
  let pixels;
  try { pixels = paper.getImageData(0, 0, canvas.width, canvas.height); } catch { return; }
  const labs = readPhoto(open).swatches.map(({lab}) => lab), cells = new Map(), bytes = pixels.data;
  for (let i = 0; i < bytes.length; i += 4) {
    const cell = bytes[i] >> 3 << 10 | bytes[i + 1] >> 3 << 5 | bytes[i + 2] >> 3;
    let nearest = cells.get(cell);
    if (nearest === undefined) {
      const lab = oklab(toHex([bytes[i], bytes[i + 1], bytes[i + 2]].map(v => v / 255)));
      const far = labs.map(own => (lab[0] - own[0]) ** 2 + 4 * (lab[1] - own[1]) ** 2 + 4 * (lab[2] - own[2]) ** 2);
      cells.set(cell, nearest = far.indexOf(Math.min(...far)));
    }
    bytes[i] = bytes[i + 1] = bytes[i + 2] = 127;
    bytes[i + 3] = nearest === at ? 0 : 217;
  }
  paper.putImageData(pixels, 0, 0);
  place.append(canvas);
};
const showPhoto = photo => {
  open = photo;
  state.photo = photo.id;
  fill(photo);
  if (!view.open) {
    view.append(said);
    view.showModal();
  }
  view.scrollTop = 0;
};
const step = by => {
  const next = listed[inList(open) + by];
  if (!next) return;
  showPhoto(next);
  keepAddress();
};
const follow = () => {
  const wanted = readAddress(), changed = ['q', 'order', 'within'].some(key => wanted[key] !== state[key]);
  const {photo} = wanted;
  if (changed) {
    Object.assign(state, wanted, {photo: state.photo});
    input.value = state.q;
    $('#within input').value = state.within;
    arrange();
  }
  if (photo !== null) showPhoto(byID.get(photo));
  else if (view.open) view.close();
};
view.addEventListener('close', () => {
  document.body.append(said);
  const photo = open, wasThere = readAddress().photo !== null;
  [open, state.photo] = [null, null];
  if (wasThere) {
    // The browser would go back to where the list was when the photo was opened, and one may be at another now.
    history.scrollRestoration = 'manual';
    if (pushed) history.back();
    else keepAddress();
  }
  pushed = false;
  if (photo) {
    reveal(photo);
    setTimeout(() => { reveal(photo); history.scrollRestoration = 'auto'; }, 120);
  }
});
view.addEventListener('click', event => {
  const button = event.target.closest('button');
  if (!button) {
    if (event.target.closest('.photo.zoomed, .photo.whole')) $('.photo', view).classList.toggle('zoomed');
    return;
  }
  const swatch = open.swatches[button.value];
  if (button.name === 'close') view.close();
  else if (button.name === 'previous') step(-1);
  else if (button.name === 'next') step(1);
  else if (button.name === 'copy') copy(written(swatch));
  else if (button.name === 'find') closeWith(swatch.hex);
  else if (button.name === 'like') closeWith(`like:${open.id}`);
  else if (button.name === 'css') copy(css(open), `${open.swatches.length} colours`);
  else if (button.name === 'ground') {
    view.dataset.ground = button.value;
    kept.set('ground', button.value);
    for (const other of $$('[name=ground]', view)) other.ariaPressed = other === button;
  } else if (button.name === 'save') save(open, button.value);
});
// What is asked for in the large view is shown behind it.
const closeWith = query => {
  pushed = false;
  open = null;
  state.photo = null;
  view.close();
  history.pushState(null, '', location.href.split('#')[0] + address());
  setQuery(query);
};
view.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('select')) return;
  if (event.key === 'ArrowLeft') step(-1);
  else if (event.key === 'ArrowRight') step(1);
  else return;
  event.preventDefault();
});
// A swipe goes on; one along the page scrolls, and two fingers zoom as everywhere.
let touch = null;
view.addEventListener('touchstart', event => { touch = event.touches.length === 1 ? [event.touches[0].clientX, event.touches[0].clientY] : null; }, {passive: true});
view.addEventListener('touchend', event => {
  if (!touch || $('.zoomed', view) || visualViewport?.scale > 1.05) return;
  const [x, y] = [event.changedTouches[0].clientX - touch[0], event.changedTouches[0].clientY - touch[1]];
  if (Math.abs(x) > 60 && Math.abs(x) > 2 * Math.abs(y)) step(x < 0 ? 1 : -1);
}, {passive: true});
main.addEventListener('click', event => {
  const link = event.target.closest('figure > a');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  state.photo = +link.hash.slice(2);
  history.pushState(null, '', address());
  pushed = true;
  showPhoto(byID.get(state.photo));
});
addEventListener('popstate', follow);
addEventListener('hashchange', follow);

// ---- One palette as a file. The layouts are those of Sources/Palettes/Swatches.

const oneLine = text => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\u200e\u200f\u061c]/g, ' ');
const css = ({name, swatches}) => [
  `/* ${oneLine(name).replaceAll('*', '* ')} */`, ':root {',
  ...swatches.map((swatch, index) =>
    `  --color-${index + 1}: ${written(swatch)}; /* ${[swatch.name.replaceAll('*', '* '), percent(swatch.share)].filter(Boolean).join(', ')} */`),
  '}', '',
].join('\n');
const ase = ({name, swatches}) => {
  const bytes = [], u16 = value => bytes.push(value >> 8 & 255, value & 255), u32 = value => { u16(value >>> 16); u16(value & 65535); };
  const ascii = text => { for (const letter of text) bytes.push(letter.charCodeAt(0)); };
  const called = text => { const units = oneLine(text).slice(0, 254); u16(units.length + 1); for (let i = 0; i < units.length; i++) u16(units.charCodeAt(i)); u16(0); };
  const size = text => 4 + 2 * oneLine(text).slice(0, 254).length;
  ascii('ASEF'); u16(1); u16(0); u32(swatches.length + 2);
  u16(0xC001); u32(size(name)); called(name);
  for (const swatch of swatches) {
    u16(1); u32(size(swatch.name) + 18); called(swatch.name); ascii('RGB ');
    for (const channel of channels(swatch.hex)) u32(new Uint32Array(new Float32Array([channel / 255]).buffer)[0]);
    u16(2);
  }
  u16(0xC002); u32(0);
  return new Uint8Array(bytes);
};
const gpl = ({name, swatches}) => [
  'GIMP Palette', `Name: moody: ${oneLine(name).slice(0, 200)}`, `Columns: ${swatches.length}`, `# ${oneLine(name).slice(0, 200)}`,
  ...swatches.map(({hex, name}) => `${channels(hex).map(v => String(v).padStart(3)).join(' ')}\t${oneLine(name)}`), '',
].join('\n');
const card = ({name, swatches}) => {
  const root = svg('svg', {xmlns: 'http://www.w3.org/2000/svg', viewBox: '0 0 1024 368', width: 1024, height: 368, 'font-family': 'system-ui, sans-serif', 'font-size': 20});
  root.append(svg('rect', {width: '100%', height: '100%', fill: '#ffffff'}), svg('text', {x: 32, y: 56, fill: '#1a1a1a'}, oneLine(name)));
  extents(swatches.map(s => s.share), 960).forEach(([start, size], at) => {
    const x = 32 + start * 9.6, {hex} = swatches[at];
    root.append(svg('rect', {x: x.toFixed(1), y: 72, width: (size * 9.6).toFixed(1), height: 240, fill: hex}));
    if (size > 10) root.append(svg('text', {x: (x + 12).toFixed(1), y: 296, fill: inkOn(hex) === '#000' ? '#000000' : '#ffffff'}, hex));
  });
  return '\x3c!-- palettes by moody -->\n' + new XMLSerializer().serializeToString(root) + '\n';
};
const json = ({name, swatches}) => JSON.stringify({v: 1, name, colors: swatches.map(({hex, share, name}) => ({hex, share, name}))}, null, 1) + '\n';
const files = {ase: [ase, 'application/octet-stream'], gpl: [gpl, 'text/plain'], css: [css, 'text/css'], json: [json, 'application/json'], svg: [card, 'image/svg+xml']};
const save = (photo, kind) => {
  const [write, type] = files[kind], url = URL.createObjectURL(new Blob([write(photo)], {type}));
  const link = html('a', {href: url, download: `${photo.name.replace(/\.[^.]*$/, '') || 'palette'}.${kind}`});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};

// ---- Begin

view.dataset.ground = kept.get('ground') ?? 'page';
for (const button of $$('[name=ground]', view)) button.ariaPressed = button.value === view.dataset.ground;
document.documentElement.classList.add('scripted');
Object.assign(state, readAddress(), {photo: null});
input.value = state.q;
$('#within input').value = state.within;
if (state.q) drawBar();
arrange();
follow();
// The rest when nothing else is to be done: what a first search would have to read, and the bar.
let warm = 0;
const readSome = deadline => {
  while (warm < photos.length && deadline.timeRemaining() > 2) readPhoto(photos[warm++]);
  if (warm < photos.length) return requestIdleCallback(readSome);
  if (!bar.children.length) drawBar();
};
if (window.requestIdleCallback) requestIdleCallback(readSome);
else setTimeout(() => drawBar(), 50);
