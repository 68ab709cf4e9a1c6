// ---- Rows: laid out as numbers, made when they come near the window

const gap = 20;
let blocks = [], made = new Map(), listed = photos, isMixed = false, sections = [];
// What was asked for, whose swatches are marked.
let marking = null;
const header = $('header');
let size, headerHeight = 0, lastWidth = 0;
const measure = () => {
  const isPhone = matchMedia('(max-width:34rem)').matches, edge = parseFloat(getComputedStyle(main).paddingLeft);
  const width = main.clientWidth - 2 * edge;
  // As page.css has it for those without a script.
  size = {width, isPhone, strip: isPhone ? 44 : 36, caption: isPhone ? 60 : 58, row: Math.min(280, Math.max(172, 120 + 0.052 * innerWidth))};
  headerHeight = header.offsetHeight;
  lastWidth = main.clientWidth;
};
const clamped = aspect => Math.min(3, Math.max(0.5, aspect));
// One section's photos as rows as wide as the page; the last keeps the usual height.
const rowsOf = (group, top) => {
  const {width, row, strip, caption, isPhone, columns} = size, rows = [], below = strip + caption;
  if (isPhone) {
    for (let at = 0; at < group.length; at += columns) {
      const photos = group.slice(at, at + columns), sum = photos.reduce((sum, photo) => sum + clamped(photo.aspect), 0);
      // A row that is not full is as high as one that is.
      const high = Math.min(innerHeight * 0.78, (width + 32 - gap * (columns - 1)) / sum * photos.length / columns);
      rows.push({top, height: high + below, high, photos});
      top += high + below;
    }
    return [rows, top];
  }
  for (let at = 0; at < group.length;) {
    let end = at, sum = 0;
    // How high `number` photos are that fill the row.
    const fit = (sum, number) => (width - gap * (number - 1)) / sum;
    while (end < group.length && (end === at || fit(sum, end - at) > row)) sum += clamped(group[end++].aspect);
    // Without the last the row may be nearer to the height wanted.
    const last = clamped(group[end - 1].aspect), isFull = fit(sum, end - at) <= row;
    if (isFull && end - at > 1 && fit(sum - last, end - at - 1) - row < row - fit(sum, end - at)) sum -= clamped(group[--end].aspect);
    const high = isFull ? Math.min(row * 1.5, fit(sum, end - at)) : row;
    rows.push({top, height: high + below, high, photos: group.slice(at, end)});
    top += high + below;
    at = end;
  }
  return [rows, top];
};
// On a phone a photo is as wide as the window, and two or three of very many: a browser reaches no place beyond some 33 million pixels
// (Chromium; Firefox 17), and no thumb one beyond a good many less.
const highest = 16e6;
const columnsOf = list => {
  if (!size.isPhone) return 1;
  const {width, strip, caption} = size;
  const heightIn = columns => list.reduce((sum, {aspect}) => sum + Math.min(innerHeight * 0.78, (width + 32) / columns / clamped(aspect)) + strip + caption, 0) / columns;
  return [1, 2].find(columns => heightIn(columns) < (data.highest ?? highest)) ?? 3;
};
const layOut = (from = scrollY) => {
  size.columns = columnsOf(listed);
  let top = 0;
  blocks = [];
  for (const section of sections) {
    section.top = top;
    if (section.heading) {
      const height = size.isPhone && section.palette ? 96 : 78;
      blocks.push({top, height, section});
      top += height;
    } else top += 24;
    const [rows, end] = rowsOf(section.photos, top);
    for (const row of rows) row.section = null, row.isMixed = isMixed || section.hasYears, blocks.push(row);
    section.bottom = top = end;
  }
  blocks.forEach((block, at) => { block.at = at; });
  main.style.height = `${top + 60}px`;
  if (data.live) keepPictures(), sayRest(top);
  for (const element of made.values()) element.remove();
  made = new Map();
  show(from);
};
// A live page is laid out again and again: a picture that is there already is taken over, so that nothing flashes.
const keptPictures = new Map();
const keepPictures = () => {
  for (const picture of $$('figure img', main)) {
    const id = +picture.closest('figure').id.slice(1);
    if (picture.complete && picture.currentSrc) keptPictures.delete(id), keptPictures.set(id, picture);
  }
  for (const id of keptPictures.keys()) {
    if (keptPictures.size <= 400) break;
    keptPictures.delete(id);
  }
};
const keptPicture = photo => {
  const picture = keptPictures.get(photo.id);
  if (picture?.dataset.version !== `${photo.version} ${photo.pictures}`) return null;
  keptPictures.delete(photo.id);
  return picture;
};
const make = (block, isSketch = false) => {
  if (block.section) return heading(block.section, block);
  const row = html('div', {className: 'row', ariaHidden: isSketch ? 'true' : null});
  row.style.top = `${block.top}px`;
  for (const photo of block.photos) {
    const width = size.isPhone && size.columns === 1 ? size.width + 32 : block.high * clamped(photo.aspect);
    row.append(isSketch ? sketchOf(photo, width, block) : figureOf(photo, width, block));
  }
  return row;
};
// What can be seen of a photo that flies by: its largest color, and its strip. One element where a figure has twenty.
const sketchOf = (photo, width, {high}) => {
  const begin = swatches.first[photo.index], end = swatches.first[photo.index + 1], part = html('i');
  part.style.cssText = `flex:none;width:${width}px;height:${high + size.strip}px`;
  if (begin === end) return part;
  const bands = extents(Array.from(swatches.share.subarray(begin, end)), width)
    .map(([from, wide], at) => `${hexOf(swatches.rgb[begin + at])} ${from}% ${from + wide}%`);
  part.style.background = `linear-gradient(90deg,${bands}) 0 100%/100% ${size.strip}px no-repeat ${hexOf(swatches.rgb[begin])}`;
  return part;
};
const captionDate = (photo, width, isMixed) => {
  if (!photo.day || photo.section === data.undated) return '';
  const [year, month, day] = photo.day.split('-');
  if (isMixed) return width > 230 ? dateOf(photo) : width > 150 ? year : '';
  return width < 110 ? '' : width < 176 ? `${+day}` : `${+day} ${monthName(+month)}`;
};
const figureOf = (photo, width, block) => {
  const figure = html('figure', {id: `m${photo.id}`});
  figure.style.width = `${width}px`;
  const picture = keptPicture(photo) ?? image(photo, `${Math.round(width)}px`, false);
  if (data.live) [picture.alt, picture.dataset.version] = [photo.name, `${photo.version} ${photo.pictures}`];
  picture.style.height = `${block.high}px`;
  const link = html('a', {href: `#m${photo.id}`}, picture);
  const caption = html('figcaption', {}, html('bdi', {textContent: photo.name, title: photo.name}));
  const date = captionDate(photo, width, block.isMixed);
  if (date) caption.append(html('time', {dateTime: photo.day + (photo.time && 'T' + photo.time), textContent: date}));
  const strip = photo.swatches.length ? stripOf(photo.swatches, photo.name, width) : html('p', {className: 'strip none', textContent: 'No palette'});
  figure.append(link, strip, caption);
  if (marking && photo.swatches.length) markIn(strip, photo);
  return figure;
};
// A line under each swatch that was searched for: shape, not color, says which.
const markIn = (strip, photo) => {
  for (const at of hitsOf(marking.terms, all, photo.index, marking.settings)) {
    const [x, width] = extent(strip.children[at]);
    strip.append(svg('line', {class: 'mark', x1: `${x}%`, x2: `${x + width}%`, y1: '100%', y2: '100%'}));
  }
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
// Puts a block where it stands in the order of the page, which is that of Tab.
const put = (block, isSketch = false) => {
  let next = block.at + 1;
  while (next < blocks.length && blocks[next].top < block.top + 5 * innerHeight && !made.has(blocks[next])) next++;
  const element = make(block, isSketch);
  made.get(block)?.remove();
  main.insertBefore(element, made.get(blocks[next]) ?? null);
  made.set(block, element);
  block.isSketch = isSketch && !block.section;
  if (!isSketch) fetchPictures();
};
const isWhole = block => made.has(block) && !block.isSketch;
let isPrinting = false, ahead = 0;
// What is in the window stands there in this frame; a window's height above and below in the next, a few rows each.
// Where the page flies by, rows are sketched, and made whole one a frame when it goes slowly, in the window first.
const show = (scrolled = scrollY, pace = 'still') => {
  if (isPrinting) return;
  const from = scrolled - headerHeight, high = innerHeight, isNear = block => block.top + block.height > from - high && block.top < from + 2 * high;
  for (const [block, element] of made) {
    if (isNear(block) || element.contains(document.activeElement)) continue;
    element.remove();
    made.delete(block);
  }
  let left = {still: Infinity, slow: 1, fast: 0}[pace];
  for (let at = blockAt(from - 40); at < blocks.length && blocks[at].top < from + high + 40; at++) {
    if (!made.has(blocks[at])) put(blocks[at], pace === 'fast');
    else if (blocks[at].isSketch && left > 0) put(blocks[at]), left--;
  }
  cancelAnimationFrame(ahead);
  // Two frames on, for what is asked for in the next one is made before this one is seen.
  ahead = requestAnimationFrame(() => { ahead = requestAnimationFrame(showAhead); });
};
const showAhead = () => {
  if (isPrinting) return;
  const from = scrollY - headerHeight, high = innerHeight;
  const first = blockAt(from);
  let left = 1;
  for (let at = first; left && at < blocks.length && blocks[at].top < from + 2 * high; at++) if (!isWhole(blocks[at])) put(blocks[at]), left--;
  for (let at = first - 1; left && at >= 0 && blocks[at].top + blocks[at].height > from - high; at--) if (!isWhole(blocks[at])) put(blocks[at]), left--;
  if (!left) ahead = requestAnimationFrame(showAhead);
};
// A jump is shown whole; when as large a part of the window goes by again and again, within a quarter of a second, it flies.
let isAsked = false, seen = {at: scrollY, time: 0}, jumps = 0;
addEventListener('scroll', () => {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(time => {
    isAsked = false;
    if (Math.abs(scrollY - seen.at) <= innerHeight / 4) jumps = 0;
    else jumps = time - seen.time < 250 ? jumps + 1 : 1;
    seen = {at: scrollY, time};
    show(scrollY, jumps > 1 ? 'fast' : jumps ? 'still' : 'slow');
  });
}, {passive: true});
let resizing;
new ResizeObserver(() => {
  if (main.clientWidth === lastWidth) return;
  clearTimeout(resizing);
  resizing = setTimeout(() => {
    const place = placeNow(), focused = focusNow();
    measure();
    layOut();
    toPlace(place);
    toFocus(focused);
    drawScrubber();
  }, 60);
}).observe(main);
new ResizeObserver(() => {
  if (header.offsetHeight === headerHeight) return;
  headerHeight = header.offsetHeight;
  show();
}).observe(header);
// The photo at the top of the window, and how far it is scrolled: survives another layout.
const placeNow = () => {
  const from = scrollY - headerHeight, block = blocks[blockAt(from + 1)];
  return from > 0 && block?.photos ? {photo: block.photos[0], part: (from - block.top) / block.height} : null;
};
// What has the keyboard among the photos: which photo, and which of its links and swatches. Rows are made anew, and it with them.
const focusNow = () => {
  const element = document.activeElement, figure = element?.closest('main figure');
  return figure && {id: figure.id, at: $$('a, rect[role]', figure).indexOf(element)};
};
const toFocus = focused => {
  if (!focused) return;
  const photo = byID.get(+focused.id.slice(1)), block = photo && blockOf(photo);
  if (block && !isWhole(block)) put(block);
  $$('a, rect[role]', document.getElementById(focused.id) ?? main)[focused.at]?.focus({preventScroll: true});
};
const blockOf = photo => blocks.find(({photos}) => photos?.includes(photo));
const toPlace = place => {
  const block = place && blockOf(place.photo);
  if (block) scrollTo({top: headerHeight + block.top + place.part * block.height, behavior: 'instant'});
};
const reveal = photo => {
  const block = blockOf(photo);
  if (!block) return;
  const top = headerHeight + block.top;
  if (top < scrollY + headerHeight || top + block.height > scrollY + innerHeight) {
    scrollTo({top: Math.max(0, top - headerHeight - 24), behavior: 'instant'});
  }
  show();
  $(`#m${photo.id} > a`)?.focus({preventScroll: true});
};
const printed = (photo, isMixed) => {
  const figure = figureOf(photo, 200, {high: 200 / clamped(photo.aspect), isMixed});
  figure.style.width = '';
  for (const [picture, ask] of waiting) if (figure.contains(picture)) waiting.delete(picture), ask();
  const list = photo.swatches.map(({hex, name, share}) => html('li', {}, html('b', {textContent: hex}), ` ${name}, ${percent(share)}`));
  figure.append(html('ol', {}, ...list));
  return figure;
};
// Paper gets what stands there without a script, of what is shown just now.
const print = to => {
  if (isPrinting === to) return;
  isPrinting = to;
  if (!to) { main.replaceChildren(); return layOut(); }
  // A browser lays out all pages before it shows the first.
  const most = data.live ? data.mostPrinted ?? 3000 : Infinity;
  let left = most;
  const taken = section => {
    const photos = section.photos.slice(0, left);
    left -= photos.length;
    return photos;
  };
  const pieces = new Map();
  for (const [piece, id] of unscripted().matchAll(/\x3cfigure id="m(-?\d+)"[^]*?\x3c\/figure>/g)) pieces.set(+id, piece);
  made = new Map();
  const parts = sections.map(section => [section, taken(section)]).filter(([, photos]) => photos.length);
  main.replaceChildren(...parts.map(([section, photos]) => {
    const rows = html('div', {className: 'rows', innerHTML: photos.map(({id}) => pieces.get(id) ?? '').join('\n')});
    // A live page has nothing for those without a script.
    if (data.live) rows.append(...photos.flatMap(photo => [printed(photo, isMixed || section.hasYears), '\n']));
    const head = section.heading && html('h2', {}, ...section.heading.map(part => part.cloneNode?.(true) ?? part));
    return html('section', {className: isMixed || section.hasYears ? 'years' : ''}, ...head ? [head] : [], rows);
  }));
  if (listed.length > most) main.prepend(html('p', {}, `The first ${grouped(most)} of ${grouped(listed.length)} photos; a search prints others.`));
};
addEventListener('beforeprint', () => print(true));
addEventListener('afterprint', () => print(false));
matchMedia('print').addEventListener('change', event => print(event.matches));
