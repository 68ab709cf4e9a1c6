// ---- Search and order; what is looked at stands in the address

// `order` is empty for the usual one: by worth where colors are searched for, else the page's own. `share` is in percent.
const state = {q: '', order: '', within: 10, share: 0, photo: null, board: []};
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
  return [...terms, ...like.map((photo, at) => ({text: `like ${photo.name}`, like: paletteLike(swatches, photo.index), photo, clause: terms.length + at}))];
};
const chip = hex => svg('svg', {class: 'chip', 'aria-hidden': true}, svg('rect', {width: '100%', height: '100%', fill: hex}));
// A word's color is the one that this collection has of it, or the first photo found.
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
// "Most of teal, navy", "Photos like harbour.jpg", "Most of teal without green".
const titleOf = (words, terms, list) => {
  const [alike, colors] = [terms.filter(term => term.like), terms.filter(term => term.isColor)];
  const parts = colors.length || !alike.length ? [words] : ['Photos '];
  for (const term of [...colors, ...alike]) {
    if (term.not) parts.push('without ');
    else if (term.clause !== undefined && colors.some(other => other !== term && other.clause === term.clause && colors.indexOf(other) < colors.indexOf(term))) parts.push('or ');
    parts.push(nameOf(term, list), ' ');
  }
  return parts;
};
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
// Families of few photos stand together with the next ("Pink, red"), the last with the one before it; grays alone.
const joinFew = groups => {
  const few = 4, parts = [...groups].filter(([name]) => name !== 'Gray'), grays = groups.get('Gray');
  groups.clear();
  while (parts.length) {
    let [name, photos] = parts.shift();
    while (parts.length && (photos.length < few || parts.length === 1 && parts[0][1].length < few)) {
      const [other, others] = parts.shift();
      [name, photos] = [`${name}, ${other.toLowerCase()}`.replaceAll(' and ', ', '), [...photos, ...others]];
    }
    groups.set(name, photos);
  }
  if (grays) groups.set('Gray', grays);
};
// What a search finds shows in this order unless another is asked for: the most of it first.
const isByWorth = () => isSearchingColors && !Object.hasOwn(orders, state.order);
let isSearchingColors = false;
const arrange = (from = scrollY) => {
  const terms = asked(state.q), colors = terms.filter(term => term.isColor || term.like);
  const settings = {within: state.within, share: state.share / 100}, order = orderNow();
  const except = new Set(terms.map(term => term.photo?.index));
  const found = terms.length ? find(terms, all, settings).filter(mood => !except.has(mood)) : null;
  let list = photos, far = [];
  marking = terms.length ? {terms, settings} : null;
  isSearchingColors = colors.some(term => !term.not);
  isMixed = isByWorth() || order !== orders.date;
  if (isByWorth()) {
    list = found.map(mood => photos[mood]);
    far = findFarther(terms, all, settings, found).map(mood => photos[mood]);
    if (far.length) marking.settings = fartherSettings(settings);
    sections = [];
    if (list.length) sections.push({heading: titleOf('Most of ', terms, list), name: 'Found', photos: list});
    if (far.length && !list.length) sections.push({heading: titleOf('Nothing is near ', terms, list), name: 'Nothing', photos: []});
    if (far.length) sections.push({heading: ['Farther away'], name: 'Farther away', photos: far});
  } else {
    const taken = found && new Set(found);
    list = taken ? order.all().filter(photo => taken.has(photo.index)) : order.all();
    sections = sectionsOf(list, order);
  }
  listed = far.length ? [...list, ...far] : list;
  sayFound(terms, settings, list);
  layOut(from);
  drawScrubberLater();
};
const orderNow = () => orders[Object.hasOwn(orders, state.order) ? state.order : firstOrder];
// Why nothing is found: the first term that by itself finds nothing, and what may have been meant.
const emptyWords = (terms, settings) => {
  const failing = terms.find(term => !term.like && !term.not && !find([term], all, settings).length);
  if (!failing) return ['No photo has all of that.'];
  const meant = failing.isColor ? null : suggestion(failing.text);
  if (!meant) return [`No photo has “${failing.typed}”.`];
  const button = html('button', {type: 'button', textContent: meant});
  button.addEventListener('click', () => setQuery(plain(state.q).replace(failing.typed, meant)));
  return [`No photo has “${failing.typed}”. Did you mean `, button, '?'];
};
const grouped = number => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
// What header and empty page say of it.
const sayFound = (terms, settings, list) => {
  $$('.empty', main).forEach(element => element.remove());
  if (photos.length && !listed.length) main.append(html('p', {className: 'empty'}, ...emptyWords(terms, settings)));
  if (!photos.length) main.append(html('p', {className: 'empty'}, 'No moods yet. Make some: ', html('code', {textContent: 'moody ingest PATH'})));
  const whole = photos.length === 1 ? '1 photo' : `${grouped(photos.length)} photos`;
  const hidden = data.live && live.total > photos.length;
  if (list.length < photos.length) count.textContent = `${grouped(list.length)} of ${hidden ? 'the newest ' : ''}${whole}`;
  else count.textContent = hidden ? `${grouped(photos.length)} of ${grouped(live.total)} photos` : whole;
  if ($('#refine').hidden === isSearchingColors) {
    $('#refine').hidden = !isSearchingColors;
    headerHeight = header.offsetHeight;
  }
  $('#within').hidden = !terms.some(term => term.hex || term.like);
  $('#share').hidden = !terms.some(term => term.isColor);
  sliders.forEach(showSlider);
  $('#order [value=match]').hidden = !isSearchingColors;
  for (const button of $$('#bar button')) button.ariaPressed = terms.some(term => term.text === button.value && !term.not);
  for (const button of $$('#order button')) button.ariaPressed = button.value === (isByWorth() ? 'match' : Object.hasOwn(orders, state.order) ? state.order : firstOrder);
};
// Of photos by hue a few of the colors that they go by.
const accentsOf = group => {
  const number = Math.min(6, group.length);
  return Array.from({length: number}, (_, at) => {
    const {swatches, accent} = group[Math.floor((at + 0.5) * group.length / number)];
    return {...swatches[Math.max(0, accent)], share: 1 / number};
  }).filter(swatch => swatch.hex);
};
// A few strong colors of some photos, for the headings that this script makes.
const paletteOf = group => {
  const strong = new Map();
  for (const photo of group.slice(0, 60)) {
    for (const swatch of photo.swatches.slice(0, 2)) strong.set(swatch.hex, [swatch, swatch.share * chroma(oklab(swatch.hex))]);
  }
  return [...strong.values()].sort((p, q) => q[1] - p[1]).slice(0, 6).map(([swatch]) => swatch);
};
// What is asked for anew begins at the top, at once. Another search is another entry of the history: typing is one, until it rests.
// A search that is taken back leads to where one was, in the order that one had.
let before = null;
const ask = (changes, isTyping = false) => {
  const isSearch = 'q' in changes && changes.q.trim() !== state.q.trim();
  if (isSearch && !(isTyping && isStillTyping)) history.pushState(null, '', location.href.split('#')[0] + address());
  isStillTyping = isTyping;
  clearTimeout(resting);
  resting = setTimeout(() => { isStillTyping = false; }, 1500);
  const begins = isSearch && !state.q.trim(), ends = isSearch && !changes.q.trim();
  if (begins) {
    before = {order: state.order, ...untouched ?? {place: placeNow()}};
    untouched = null;
    changes.order = '';
  }
  Object.assign(state, changes, ends ? {order: before?.order ?? state.order} : {});
  arrange(0);
  if (ends && before?.place) toPlace(before.place), show();
  else if (scrollY > 0) scrollTo({top: 0, behavior: 'instant'});
  if (ends) before = null;
  keepAddress();
};
let isStillTyping = false, resting = 0;

const address = () => {
  const parts = new URLSearchParams();
  if (state.q) parts.set('q', state.q);
  if (Object.hasOwn(orders, state.order) && (state.order !== firstOrder || isSearchingColors)) parts.set('order', state.order);
  if (state.within !== 10) parts.set('within', state.within);
  if (state.share) parts.set('share', state.share);
  if (state.board.length) parts.set('board', state.board.join('.'));
  const text = parts.toString();
  return state.photo === null ? (text && '#' + text) : '#m' + state.photo + (text && '&' + text);
};
const keepAddress = () => history.replaceState(null, '', location.href.split('#')[0] + address());
const readAddress = () => {
  const text = location.hash.slice(1), [first] = text.split('&');
  const isPhoto = /^m-?\d+$/.test(first), parts = new URLSearchParams(isPhoto ? text.slice(first.length + 1) : text);
  const number = (name, least, most, usual) => Math.min(most, Math.max(least, +parts.get(name) || usual));
  return {
    photo: isPhoto && byID.has(+first.slice(1)) ? +first.slice(1) : null, q: parts.get('q') ?? '',
    order: Object.hasOwn(orders, parts.get('order') ?? '') ? parts.get('order') : '', within: number('within', 2, 20, 10), share: number('share', 0, 60, 0),
    board: [...new Set((parts.get('board') ?? '').split('.').filter(Boolean).map(Number))].filter(id => byID.has(id)).slice(0, 24),
  };
};

// Once a frame, however fast one types. Browsers scroll a little to where one types, so the place is taken before that.
let typing = 0, untouched = null;
input.addEventListener('beforeinput', () => { if (!state.q) untouched = {place: placeNow()}; });
input.addEventListener('input', () => {
  cancelAnimationFrame(typing);
  typing = requestAnimationFrame(() => { if (input.value !== state.q) ask({q: input.value}, true); });
});
$('form').addEventListener('submit', event => { event.preventDefault(); ask({q: input.value}); });
$('#order').addEventListener('click', event => {
  const button = event.target.closest('button');
  if (button) ask({order: button.value === 'match' ? '' : button.value});
});
const sliders = [['within', value => value], ['share', value => `${value} %`]];
const showSlider = ([name, words]) => {
  $(`#${name} input`).value = state[name];
  $(`#${name} output`).textContent = words(state[name]);
};
for (const [name] of sliders) $(`#${name} input`).addEventListener('input', event => ask({[name]: +event.target.value}));
const setQuery = text => { input.value = text; ask({q: text}); };

// The color bar: words for what the collection has, each drawn in its strongest color of that word.
const bar = $('#bar');
const barColors = new Map($$('button', bar).map(button => [button.value, $('rect', button).getAttribute('fill')]));
bar.addEventListener('click', event => {
  const button = event.target.closest('button');
  if (!button) return;
  const words = input.value.split(/\s+/).filter(Boolean);
  setQuery(words.includes(button.value) ? words.filter(word => word !== button.value).join(' ') : [...words, button.value].join(' '));
});
if (window.EyeDropper) {
  const pick = html('button', {type: 'button', textContent: 'Pick', title: 'Pick a color from the screen'});
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
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || view.open || event.target.matches('input, select, textarea')) return;
  event.preventDefault();
  input.focus({preventScroll: true});
  input.select();
});
