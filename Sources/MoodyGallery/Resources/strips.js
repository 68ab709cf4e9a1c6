const kept = { // What this browser chose; pages opened from files may have no storage.
  get(key) { try { return localStorage.getItem('moody.' + key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem('moody.' + key, value); } catch { } },
};
let format = Object.hasOwn(formats, kept.get('format') ?? '') ? kept.get('format') : 'hex';
const written = swatch => formats[format](swatch);

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

// ---- The strip: one stop for Tab, arrows inside; the color in the swatch, words in the caption

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

// A long press shows the color and copies nothing.
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
