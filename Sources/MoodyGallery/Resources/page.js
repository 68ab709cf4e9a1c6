
'use strict';
// The page is whole without this script. It adds: copying, names on hover, search, orders, the large view.
// All it knows it reads from the page itself.

const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const plain = text => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
const svg = (name, attributes = {}) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  return element;
};
const html = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

// ---- Colours: Oklab from sRGB, Björn Ottosson 2020

const light = channel => channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
const linear = hex => [1, 3, 5].map(at => light(parseInt(hex.slice(at, at + 2), 16) / 255));
const oklab = hex => {
  const [r, g, b] = linear(hex);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
};
// With plain Oklab a grey is as near to teal as a darker teal is; with the colour axes doubled it is not.
const distance = (p, q) => Math.hypot(p[0] - q[0], 2 * (p[1] - q[1]), 2 * (p[2] - q[2]));
const chroma = lab => Math.hypot(lab[1], lab[2]);
const hue = lab => (Math.atan2(lab[2], lab[1]) * 180 / Math.PI + 360) % 360;
const oklch = lab => {
  const c = chroma(lab);
  return `oklch(${+lab[0].toFixed(3)} ${+c.toFixed(3)} ${c < 0.0005 ? 0 : +hue(lab).toFixed(1)})`;
};
// Black or white, whichever contrasts more (WCAG 2.2, relative luminance).
const inkOn = hex => {
  const [r, g, b] = linear(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000' : '#fff';
};

// Any colour a browser knows but those that stand for parts of its windows ("field", "mark"), as hex.
const canvas = html('canvas', {width: 1, height: 1}).getContext('2d', {willReadFrequently: true});
const system = /text$|^(currentcolor|canvas|field|mark|menu|scrollbar|background|appworkspace|selecteditem|highlight|accent.*|button.*|active.*|inactive.*|info.*|threed.*|window.*|-.*)$/;
const parsed = word => {
  if (!canvas || system.test(word)) return null;
  if (/^[0-9a-f]{6}$/.test(word)) word = '#' + word;
  canvas.fillStyle = '#010203';
  canvas.fillStyle = word;
  if (canvas.fillStyle === '#010203') return word === '#010203' ? word : null;
  if (/^#.{6}$/.test(canvas.fillStyle)) return canvas.fillStyle;
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return a === 255 ? '#' + [r, g, b].map(v => v.toString(16).padStart(2, '0')).join('') : null;
};

// ---- What the page shows

const families = [
  [10, 'Pink'], [42, 'Red'], [82, 'Orange and brown'], [116, 'Yellow'], [166, 'Green'], [222, 'Teal'],
  [286, 'Blue'], [326, 'Purple'], [361, 'Pink'],
];
const titleOf = section => $('h2', section)?.firstChild.data.trim() ?? '';
const months = $$('section').map(section => ({title: titleOf(section), heading: $('h2', section), section}));
const figures = $$('figure');
const given = new Map(months.flatMap(({title, section}) => $$('figure', section).map(figure => [figure, title])));

// A photo is read when it is first needed: of thousands, few are before somebody searches.
const read = new Map();
const moodOf = figure => read.get(figure) ?? read.set(figure, newMood(figure)).get(figure);
const moods = () => figures.map(moodOf);
const newMood = figure => {
  const rects = $$('.strip rect[fill]', figure);
  const swatches = $$('li', figure).map((item, index) => {
    const [, hex, name, share] = item.textContent.match(/^(#[0-9a-f]{6}) ?(.*), (.*)$/s);
    return {hex, name, share, rect: rects[index], lab: oklab(hex), weight: parseFloat(share) / 100 || 0.005};
  });
  const name = $('figcaption bdi', figure).textContent, time = $('time', figure), month = given.get(figure);
  const weigh = of => swatches.reduce((sum, s) => sum + s.weight * of(s.lab), 0);
  const strongest = swatches.toSorted((p, q) => q.weight * chroma(q.lab) - p.weight * chroma(p.lab))[0];
  const grey = !strongest || strongest.weight * chroma(strongest.lab) < 0.012;
  return {
    figure, name, swatches, grey, month, day: time?.dateTime ?? '', date: time?.textContent ?? '',
    text: plain([name, time?.dateTime, time?.textContent, ...$$('dd', figure).map(d => d.textContent)].join('\n')),
    hue: grey ? 0 : (hue(strongest.lab) + 34) % 360,
    family: grey ? 'Grey' : families.find(([end]) => hue(strongest.lab) < end)[1],
    lightness: weigh(lab => lab[0]) / (weigh(() => 1) || 1),
  };
};

// The swatches of a strip: a photo's, or a month's, whose colours are from its photos and have their names.
const stripsRead = new WeakMap();
const swatchesOf = strip => {
  if (!stripsRead.has(strip)) {
    const figure = strip.closest('figure');
    const own = new Map(figure ? [] : months.filter(({heading}) => heading?.contains(strip))
      .flatMap(({title}) => figures.filter(figure => given.get(figure) === title))
      .flatMap(figure => moodOf(figure).swatches.map(swatch => [swatch.hex, swatch])));
    stripsRead.set(strip, figure ? moodOf(figure).swatches : $$('rect[fill]', strip)
      .map(rect => ({...own.get(rect.getAttribute('fill')), rect, share: ''})));
  }
  return stripsRead.get(strip);
};
const swatchOf = rect => swatchesOf(rect.parentNode).find(swatch => swatch.rect === rect);

// ---- Saying and copying

const said = $('#said'), view = $('#view');
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

// ---- The strip: one stop for Tab, arrows inside; hex in the swatch, words in the caption

// Strips become buttons when they come near the window; before, they are pictures with words beside them.
const enable = strip => {
  const figure = strip.closest('figure');
  strip.removeAttribute('aria-hidden');
  strip.setAttribute('role', 'group');
  strip.setAttribute('aria-label', `Palette of ${figure ? moodOf(figure).name : titleOf(strip.closest('section'))}`);
  swatchesOf(strip).forEach(({rect, hex, name, share}, index) => {
    rect.setAttribute('role', 'button');
    rect.setAttribute('tabindex', index ? -1 : 0);
    rect.setAttribute('aria-label', ['Copy ' + hex, name, share].filter(Boolean).join(', '));
  });
};
// A section may have hundreds: a few at a time, between frames, and none of those that fly past.
let waiting = [], scrolled = 0;
addEventListener('scroll', () => { scrolled = performance.now(); }, {passive: true});
const enableSome = deadline => {
  if (performance.now() - scrolled < 120) return setTimeout(whenIdle, 120);
  while (waiting.length && (deadline.timeRemaining() > 2 || deadline.didTimeout)) {
    for (const strip of waiting.splice(0, 4)) enable(strip);
    if (deadline.didTimeout) break;
  }
  if (waiting.length) whenIdle();
};
const whenIdle = () => window.requestIdleCallback
  ? requestIdleCallback(enableSome, {timeout: 200})
  : setTimeout(() => enableSome({timeRemaining: () => 0, didTimeout: true}), 10);
const nearby = new IntersectionObserver(entries => {
  for (const {target, isIntersecting} of entries) {
    if (!waiting.length) whenIdle();
    waiting = waiting.filter(strip => !target.contains(strip));
    if (isIntersecting) waiting.push(...$$('.month:not([role]), svg.strip:not([role])', target));
  }
}, {rootMargin: '50% 0px'});
const watch = sections => sections.forEach(section => nearby.observe(section));
watch($$('section'));

const label = svg('text', {y: '50%', 'text-anchor': 'middle', 'dominant-baseline': 'central'});
const rings = [svg('rect', {class: 'ring wide', height: '100%'}), svg('rect', {class: 'ring', height: '100%'})];
const words = html('span', {className: 'words', ariaHidden: 'true'});
let shown = null;
const extent = rect => ['x', 'width'].map(key => parseFloat(rect.getAttribute(key))); // percent of the strip

const point = rect => {
  if (rect === shown) return;
  shown?.closest('.pointed').classList.remove('pointed');
  shown = rect;
  if (!rect) return [label, words, ...rings].forEach(element => element.remove());
  const swatch = swatchOf(rect), strip = rect.parentNode, host = rect.closest('figure, h2');
  const [x, width] = extent(rect);
  label.setAttribute('x', `${x + width / 2}%`);
  label.setAttribute('fill', inkOn(swatch.hex));
  const {width: wide, height: high} = rect.getBoundingClientRect();
  label.textContent = wide > 64 && high > 16 ? swatch.hex : '';
  for (const ring of rings) {
    ring.setAttribute('x', `${x}%`);
    ring.setAttribute('width', `${width}%`);
  }
  strip.append(...(rect.matches(':focus-visible') ? rings : []), label);
  words.replaceChildren(
    html('b', {textContent: label.textContent ? '' : swatch.hex}), html('span', {textContent: swatch.name}),
    html('time', {textContent: swatch.share}));
  if (host.matches('h2')) strip.before(words);
  else $('figcaption', host).append(words);
  host.classList.add('pointed');
};
const swatchAt = event => event.target.closest?.('rect[role]');
const focused = () => document.activeElement.closest('rect[role]:focus-visible');

document.addEventListener('pointerover', event => point(swatchAt(event) ?? focused()));
document.addEventListener('focusin', () => { if (focused()) { point(null); point(focused()); } });
document.addEventListener('focusout', () => { if (!shown?.matches(':hover')) point(null); });

// A long press shows the colour and copies nothing.
let pressed = 0, held = false;
document.addEventListener('pointerdown', () => { pressed = performance.now(); });
document.addEventListener('pointerup', event => {
  held = event.pointerType === 'touch' && performance.now() - pressed > 450;
});
document.addEventListener('click', event => {
  const rect = swatchAt(event);
  if (rect && !held) copy(swatchOf(rect).hex);
});
document.addEventListener('keydown', event => {
  const rect = swatchAt(event);
  if (!rect || event.ctrlKey || event.metaKey || event.altKey) return;
  const rects = swatchesOf(rect.parentNode).map(swatch => swatch.rect), at = rects.indexOf(rect);
  const to = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: rects.length - 1}[event.key];
  if (event.key === 'Enter' || event.key === ' ') copy(swatchOf(rect).hex);
  else if (to === undefined) return;
  else if (rects[to]) {
    rect.setAttribute('tabindex', -1);
    rects[to].setAttribute('tabindex', 0);
    rects[to].focus();
  }
  event.preventDefault();
});

// ---- Search and order

const input = $('input'), count = $('#count'), main = $('main');
const near = 0.14, far = 0.28; // Farther apart than this, people no longer call two colours by one name.

// People write grey and colour in two ways, and so do names of colours: what is found is the same.
const spellings = text => {
  const british = text.replaceAll('gray', 'grey').replaceAll('color', 'colour');
  return [...new Set([text, british, text.replaceAll('grey', 'gray').replaceAll('colour', 'color')])];
};
const term = (text, hex) => ({text, texts: spellings(text), hex, lab: hex && oklab(hex)});

// The words of a search, each a text, a colour, or both: "june midnight blue" is june and midnightblue.
const terms = query => {
  const whole = /^\w+\(.*\)$/.test(query) && parsed(query);
  if (whole) return [term(query, whole)];
  const found = [], split = query.split(/[\s,;]+/).filter(Boolean);
  for (let at = 0; at < split.length;) {
    let length = Math.min(3, split.length - at), hex = null;
    for (; length > 0; length--) {
      hex = parsed(split.slice(at, at + length).join(''));
      if (hex || length === 1) break;
    }
    const text = split.slice(at, at + length).join(' ');
    // Six digits without # are a colour only when they are in no name and no date.
    if (/^[0-9a-f]{6}$/.test(text) && moods().some(mood => mood.text.includes(text))) hex = null;
    found.push(term(text, hex));
    at += length;
  }
  return found;
};

// How far a mood is from a term, and the swatch that says so; Infinity when it has nothing of it.
const match = (mood, {texts, lab}) => {
  const isIn = text => texts.some(spelling => text.includes(spelling));
  let best = {far: isIn(mood.text) ? 0 : Infinity, swatch: null};
  for (const swatch of mood.swatches) {
    const far = lab ? distance(lab, swatch.lab) : 0;
    const counts = lab && far < near || isIn(plain(swatch.name));
    if (counts && (far < best.far || !best.swatch && best.far === 0 && !lab)) best = {far, swatch};
  }
  return best;
};

const least = 12; // A search for colours alone shows this many, the farther ones under their own heading.
const search = query => {
  const asked = terms(plain(query.trim())), colors = asked.filter(({lab}) => lab);
  const total = hits => hits.reduce((sum, {far}) => sum + far, 0);
  const found = moods().map(mood => ({mood, hits: asked.map(term => match(mood, term))}))
    .filter(({hits}) => total(hits) < Infinity);
  if (!colors.length) return {found, colors, farther: []};
  const byDistance = (p, q) => total(p.hits) - total(q.hits);
  const taken = new Set(found.map(({mood}) => mood));
  const others = colors.length < asked.length ? [] : moods().filter(mood => !taken.has(mood) && mood.swatches.length);
  const farther = others.map(mood => ({
    mood, hits: colors.map(({lab}) => mood.swatches.map(swatch => ({far: distance(lab, swatch.lab), swatch}))
      .reduce((p, q) => q.far < p.far ? q : p)),
  }));
  return {
    found: found.sort(byDistance), colors,
    farther: farther.filter(({hits}) => hits.every(hit => hit.far < far)).sort(byDistance).slice(0, Math.max(0, least - found.length)),
  };
};

const orders = {
  given: {title: () => ''},
  date: {title: mood => mood.month || 'No date'},
  hue: {title: mood => mood.family, by: (p, q) => p.grey - q.grey || p.hue - q.hue || q.lightness - p.lightness},
  lightness: {
    title: ({lightness}) => lightness > 0.7 ? 'Light' : lightness > 0.4 ? 'Medium' : 'Dark',
    by: (p, q) => q.lightness - p.lightness,
  },
};
if ($('[value=given]')) { // The page came in another order; its months are found from the days.
  const month = iso => new Date(iso.slice(0, 7) + '-01T00:00')
    .toLocaleDateString('en-GB', {month: 'long', year: 'numeric'});
  orders.date = {
    title: mood => mood.day ? month(mood.day) : 'No date',
    by: (p, q) => q.day.localeCompare(p.day),
  };
}

let listed = null; // What is shown, in order; null while it is what the page came with.
const arrange = () => {
  // What is found begins at the top. Before anything is changed: then the browser has nothing to lay out for it.
  if (scrollY > 0) scrollTo({top: 0, behavior: 'instant'});
  const order = orders[$('[aria-pressed=true]').value];
  const {found, colors, farther} = search(input.value);
  mark([...found, ...farther].flatMap(({hits}) => hits));
  listed = found.map(({mood}) => mood);
  if (!colors.length && order.by) listed.sort(order.by);
  const sections = [...Map.groupBy(listed, colors.length ? () => colors : order.title)].map(([title, group]) => {
    if (!title) return section('', group);
    if (title === colors) return section(nearest(colors), group);
    const month = order === orders.date && months.find(month => month.title === title);
    return section(month?.heading ?? html('h2', {}, title + ' '), group);
  });
  if (farther.length) {
    listed = listed.concat(farther.map(({mood}) => mood));
    if (!sections.length) sections.push(nearest(colors, 'Nothing is near '));
    sections.push(section(html('h2', {}, 'Farther away '), farther.map(({mood}) => mood)));
  }
  if (!sections.length) sections.push(html('p', {className: 'empty'}, 'No photo has all of that.'));
  if (figures.length) main.replaceChildren(...sections);
  watch($$('section', main));
  main.classList.toggle('mixed', !!colors.length || order !== orders.date);
  const all = figures.length === 1 ? '1 photo' : `${figures.length} photos`;
  count.textContent = found.length < figures.length ? `${found.length} of ${all}` : all;
};
const section = (head, group) => {
  const rows = [];
  for (let at = 0; at < group.length; at += 100) { // As the page came: browsers lay out a block at a time.
    rows.push(html('div', {className: 'rows'}, ...group.slice(at, at + 100).map(({figure}) => figure)));
  }
  if (!head) return html('section', {ariaLabel: 'Photos'}, ...rows);
  ($('small', head) ?? head.appendChild(html('small'))).textContent = group.length;
  return html('section', {}, head, ...rows);
};
const chip = hex => {
  const element = svg('svg', {class: 'chip', 'aria-hidden': true});
  element.append(svg('rect', {width: '100%', height: '100%', fill: hex}));
  return element;
};
const nearest = (colors, words = 'Nearest to ') =>
  html('h2', {}, words, ...colors.flatMap(({hex, text}) => [html('span', {}, chip(hex), text), ' ']));
// A line under each swatch that was searched for: shape, not colour, says which.
const mark = hits => {
  for (const line of $$('.mark')) line.remove();
  for (const {swatch} of hits) {
    if (!swatch) continue;
    const [x, width] = extent(swatch.rect);
    swatch.rect.parentNode.append(
      svg('line', {class: 'mark', x1: `${x}%`, x2: `${x + width}%`, y1: '100%', y2: '100%'}));
  }
};

// Reading thousands takes a second: begun before somebody searches, whenever the browser has nothing else to do.
let warm = 0;
const readSome = deadline => {
  while (warm < figures.length && deadline.timeRemaining() > 2) moodOf(figures[warm++]);
  if (warm < figures.length) requestIdleCallback(readSome);
};
if (window.requestIdleCallback && figures.length > 500) addEventListener('load', () => requestIdleCallback(readSome));

let typing;
input.addEventListener('input', () => { clearTimeout(typing); typing = setTimeout(arrange, 120); });
$('form').addEventListener('submit', event => { event.preventDefault(); arrange(); });
$('#order').addEventListener('click', event => {
  const button = event.target.closest('button');
  if (!button) return;
  for (const other of $$('#order button')) other.ariaPressed = other === button;
  if (!document.startViewTransition || matchMedia('(prefers-reduced-motion:reduce)').matches) return arrange();
  const change = document.startViewTransition(arrange);
  for (const promise of [change.ready, change.finished]) promise.catch(() => {}); // Skipped is fine.
});
if (window.EyeDropper) {
  const pick = html('button', {type: 'button', textContent: 'Pick', title: 'Pick a colour from the screen'});
  pick.addEventListener('click', async () => {
    try {
      input.value = (await new EyeDropper().open()).sRGBHex;
      arrange();
    } catch { } // Escape.
  });
  $('form').append(pick);
}
document.addEventListener('keydown', event => {
  if (event.key !== '/' || view.open || event.target === input) return;
  event.preventDefault();
  input.select();
});

// ---- The large view: a dialog whose address is the photo's

let open = null, pushed = false;
const byAddress = () => {
  const figure = /^#m-?\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
  return figure && moodOf(figure);
};
const inList = mood => listed ? listed.indexOf(mood) : figures.indexOf(mood.figure);
const listLength = () => (listed ?? figures).length;
const css = ({name, swatches}) => [
  `/* ${name.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */`, ':root {',
  ...swatches.map(({hex, name, share}, index) =>
    `  --color-${index + 1}: ${hex}; /* ${[name.replaceAll('*/', '* /'), share].filter(Boolean).join(', ')} */`),
  '}', '',
].join('\n');

const show = mood => {
  open = mood;
  const picture = $('a > *', mood.figure).cloneNode(true);
  $('.photo', view).replaceChildren(picture);
  $('.photo', view).className = `photo ${mood.figure.className.match(/a\d+/)[0]}`;
  if (picture.dataset.large) { // The small one is there until the large one is.
    $('.photo', view).classList.add('whole');
    const large = html('img', {alt: picture.alt, src: picture.dataset.large});
    large.addEventListener('load', () => picture.replaceWith(large));
  }
  $('h2 bdi', view).textContent = mood.name;
  $('.when', view).textContent = [mood.date, mood.day.slice(11)].filter(Boolean).join(', ') || 'No date';
  $('ol', view).replaceChildren(...mood.swatches.map(({hex, name, share, lab}) => {
    const button = text => html('button', {textContent: text, title: `Copy ${text}`, value: text});
    return html('li', {}, html('button', {className: 'big', value: hex, ariaLabel: `Copy ${hex}`, tabIndex: -1}, chip(hex)),
      html('p', {}, html('b', {textContent: name || hex}), html('time', {textContent: share})),
      html('p', {}, button(hex), button(oklch(lab))));
  }));
  $('.all', view).hidden = !mood.swatches.length;
  $('.nothing', view).hidden = mood.swatches.length > 0;
  $('dl', view).replaceWith($('dl', mood.figure).cloneNode(true));
  const at = inList(mood);
  $('.at', view).textContent = at < 0 ? '' : `${at + 1} of ${listLength()}`;
  $('[name=previous]', view).disabled = at <= 0;
  $('[name=next]', view).disabled = at === listLength() - 1;
  if (!view.open) {
    view.append(said);
    view.showModal();
  }
  view.scrollTop = 0;
};
const step = by => {
  const at = inList(open) + by;
  if (at < 0 || at >= listLength()) return;
  const mood = listed ? listed[at] : moodOf(figures[at]);
  history.replaceState(null, '', '#' + mood.figure.id);
  show(mood);
};
const follow = () => {
  const mood = byAddress();
  if (mood) show(mood);
  else if (view.open) view.close();
};
view.addEventListener('close', () => {
  document.body.append(said);
  $('a', open.figure).focus({preventScroll: true});
  open.figure.scrollIntoView({block: 'nearest'});
  if (byAddress()) {
    if (pushed) history.back();
    else history.replaceState(null, '', location.href.split('#')[0]);
  }
  pushed = false;
});
view.addEventListener('click', event => {
  const button = event.target.closest('button');
  if (!button) return;
  if (button.name === 'close') view.close();
  else if (button.name === 'previous') step(-1);
  else if (button.name === 'next') step(1);
  else if (button.name === 'css') copy(css(open), `${open.swatches.length} colours`);
  else copy(button.value);
});
view.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'ArrowLeft') step(-1);
  else if (event.key === 'ArrowRight') step(1);
  else return;
  event.preventDefault();
});
main.addEventListener('click', event => {
  const link = event.target.closest('figure > a');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, '', link.hash);
  pushed = true;
  follow();
});
addEventListener('popstate', follow);
addEventListener('hashchange', follow);
follow();
