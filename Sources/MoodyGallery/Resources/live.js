// ---- The live page: begins with the server's list at one generation and follows its stream of changes.

const api = path => `api/v1/${path}`;
// What the server's list is, as far as this page knows it; `dated` by photo, in the list's order.
const live = {list: '', generation: -1, sections: [], dated: [], total: 0, heard: 0, wait: 1000, isLoading: false, lostAt: 0, why: '', told: 0, problems: 0, isHidden: document.hidden && !channel};
const newest = 50_000; // The newest photos of a list are shown, and as many more when they are asked for.

// ---- Words at the foot, each with what can be done about it

const notesAtFoot = $('#notes');
const note = (text, {seconds = 10, action = '', act = () => {}, id = null} = {}) => {
  const line = html('p', {}, html('span', {textContent: text}));
  if (id) {
    for (const old of $$('p', notesAtFoot)) if (old.dataset.id === id) old.remove();
    line.dataset.id = id;
  }
  if (action) {
    const button = html('button', {type: 'button', textContent: action});
    button.addEventListener('click', () => { line.remove(); act(); });
    line.append(button);
  }
  // A dialog is above everything else of the page.
  (view.open ? view : document.body).append(notesAtFoot);
  notesAtFoot.append(line);
  while (notesAtFoot.children.length > 5) notesAtFoot.firstChild.remove();
  // Not while it is pointed at, or has the focus.
  const leave = () => line.matches(':hover, :focus-within') ? setTimeout(leave, 1000) : line.remove();
  if (seconds) setTimeout(leave, seconds * 1000);
  return line;
};

view.addEventListener('close', () => document.body.append(notesAtFoot));
// How high what stands below the notes is.
const measureFoot = () => {
  const high = element => element?.offsetHeight ?? 0, {style} = document.documentElement, adds = $('#adds');
  const board = high(boardPlace), fixed = adds && getComputedStyle(adds).position === 'fixed' ? high(adds) : 0;
  style.setProperty('--board', `${board}px`);
  style.setProperty('--low', `${board + fixed}px`);
  style.setProperty('--sent', `${high($('#uploads')) && high($('#uploads')) + 8}px`);
};
const footObserver = new ResizeObserver(measureFoot);
for (const part of $$('#board, #adds, #uploads')) footObserver.observe(part);

// ---- The list

// Applies a batch to the places of photos, by the law of docs/SERVE.md: what leaves, by old places, last first; sections that go,
// last first; sections that come, first first; what comes, by new places, first first; then what stays and is another.
const applyBatch = (entries, sections, {changes}) => {
  const starts = () => sections.reduce((sums, [, count]) => [...sums, sums.at(-1) + count], [0]);
  const byPlace = key => (p, q) => p[key][0] - q[key][0] || p[key][1] - q[key][1];
  const of = (...kinds) => changes.filter(({change}) => kinds.includes(change));
  let start = starts();
  for (const {from: [section, row]} of of('delete', 'move').sort(byPlace('from')).reverse()) {
    entries.splice(start[section] + row, 1);
    sections[section][1]--;
  }
  for (const {from} of of('section delete').sort((p, q) => q.from - p.from)) {
    if (sections[from]?.[1] !== 0) throw new Error('a section that goes is not empty');
    sections.splice(from, 1);
  }
  for (const {to, name} of of('section insert').sort((p, q) => p.to - q.to)) sections.splice(to, 0, [name, 0]);
  let at = 0, sum = 0;
  for (const {to: [section, row], row: facts} of of('insert', 'move').sort(byPlace('to'))) {
    while (at < section) sum += sections[at++][1];
    if (!(row <= sections[section]?.[1])) throw new Error('there is no place for a row');
    entries.splice(sum + row, 0, facts);
    sections[section][1]++;
  }
  start = starts();
  for (const {to: [section, row], row: facts} of of('update')) entries[start[section] + row] = facts;
};
// The catalog and its sections from entries, in the list's order.
const take = entries => {
  const was = live.dated;
  live.dated = entries.map(entry => typeof entry === 'number' ? was[entry] : entry[11] === 1);
  fillCatalog(entries);
  fillSections(live.dated);
  for (const key in sorted) delete sorted[key];
  ranks = null;
};
// `count` and the sums of sections, which say that nothing was missed.
const isComplete = (sections, count, entries) => entries.length === count && sections.reduce((sum, [, own]) => sum + own, 0) === count;

// What is told while the list is on its way is kept: it may be newer.
let pending = [], flushing = 0, firstPending = 0, isPressed = false;
addEventListener('pointerdown', () => { isPressed = true; }, true);
for (const name of ['pointerup', 'pointercancel', 'dragend']) addEventListener(name, () => { isPressed = false; }, true);
const hear = (batch, list) => {
  if (!live.isLoading && list !== live.list) return;
  if (batch.generation <= (pending.at(-1)?.generation ?? (live.isLoading ? -1 : live.generation))) return; // Heard before.
  if (!pending.length) firstPending = performance.now();
  pending.push({...batch, list});
  flushSoon();
};
const flushSoon = () => { flushing ||= requestAnimationFrame(() => { flushing = 0; flush(); }); };
const flush = () => {
  if (!pending.length || live.isLoading) return;
  if ((isPressed || jumps > 1) && performance.now() - firstPending < 500) return flushSoon();
  const batches = pending.filter(({list, generation}) => list === live.list && generation > live.generation);
  // Of a list that is longer than what is shown the rest is unknown, but not its length.
  const entries = [...photos.keys(), ...new Array(live.total - photos.length).fill(null)], sections = live.sections.map(part => [...part]);
  let {generation} = live;
  pending = [];
  if (!batches.length) return;
  try {
    for (const batch of batches) {
      if (batch.generation !== generation + 1) throw new Error('a batch is missing');
      applyBatch(entries, sections, batch);
      generation = batch.generation;
      if (!isComplete(sections, batch.count, entries)) throw new Error('rows are missing');
    }
  } catch (error) { return load(error.message); }
  const end = entries.indexOf(null);
  // Deletions let older photos come up, which are asked for a good many at a time.
  if (end >= 0 && end < data.most - Math.min(500, data.most / 2)) return load('older photos come up');
  settle(() => {
    [live.sections, live.generation, live.total] = [sections, generation, entries.length];
    take(entries.slice(0, end < 0 ? data.most : Math.min(end, data.most)));
  });
};
// A fresh list. Its photos replace those of before by their numbers: what stays on the screen stays.
const load = async reason => {
  if (live.isLoading) return;
  [live.isLoading, pending] = [true, []];
  if (reason) console.debug(`the list is fetched anew: ${reason}`);
  data.most ??= newest;
  const abort = new AbortController();
  let patience;
  const waitOn = () => {
    clearTimeout(patience);
    patience = setTimeout(() => abort.abort(), data.patience ?? 10_000);
  };
  try {
    waitOn();
    const answer = await fetch(api(`list?as=rows&limit=${data.most}`), {cache: 'no-cache', signal: abort.signal});
    if (!answer.ok) throw Object.assign(new Error(`status ${answer.status}`), {status: answer.status, wait: +answer.headers.get('Retry-After')});
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader(), rows = [];
    let head = null, rest = '', isShown = photos.length > 0;
    for (;;) {
      waitOn();
      const {done, value} = await reader.read();
      const lines = (rest + (value ?? '')).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        if (head) rows.push(JSON.parse(line));
        else head = JSON.parse(line);
      }
      if (done) break;
      // The first ones as they come.
      if (!isShown && rows.length >= 200) {
        isShown = true;
        settle(() => take(rows.slice(0, 200)));
      }
    }
    if (!head || rows.length !== Math.min(head.count, data.most)) throw new Error('the list was cut short');
    settle(() => {
      Object.assign(live, {list: head.list, generation: head.generation, sections: head.sections, total: head.count, told: 0, isLoading: false});
      take(rows);
    });
    live.wait = 1000;
    found();
    flushSoon();
    warm = 0;
    window.requestIdleCallback?.(readSome);
    if (state.photo === null && readAddress().photo !== null) follow();
    else if (!isKnown && /^#m-?\d+/.test(location.hash) && state.photo === null) note('The photo of this address is not here any more', {id: 'address'});
    isKnown = true;
    if (!stream.hold && !stream.source) holdStream();
  } catch (error) {
    live.isLoading = false;
    if (error.status === 401) live.why = 'The server wants to be called by its address with the token';
    lost();
    later(() => load(), 1000 * (error.wait || 0));
  } finally {
    clearTimeout(patience);
    live.isLoading = false;
  }
};
let isKnown = false; // Whether a list has come since the page was opened.
const later = (act, least) => {
  setTimeout(act, Math.max(live.wait, least));
  live.wait = Math.min(15_000, live.wait * 2);
};
// Below the last photo: how to see more of a long list.
const sayRest = top => {
  $('.more', main)?.remove();
  if (live.total <= photos.length || listed.length < photos.length) return;
  const button = html('button', {type: 'button', textContent: `Show ${grouped(Math.min(newest, live.total - photos.length))} more`});
  button.addEventListener('click', () => { data.most += newest; load(); });
  const line = html('p', {className: 'empty more'}, `These are the newest ${grouped(photos.length)} of ${grouped(live.total)} photos. `, button);
  line.style.top = `${top}px`;
  main.append(line);
};


// ---- Showing what changed

const isStill = matchMedia('(prefers-reduced-motion:reduce)');
// Where the figures in the window are.
const figuresInWindow = () => new Map($$('figure', main).map(figure => [+figure.id.slice(1), figure.getBoundingClientRect()])
  .filter(([, box]) => box.bottom > headerHeight && box.top < innerHeight));
const settle = change => {
  const wasAt = figuresInWindow(), top = scrollY, atTop = top < 4, known = new Set(photos.map(photo => photo.id)), first = photos[0];
  // Of those in the window the first that stays keeps its place.
  const anchors = atTop ? [] : [...wasAt].sort(([, p], [, q]) => p.top - q.top || p.left - q.left).map(([id, box]) => [id, box.top]);
  const opened = open, openName = open?.name, openVersion = open && JSON.stringify([open.version, open.name, open.swatches, open.day]), nextOpen = open && neighborsOf(open);
  const focused = focusedPhoto(), nextFocused = focused && neighborsOf(focused);
  for (const id of wasAt.keys()) {
    const element = $(`#m${id}`);
    if (element) goneClones.set(id, element);
  }
  change();
  const isEmpty = !photos.length;
  for (const part of [$('form'), $('#order'), $('header .format')]) part.hidden = isEmpty;
  measure();
  arrange(top);
  if (isEmpty) sayEmpty();
  const anchor = anchors.find(([id]) => byID.has(id) && blockOf(byID.get(id)));
  if (anchor) {
    const block = blockOf(byID.get(anchor[0]));
    scrollTo({top: Math.max(0, headerHeight + block.top - anchor[1]), behavior: 'instant'});
    show();
  }
  glide(wasAt);
  goneClones.clear();
  if (focused && !focusedPhoto()) $(`#m${byID.has(focused.id) ? focused.id : nextFocused.find(id => byID.has(id))} > a`)?.focus({preventScroll: true});
  const come = known.size ? photos.filter(photo => !known.has(photo.id)) : [];
  const above = atTop ? 0 : come.filter(photo => { const block = blockOf(photo); return block && headerHeight + block.top < scrollY; }).length;
  if (above) note(`${above} new above`, {id: 'above', seconds: 4, action: 'Show', act: () => scrollTo({top: 0, behavior: isStill.matches ? 'instant' : 'smooth'})});
  for (const photo of come) arrived(photo);
  confirmDeletes();
  fillBarSoon();
  if (opened) settleView(opened, openName, openVersion, nextOpen);
};
const sayEmpty = () => $('.empty', main)?.replaceChildren(data.readOnly ? 'No moods yet.' : 'No moods yet. Drop photos here.');
// What was seen and went is seen to go; what stays glides to its place; what is new fades in. Many at once are simply there.
const goneClones = new Map();
const glide = wasAt => {
  if (isStill.matches || !wasAt.size) return;
  const now = figuresInWindow(), gone = [...wasAt].filter(([id]) => !byID.has(id));
  const moved = [...now].filter(([id, box]) => wasAt.has(id) && (Math.abs(wasAt.get(id).left - box.left) > 1 || Math.abs(wasAt.get(id).top - box.top) > 1));
  const come = [...now].filter(([id]) => !wasAt.has(id));
  if (moved.length + come.length + gone.length > 40) return;
  for (const [id, box] of moved) {
    const was = wasAt.get(id);
    $(`#m${id}`).animate([{transform: `translate(${was.left - box.left}px,${was.top - box.top}px)`}, {transform: 'none'}], {duration: 180, easing: 'ease-out'});
  }
  for (const [id] of come) $(`#m${id}`).animate([{opacity: 0}, {opacity: 1}], {duration: 180});
  for (const [id, box] of gone) {
    const ghost = goneClones.get(id);
    if (!ghost) continue;
    ghost.removeAttribute('id');
    Object.assign(ghost.style, {position: 'fixed', margin: 0, left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, pointerEvents: 'none'});
    ghost.ariaHidden = 'true';
    ghost.inert = true;
    main.append(ghost);
    ghost.animate([{opacity: 1}, {opacity: 0}], {duration: 120}).finished.finally(() => ghost.remove());
  }
};
// The photos that come in the place of one that goes: those behind it, then those before it.
const neighborsOf = photo => {
  const at = inList(photo);
  return [...listed.slice(at + 1), ...listed.slice(0, Math.max(0, at)).reverse()].map(photo => photo.id);
};
const settleView = (photo, name, version, next) => {
  if (byID.has(photo.id)) {
    if (JSON.stringify([photo.version, photo.name, photo.swatches, photo.day]) !== version) fill(photo);
    else sayPlace(photo);
    return;
  }
  const id = next.find(id => byID.has(id));
  // Who deletes goes on to the next; who only looks is told.
  if (id !== undefined && ownDeletes.has(photo.id)) {
    showPhoto(byID.get(id));
    return keepAddress();
  }
  [open, state.photo] = id === undefined ? [null, null] : [byID.get(id), id];
  view.close();
  if (!ownDeletes.has(photo.id)) note(`${name} was deleted`);
};
const sayPlace = photo => {
  const at = inList(photo);
  $('.at', view).textContent = at < 0 ? '' : `${at + 1} of ${listed.length}`;
  $('[name=previous]', view).disabled = at <= 0;
  $('[name=next]', view).disabled = at === listed.length - 1;
};

// ---- The keyboard: from photo to photo

main.addEventListener('keydown', event => {
  const by = {ArrowLeft: -1, ArrowRight: 1}[event.key], photo = by && event.target.matches('figure > a') && focusedPhoto();
  const next = photo && !event.ctrlKey && !event.metaKey && !event.altKey && listed[inList(photo) + by];
  if (!next) return;
  event.preventDefault();
  reveal(next);
});

// ---- Folders that are read

const hairline = $('#progress'), problems = [];
let progressing;
const sayProgress = ({done, planned, photos: read, left}) => {
  clearTimeout(progressing);
  // One photo is there before anybody has read a line.
  const isShown = planned > 1 && done < planned;
  progressing = setTimeout(() => { hairline.hidden = true; }, isShown ? 20_000 : 400);
  if (!isShown) return;
  hairline.hidden = false;
  const time = left === null ? '' : left > 90 ? `, ${Math.round(left / 60)} min left` : `, ${left} s left`;
  $('span', hairline).textContent = `${grouped(done)} of ${grouped(planned)} photos${time}`;
  $('i', hairline).style.width = `${done / planned * 100}%`;
};
// Two folders may each have a file of the name.
const sayProblem = ({name, reason, solved, revision}) => {
  if (revision <= live.problems) return; // The status had it.
  if (revision > live.problems + 1) return askStatus(); // One was missed.
  live.problems = revision;
  const at = problems.findIndex(other => other.name === name && other.reason === reason);
  if (solved && at < 0) return;
  if (solved) problems.splice(at, 1);
  else problems.push({name, reason});
  sayProblems();
};
const sayProblems = () => {
  const all = $('#problems');
  all.hidden = !problems.length;
  $('summary', all).textContent = `${problems.length} could not be read`;
  $('ul', all).replaceChildren(...problems.map(({name, reason}) => html('li', {}, html('bdi', {textContent: name}), `: ${reason}`)));
};
const askStatus = async () => {
  const status = await request('GET', 'status').catch(() => null);
  if (status?.progress) sayProgress(status.progress);
  if (!status?.problems) return; // Cut short.
  live.problems = status.revision;
  problems.length = 0;
  problems.push(...status.problems);
  sayProblems();
};

const arrivals = new Map();
// Calls `act` when a mood is in the list, now or later.
const onArrival = (id, act) => byID.has(id) ? act(byID.get(id)) : arrivals.set(id, act);
const arrived = photo => {
  const act = arrivals.get(photo.id);
  arrivals.delete(photo.id);
  act?.(photo);
};
// Goes to a photo and marks it.
const goTo = photo => {
  if (view.open) return;
  reveal(photo);
  if (isStill.matches) return;
  $(`#m${photo.id}`)?.animate([{outline: '3px solid currentColor', outlineOffset: '2px'}, {outline: '3px solid transparent', outlineOffset: '2px'}], {duration: 1500});
};
onFound.push(askStatus);
addEventListener('DOMContentLoaded', () => { load(); askStatus(); });
