// ---- The live page: begins with the server's list at one generation and follows its stream of changes.

const api = path => `api/v1/${path}`;
// What the server's list is, as far as this page knows it; `dated` by photo, in the list's order.
const live = {list: '', generation: -1, sections: [], dated: [], source: null, heard: 0, wait: 1000, isLoading: false, lostAt: 0, isHidden: false};
const most = 50_000; // Newer moods alone are shown of more.

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

let pending = [], flushing = 0, firstPending = 0, isPressed = false;
addEventListener('pointerdown', () => { isPressed = true; }, true);
for (const name of ['pointerup', 'pointercancel', 'dragend']) addEventListener(name, () => { isPressed = false; }, true);
const hear = batch => {
  if (batch.generation <= live.generation + pending.length) return; // Heard before.
  if (!pending.length) firstPending = performance.now();
  pending.push(batch);
  flushSoon();
};
const flushSoon = () => { flushing ||= requestAnimationFrame(() => { flushing = 0; flush(); }); };
const flush = () => {
  if (!pending.length || live.isLoading) return;
  if ((isPressed || jumps > 1) && performance.now() - firstPending < 500) return flushSoon();
  const batches = pending, entries = photos.map((_, at) => at), sections = live.sections.map(part => [...part]);
  let {generation} = live;
  pending = [];
  try {
    for (const batch of batches) {
      if (batch.generation !== generation + 1) throw new Error('a batch is missing');
      applyBatch(entries, sections, batch);
      generation = batch.generation;
      if (!isComplete(sections, batch.count, entries)) throw new Error('rows are missing');
    }
  } catch (error) { return load(error.message); }
  settle(() => {
    [live.sections, live.generation] = [sections, generation];
    take(entries);
  });
};
// A fresh list. Its photos replace those of before by their numbers: what stays on the screen stays.
const load = async reason => {
  if (live.isLoading) return;
  [live.isLoading, pending] = [true, []];
  live.source?.close();
  live.source = null;
  if (reason) console.debug(`the list is fetched anew: ${reason}`);
  try {
    const answer = await fetch(api('list?as=rows'), {cache: 'no-store'});
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader(), rows = [];
    let head = null, rest = '', isShown = photos.length > 0;
    for (;;) {
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
    if (!head || rows.length !== head.count) throw new Error('the list was cut short');
    if (head.count > most) {
      // Places of changes are in the whole list, so these are not followed.
      settle(() => {
        Object.assign(live, {list: head.list, generation: head.generation, sections: [], isLoading: false});
        take(rows.slice(0, most));
      });
      note(`The newest ${grouped(most)} of ${grouped(head.count)} photos are shown, as they were when the page was opened`, {id: 'most', seconds: 0});
      return;
    }
    settle(() => {
      Object.assign(live, {list: head.list, generation: head.generation, sections: head.sections, isLoading: false});
      take(rows);
    });
    live.wait = 1000;
    warm = 0;
    window.requestIdleCallback?.(readSome);
    if (state.photo === null && readAddress().photo !== null) follow();
    listen();
  } catch (error) {
    live.isLoading = false;
    lost();
    later(() => load());
  } finally { live.isLoading = false; }
};
const later = act => {
  setTimeout(act, live.wait);
  live.wait = Math.min(15_000, live.wait * 2);
};

// ---- The stream

const listen = () => {
  live.source?.close();
  if (live.isHidden) return;
  const source = new EventSource(api(`events?as=rows&after=${live.list}-${live.generation}`));
  live.source = source;
  const on = (name, act) => source.addEventListener(name, event => {
    if (live.source !== source) return;
    live.heard = Date.now();
    found();
    act(event.data ? JSON.parse(event.data) : null);
  });
  source.addEventListener('open', () => { if (live.source === source) live.heard = Date.now(), live.wait = 1000, found(); });
  on('batch', hear);
  on('reload', ({reason}) => { live.source = null; source.close(); load(reason); });
  on('progress', sayProgress);
  on('problem', sayProblem);
  on('beat', ({generation}) => { if (!pending.length && !live.isLoading && generation < live.generation) load('the server is behind'); });
  on('bye', () => lost());
  source.addEventListener('error', () => {
    if (live.source !== source) return;
    lost();
    // The browser comes back by itself but for an answer that is no stream.
    if (source.readyState === EventSource.CLOSED) live.source = null, later(() => { if (!live.source) listen(); });
  });
};
// A stream that says nothing for so long is none.
setInterval(() => {
  if (live.source && !live.isHidden && Date.now() - live.heard > 40_000) lost(), live.heard = Date.now(), listen();
}, 5000);
addEventListener('online', () => { if (live.list) listen(); });
let hiding;
document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding);
  if (document.hidden) {
    // A browser has six connections to a server: tabs that nobody looks at leave theirs to others.
    hiding = setTimeout(() => { live.isHidden = true; live.source?.close(); live.source = null; }, data.hiddenFor ?? 30_000);
  } else if (live.isHidden) {
    live.isHidden = false;
    if (live.list) listen();
  }
});
const lost = () => {
  live.lostAt ||= Date.now();
  setTimeout(() => {
    if (!live.lostAt || Date.now() - live.lostAt < 1900) return;
    const [hour, minute] = new Date(live.lostAt).toTimeString().split(':');
    $('#lost').textContent = `Not connected; as of ${hour}:${minute}`;
    document.documentElement.classList.add('lost');
  }, 2000);
};
const found = () => {
  live.lostAt = 0;
  $('#lost').textContent = '';
  document.documentElement.classList.remove('lost');
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
  const opened = open, openName = open?.name, openVersion = open && JSON.stringify([open.version, open.name, open.swatches, open.day]), nextOpen = open && afterOpen();
  const focused = document.activeElement?.closest?.('main figure')?.id;
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
  if (focused && !document.activeElement?.closest?.('main figure')) $(`#${focused} > a`)?.focus({preventScroll: true});
  const come = known.size ? photos.filter(photo => !known.has(photo.id)) : [];
  const above = atTop ? 0 : come.filter(photo => { const block = blockOf(photo); return block && headerHeight + block.top < scrollY; }).length;
  if (above) note(`${above} new above`, {id: 'above', seconds: 4, action: 'Show', act: () => scrollTo({top: 0, behavior: 'smooth'})});
  for (const photo of come) arrived(photo);
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
// The photo that is looked at when the one that is open goes.
const afterOpen = () => {
  const at = inList(open);
  return [...listed.slice(at + 1), ...listed.slice(0, Math.max(0, at)).reverse()].map(photo => photo.id);
};
const settleView = (photo, name, version, next) => {
  if (byID.has(photo.id)) {
    if (JSON.stringify([photo.version, photo.name, photo.swatches, photo.day]) !== version) fill(photo);
    else sayPlace(photo);
    return;
  }
  const id = next.find(id => byID.has(id));
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

// ---- Deleting, and taking it back

const ownDeletes = new Set(), undos = [];
const request = async (method, path) => {
  const answer = await fetch(api(path), {method});
  const json = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(json.error ?? `status ${answer.status}`);
  return json;
};
const deletePhoto = async photo => {
  const {id, name} = photo;
  ownDeletes.add(id);
  try {
    const {undoUntil} = await request('DELETE', `moods/${id}`);
    undos.push({id, name, until: Date.parse(undoUntil)});
    note(`${name} deleted`, {id: `delete ${id}`, action: 'Undo', act: () => undo(id)});
  } catch (error) {
    ownDeletes.delete(id);
    note(`${name} was not deleted: ${reasonOf(error)}`);
  }
};
const undo = async (id = undos.at(-1)?.id) => {
  const at = undos.findIndex(other => other.id === id);
  if (at < 0) return;
  const [{name}] = undos.splice(at, 1);
  for (const line of $$('p', notesAtFoot)) if (line.dataset.id === `delete ${id}`) line.remove();
  try {
    await request('POST', `moods/${id}/restore`);
    ownDeletes.delete(id);
    note(`${name} is back`, {seconds: 4});
  } catch (error) { note(`${name}: ${reasonOf(error)}`); }
};
const reasonOf = error => error instanceof TypeError ? 'not connected' : error.message;
view.addEventListener('click', event => { if (event.target.closest('[name=delete]') && open) deletePhoto(open); });
document.addEventListener('keydown', event => {
  if (event.target.matches('input, select, textarea') || event.altKey) return;
  if ((event.ctrlKey || event.metaKey) && event.key === 'z' && undos.length) {
    event.preventDefault();
    undo();
  } else if (event.key === 'Delete' && view.open && open && !data.readOnly) {
    event.preventDefault();
    deletePhoto(open);
  }
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
const sayProblem = problem => {
  if (problems.some(other => other.name === problem.name && other.reason === problem.reason)) return;
  problems.push(problem);
  const all = $('#problems');
  all.hidden = false;
  $('summary', all).textContent = `${problems.length} could not be read`;
  $('ul', all).append(html('li', {}, html('bdi', {textContent: problem.name}), `: ${problem.reason}`));
};
const askStatus = async () => {
  const status = await (await fetch(api('status'))).json().catch(() => null);
  if (status?.progress) sayProgress(status.progress);
  status?.problems.forEach(sayProblem);
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
  $(`#m${photo.id}`)?.animate([{outline: '3px solid currentColor', outlineOffset: '2px'}, {outline: '3px solid transparent', outlineOffset: '2px'}], {duration: 1500});
};
addEventListener('DOMContentLoaded', () => { load(); askStatus(); });
