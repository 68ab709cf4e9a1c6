// ---- Search and order; what is looked at stands in the address

const near = 12; // A search for colours alone shows so many, the farther ones under their own heading.
const state = {q: '', order: '', within: 10, photo: null};
const firstOrder = $('#order [aria-pressed=true]').value;
// Each order sorts all photos once, when it is first asked for or nothing else is to be done.
const sorted = {};
const byAccent = (p, q) => {
  const a = accents[p.index], b = accents[q.index];
  return (a < 0) - (b < 0) || a - b || lightnesses[q.index] - lightnesses[p.index] || p.index - q.index;
};
const byLightness = (p, q) => lightnesses[q.index] - lightnesses[p.index] || p.index - q.index;
const orders = {
  given: {all: () => photos, group: () => ''},
  // A page in another order is put into that of its days.
  date: {
    all: () => sorted.date ??= firstOrder === 'date' ? photos : [...photos].sort((p, q) => p.section - q.section || q.day.localeCompare(p.day)),
    group: photo => photo.section,
  },
  hue: {all: () => { judge(); return sorted.hue ??= [...photos].sort(byAccent); }, group: familyOf},
  lightness: {
    all: () => { judge(); return sorted.lightness ??= [...photos].sort(byLightness); },
    // By what is there, so that a night's photos are told apart too.
    group: photo => ['Lightest third', 'Middle third', 'Darkest third'][Math.floor(3 * rankOf(photo) / photos.length)],
  },
};
let ranks = null;
const rankOf = photo => {
  if (!ranks) {
    ranks = new Uint32Array(photos.length);
    orders.lightness.all().forEach((photo, rank) => { ranks[photo.index] = rank; });
  }
  return ranks[photo.index];
};
// The terms of a query; "like:12" is photos like one.
const asked = query => {
  const like = [...query.matchAll(/(?:^|\s)like:(-?\d+)/g)].map(([, id]) => byID.get(+id)).filter(Boolean);
  const terms = parse(query.replace(/(?:^|\s)like:-?\d+/g, ' '));
  if (like.length) readColors(swatches);
  return [...terms, ...like.map(photo => ({text: `photos like ${photo.name}`, like: paletteLike(swatches, photo.index), photo}))];
};
const chip = hex => svg('svg', {class: 'chip', 'aria-hidden': true}, svg('rect', {width: '100%', height: '100%', fill: hex}));
// A word's colour is the one that this collection has of it, or the first photo found.
const colorOf = (term, list) => {
  const known = term.hex ?? (term.like ? term.photo.swatches[0]?.hex : barColors.get(term.text));
  if (known || !list.length) return known ?? null;
  const [hit] = hitsOf([term], all, list[0].index);
  return list[0].swatches[hit]?.hex ?? null;
};
const nameOf = (term, list) => {
  const color = colorOf(term, list);
  return html('span', {}, ...color ? [chip(color)] : [], term.text);
};
const titleOf = (words, colors, list) => [words, ...colors.flatMap(term => [nameOf(term, list), ' '])];
// Sections of photos that are in an order, by what is alike in that order.
const sectionsOf = (list, order) => {
  const groups = new Map();
  for (const photo of list) {
    const key = order.group(photo), group = groups.get(key);
    if (group) group.push(photo);
    else groups.set(key, [photo]);
  }
  if (order === orders.hue) joinFew(groups);
  return [...groups].map(([key, photos]) => {
    if (order !== orders.date) {
      return {heading: key ? [key] : null, name: key || 'Photos', photos, palette: key ? (order === orders.hue ? accentsOf : paletteOf)(photos) : null};
    }
    const [name, palette, hasYears] = data.sections[key];
    return {heading: name ? [name] : null, name: name || 'Photos', photos, hasYears,
      palette: name ? palette.map(([hex, share, at]) => ({hex, share, name: data.names[at] ?? ''})) : null};
  });
};
// Families of few photos stand together with the next ("Pink, red"), the last with the one before it; greys alone.
const joinFew = groups => {
  const few = 4, parts = [...groups].filter(([name]) => name !== 'Grey'), greys = groups.get('Grey');
  groups.clear();
  while (parts.length) {
    let [name, photos] = parts.shift();
    while (parts.length && (photos.length < few || parts.length === 1 && parts[0][1].length < few)) {
      const [other, others] = parts.shift();
      [name, photos] = [`${name}, ${other.toLowerCase()}`.replaceAll(' and ', ', '), [...photos, ...others]];
    }
    groups.set(name, photos);
  }
  if (greys) groups.set('Grey', greys);
};
const arrange = (from = scrollY) => {
  const terms = asked(state.q), colors = terms.filter(term => term.isColor || term.like);
  const settings = {within: state.within, share: 0}, order = orders[state.order || firstOrder];
  const except = new Set(terms.map(term => term.photo?.index));
  const found = terms.length ? find(terms, all, settings).filter(mood => !except.has(mood)) : null;
  let list = photos, far = [];
  marking = terms.length ? {terms, settings} : null;
  isMixed = colors.length > 0 || order !== orders.date;
  if (colors.length) {
    list = found.map(mood => photos[mood]);
    if (list.length < near && colors.length === terms.length && terms.every(term => term.hex)) {
      const taken = new Set(found), wider = {within: state.within * 2.5, share: 0};
      far = find(terms, all, wider).filter(mood => !taken.has(mood)).slice(0, near - list.length).map(mood => photos[mood]);
      marking.settings = far.length ? wider : settings;
    }
    sections = [];
    if (list.length) sections.push({heading: titleOf('Most of ', colors, list), name: 'Found', photos: list});
    if (far.length && !list.length) sections.push({heading: titleOf('Nothing is near ', colors, list), name: 'Nothing', photos: []});
    if (far.length) sections.push({heading: ['Farther away'], name: 'Farther away', photos: far});
  } else {
    const taken = found && new Set(found);
    list = taken ? order.all().filter(photo => taken.has(photo.index)) : order.all();
    sections = sectionsOf(list, order);
  }
  listed = far.length ? [...list, ...far] : list;
  sayFound(terms, order, list);
  layOut(from);
  drawScrubberLater();
};
const grouped = number => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
// What header and empty page say of it.
const sayFound = (terms, order, list) => {
  $$('.empty', main).forEach(element => element.remove());
  if (photos.length && !listed.length) main.append(html('p', {className: 'empty', textContent: 'No photo has all of that.'}));
  if (!photos.length) main.append(html('p', {className: 'empty'}, 'No moods yet. Make some: ', html('code', {textContent: 'moody ingest PATH'})));
  const whole = photos.length === 1 ? '1 photo' : `${grouped(photos.length)} photos`;
  count.textContent = list.length < photos.length ? `${grouped(list.length)} of ${whole}` : whole;
  $('#within').hidden = !terms.some(term => term.hex || term.like);
  for (const button of $$('#bar button')) button.ariaPressed = terms.some(term => term.text === button.value);
  for (const button of $$('#order button')) button.ariaPressed = button.value === (state.order || firstOrder);
};
// Of photos by hue a few of the colours that they go by.
const accentsOf = group => {
  const number = Math.min(6, group.length);
  return Array.from({length: number}, (_, at) => {
    const {swatches, accent} = group[Math.floor((at + 0.5) * group.length / number)];
    return {...swatches[Math.max(0, accent)], share: 1 / number};
  }).filter(swatch => swatch.hex);
};
// A few strong colours of some photos, for the headings that this script makes.
const paletteOf = group => {
  const strong = new Map();
  for (const photo of group.slice(0, 60)) {
    for (const swatch of photo.swatches.slice(0, 2)) strong.set(swatch.hex, [swatch, swatch.share * chroma(oklab(swatch.hex))]);
  }
  return [...strong.values()].sort((p, q) => q[1] - p[1]).slice(0, 6).map(([swatch]) => swatch);
};
// What is asked for anew begins at the top, at once.
const ask = changes => {
  Object.assign(state, changes);
  arrange(0);
  if (scrollY > 0) scrollTo({top: 0, behavior: 'instant'});
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

// Once a frame, however fast one types.
let typing = 0;
input.addEventListener('input', () => {
  cancelAnimationFrame(typing);
  typing = requestAnimationFrame(() => { if (input.value !== state.q) ask({q: input.value}); });
});
$('form').addEventListener('submit', event => { event.preventDefault(); ask({q: input.value}); });
$('#order').addEventListener('click', event => {
  const button = event.target.closest('button');
  if (button) ask({order: button.value});
});
$('#within input').addEventListener('input', event => ask({within: +event.target.value}));
const setQuery = text => { input.value = text; ask({q: text}); };

// The colour bar: words for what the collection has, each drawn in its strongest colour of that word.
const bar = $('#bar');
const barColors = new Map($$('button', bar).map(button => [button.value, $('rect', button).getAttribute('fill')]));
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
