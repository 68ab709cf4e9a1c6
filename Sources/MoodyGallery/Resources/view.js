// ---- The large view: a dialog whose address is the photo's

let open = null, pushed = false;
const inList = photo => listed.indexOf(photo);
const largeOf = photo => photo.pictures & 4 ? addressOf('large', photo) : photo.pictures & 2 ? addressOf('sharp', photo) : null;
const fill = photo => {
  showPicked(null);
  const place = $('.photo', view), picture = image(photo, '100vw');
  place.className = 'photo';
  light_(-1);
  // A picture of paper or of night has an edge; one that is a line is as wide as a finger's tip.
  const [first] = photo.swatches, tone = first ? luminance(first.hex) : 0.5;
  place.classList.toggle('edged', tone > 0.8 || tone < 0.02);
  place.classList.toggle('thin', photo.aspect < 1 / 30 || photo.aspect > 30);
  place.style.setProperty('--a', photo.aspect || 1.5);
  place.replaceChildren(picture);
  fillFoot(photo);
  const large = largeOf(photo);
  if (large) { // The small one is there until the large one is.
    place.classList.add('whole');
    const whole = html('img', {alt: photo.name, src: large, draggable: true});
    whole.addEventListener('load', () => { if (open === photo) picture.replaceWith(whole); });
  }
  $('h2 bdi', view).textContent = photo.name;
  const isUndated = photo.section === data.undated;
  $('.when', view).textContent = [isUndated ? (photo.day ? `Undated; the file is of ${dateOf(photo)}` : 'Undated') : dateOf(photo),
    isUndated ? '' : photo.time].filter(Boolean).join(', ') || 'No date';
  $('ol', view).replaceChildren(...photo.swatches.map((swatch, at) => {
    const text = written(swatch);
    const row = html('li', {}, html('button', {className: 'big', name: 'copy', value: at, ariaLabel: `Copy ${text}`, tabIndex: -1, draggable: true}, chip(swatch.hex)),
      html('p', {}, html('b', {textContent: swatch.name || swatch.hex}), html('time', {textContent: percent(swatch.share)})),
      html('p', {}, html('button', {name: 'copy', value: at, textContent: text, title: `Copy ${text}`}),
        html('button', {name: 'find', value: at, textContent: 'Find', title: `Photos with ${swatch.hex}`})));
    // Not when the row comes under a pointer that rests: one opened a photo, and looks at it.
    row.addEventListener('pointermove', event => { if (lit !== at && (event.movementX || event.movementY)) light_(at); });
    row.addEventListener('pointerleave', () => light_(-1));
    // By the keyboard, too.
    row.addEventListener('focusin', event => { if (event.target.matches(':focus-visible')) light_(at); });
    row.addEventListener('focusout', () => light_(-1));
    return row;
  }));
  fillPairs(photo);
  for (const part of $$('.all', view)) part.hidden = !photo.swatches.length;
  $('.nothing', view).hidden = photo.swatches.length > 0;
  const told = [['Place', photo.place], ['Camera', photo.camera], ['Size', photo.size], ['File', photo.path], ...photo.notes.map(note => ['Note', note])];
  $('dl', view).replaceChildren(...told.filter(([, text]) => text).flatMap(([term, text]) =>
    [html('dt', {textContent: term}), html('dd', {}, html('bdi', {textContent: text}))]));
  const at = inList(photo);
  $('.at', view).textContent = at < 0 ? '' : `${at + 1} of ${listed.length}`;
  $('[name=previous]', view).disabled = at <= 0;
  $('[name=next]', view).disabled = at === listed.length - 1;
};
// The photo alone, its colors along the foot.
const fillFoot = photo => {
  const foot = $('.foot', view);
  foot.replaceChildren();
  if (view.classList.contains('alone') && photo.swatches.length) {
    foot.append(stripOf(photo.swatches, photo.name, innerWidth), html('figcaption'));
  }
};
const setAlone = isAlone => {
  view.classList.toggle('alone', isAlone);
  $('.photo', view).classList.remove('zoomed');
  if (open) fillFoot(open);
  view.focus();
};
const zoom = () => { if (open && largeOf(open)) $('.photo', view).classList.toggle('zoomed'); };
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
// Which pixels of the picture a color stands for: the others fade. By a filter, for a page that is opened from a disk may show
// pictures and not read them: of each other color a matrix says which pixels are nearer to this one, and their product is what stays.
const filter = svg('filter', {id: 'lit', x: 0, y: 0, width: 1, height: 1, 'color-interpolation-filters': 'sRGB'});
view.append(svg('svg', {class: 'filters', width: 0, height: 0, 'aria-hidden': true}, filter));
// How much farther a pixel is from one color than from another, in Oklab, hues counting more. Channels 0...1.
const okOf = rgb => { const lab = [0, 0, 0]; writeOklabOf(...rgb.map(light), lab, 0); return lab; };
const farther = (pixel, from, than) => {
  const [p, a, b] = [pixel, from, than].map(okOf), square = q => (p[0] - q[0]) ** 2 + 4 * (p[1] - q[1]) ** 2 + 4 * (p[2] - q[2]) ** 2;
  return square(a) - square(b);
};
// The colors half-way between two are a plane, nearly: where the line from one to the other meets it, and across what it falls
// off there. [r, g, b, rest]: above 0 on the side of the one.
const planeBetween = (one, other) => {
  const at = part => one.map((v, i) => v + (other[i] - v) * part);
  let low = 0, high = 1;
  for (let i = 0; i < 24; i++) {
    const middle = (low + high) / 2;
    if (farther(at(middle), other, one) > 0) low = middle;
    else high = middle;
  }
  const middle = at(low), moved = (i, by) => farther(middle.map((v, k) => k === i ? v + by : v), other, one);
  const slope = [0, 1, 2].map(i => moved(i, 0.016) - moved(i, -0.016)), length = Math.hypot(...slope) || 1;
  const unit = slope.map(v => v / length);
  return [...unit, -unit.reduce((sum, v, i) => sum + v * middle[i], 0)];
};
let lit = -1;
const light_ = at => {
  lit = at;
  const place = $('.photo', view), rgb = (open?.swatches ?? []).map(({hex}) => channels(hex).map(v => v / 255));
  place.style.filter = '';
  if (at < 0 || rgb.length < 2) return;
  const sharp = 60, none = '0 0 0 0 0 ';
  const planes = rgb.flatMap((other, i) => i === at ? [] : [planeBetween(rgb[at], other)]);
  const steps = planes.map((plane, i) => svg('feColorMatrix', {
    in: 'SourceGraphic', result: `side${i}`,
    values: none + none + none + [plane[0] * sharp, plane[1] * sharp, plane[2] * sharp, 0, 0.5 + plane[3] * sharp].map(v => v.toFixed(4)).join(' '),
  }));
  const both = planes.map((_, i) => svg('feComposite', {in: i ? `own${i - 1}` : 'SourceGraphic', in2: `side${i}`, operator: 'in', result: `own${i}`}));
  filter.replaceChildren(...steps, ...both, svg('feFlood', {'flood-color': '#7f7f7f', 'flood-opacity': 0.85}),
    svg('feComposite', {in2: 'SourceGraphic', operator: 'in', result: 'veil'}),
    svg('feMerge', {}, ...['SourceGraphic', 'veil', `own${planes.length - 1}`].map(name => svg('feMergeNode', {in: name}))));
  place.style.filter = `url\x28#lit)`;
};
const pageTitle = document.title;
const showPhoto = photo => {
  open = photo;
  document.title = `${photo.name} \u2013 ${pageTitle}`;
  state.photo = photo.id;
  fill(photo);
  if (!view.open) {
    view.append(said);
    view.showModal();
    view.focus();
    document.documentElement.classList.add('still');
  }
  view.scrollTop = 0;
  for (const button of $$('[name=board]', view)) button.ariaPressed = state.board.includes(photo.id);
};
const step = by => {
  const next = listed[inList(open) + by];
  if (!next) return;
  showPhoto(next);
  keepAddress();
};
const follow = () => {
  const wanted = readAddress(), changed = ['q', 'order', 'within', 'share'].some(key => wanted[key] !== state[key]);
  const {photo} = wanted;
  if (wanted.board.join() !== state.board.join()) {
    state.board = wanted.board;
    drawBoard();
  }
  if (changed) {
    Object.assign(state, wanted, {photo: state.photo});
    input.value = state.q;
    arrange();
  }
  if (photo !== null) showPhoto(byID.get(photo));
  else if (view.open) view.close();
};
view.addEventListener('close', () => {
  document.title = pageTitle;
  view.classList.remove('alone');
  setPicking(false);
  document.body.append(said);
  document.documentElement.classList.remove('still');
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
    if (event.target.closest('.photo')) zoom();
    return;
  }
  const swatch = open.swatches[button.value];
  if (button.name === 'close') view.close();
  else if (button.name === 'alone') setAlone(true);
  else if (button.name === 'pick') togglePicking();
  else if (button.name === 'board') toggleBoard(open);
  else if (button.name === 'previous') step(-1);
  else if (button.name === 'next') step(1);
  else if (button.name === 'copy') copy(written(swatch));
  else if (button.name === 'find') closeWith(swatch.hex);
  else if (button.name === 'like') closeWith(`like:${open.id}`);
  else if (button.name === 'css') copy(css(open), `${open.swatches.length} colors`);
  else if (button.name === 'ground') {
    view.dataset.ground = button.value;
    kept.set('ground', button.value);
    for (const other of $$('[name=ground]', view)) other.ariaPressed = other === button;
  } else if (button.name === 'save') save(open, button.value);
  else if (button.name === 'card') giveCard(open, button.value);
});
view.addEventListener('dblclick', event => { if (event.target.closest('.photo')) setAlone(!view.classList.contains('alone')); });
// What is asked for in the large view is shown behind it.
const closeWith = query => {
  pushed = false;
  open = null;
  state.photo = null;
  view.close();
  setQuery(query);
};
// At the document: a browser that goes to an address whose photo has a figure in the page takes the focus off the view.
document.addEventListener('keydown', event => {
  if (!view.open || event.ctrlKey || event.metaKey || event.altKey || event.target.matches('select, input')) return;
  // Inside a strip arrows go along it.
  const isInStrip = event.target.matches('rect');
  if (event.key === 'ArrowLeft' && !isInStrip) step(-1);
  else if (event.key === 'ArrowRight' && !isInStrip) step(1);
  else if (event.key === 'f' || event.key === 'F') setAlone(!view.classList.contains('alone'));
  else if (event.key === 'z' || event.key === 'Z') zoom();
  else if (event.key === 'p' || event.key === 'P') togglePicking();
  else if (event.key !== 'Escape' || !leaveOne()) return;
  event.preventDefault();
});
// Escape leaves the eyedropper, the zoom, then the photo alone, then the view.
const leaveOne = () => {
  if (isPicking) setPicking(false);
  else if ($('.zoomed', view)) zoom();
  else if (view.classList.contains('alone')) setAlone(false);
  else return false;
  return true;
};
view.addEventListener('cancel', event => { if (event.target === view && leaveOne()) event.preventDefault(); });
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
