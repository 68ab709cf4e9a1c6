// ---- Deleting, and taking it back

// An answer of the API, in time; a dead line is a TypeError or a TimeoutError.
const request = async (method, path) => {
  const answer = await fetch(api(path), {method, signal: AbortSignal.timeout(data.patience ?? 10_000)});
  const json = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(json.error ?? `status ${answer.status}`), {status: answer.status});
  return json;
};
// Whether another try may end otherwise.
const isPassing = error => error instanceof TypeError || error.name === 'TimeoutError' || [408, 429, 503].includes(error.status);
const reasonOf = error => error instanceof TypeError || error.name === 'TimeoutError' ? 'not connected' : error.message;

// The deletions of this browser that may be taken back, the latest last: [{id, name, at, isAsked}]. Kept where every tab has them, also
// after a reload. Until when a deletion can be taken back the server knows.
const undosKey = `undo ${location.pathname}`, keptFor = 3_600_000;
let ownUndos = [];
const undos = () => {
  try { ownUndos = JSON.parse(kept.get(undosKey)) ?? ownUndos; } catch { } // Without storage, those of this tab.
  return ownUndos.filter(({at}) => Math.abs(Date.now() - at) < keptFor);
};
const setUndos = entries => {
  ownUndos = entries;
  kept.set(undosKey, JSON.stringify(entries));
};
// What was asked for is done, or too late; a photo that was deleted again meanwhile may be taken back again.
const forgetUndo = id => setUndos(undos().filter(entry => entry.id !== id || !entry.isAsked));
const ownDeletes = new Set(), doubtful = new Map(); // By number; the doubtful ones with their names.
const deletePhoto = async ({id, name}) => {
  ownDeletes.add(id);
  try {
    await request('DELETE', `moods/${id}`);
    offerUndo(id, name);
  } catch (error) {
    if (!isPassing(error)) ownDeletes.delete(id);
    // The server may have heard it.
    else if (byID.has(id)) doubtful.set(id, name);
    else return offerUndo(id, name);
    note(`${name} was not deleted: ${reasonOf(error)}`);
  }
};
const offerUndo = (id, name) => {
  doubtful.delete(id);
  setUndos([...undos().filter(entry => entry.id !== id), {id, name, at: Date.now(), isAsked: false}]);
  note(`${name} deleted`, {id: `delete ${id}`, action: 'Undo', act: () => undo(id)});
};
// Called for what left the list.
const confirmDeletes = () => { for (const [id, name] of doubtful) if (!byID.has(id)) offerUndo(id, name); };
const undo = id => {
  const entry = undos().findLast(other => id === undefined ? !other.isAsked : other.id === id);
  if (!entry) return;
  for (const line of $$('p', notesAtFoot)) if (line.dataset.id === `delete ${entry.id}`) line.remove();
  setUndos(undos().map(other => other.id === entry.id ? {...other, isAsked: true} : other));
  restore(entry);
};
const restoring = new Set();
const restore = async ({id, name}) => {
  if (restoring.has(id)) return;
  restoring.add(id);
  try {
    await request('POST', `moods/${id}/restore`);
    forgetUndo(id);
    ownDeletes.delete(id);
    note(`${name} is back`, {id: `delete ${id}`, seconds: 4});
  } catch (error) {
    if (isPassing(error)) {
      note(`${name} comes back when the line does`, {id: `delete ${id}`, seconds: 0});
      setTimeout(restoreAsked, 5000);
    } else {
      forgetUndo(id);
      note(`${name}: ${reasonOf(error)}`, {id: `delete ${id}`});
    }
  } finally { restoring.delete(id); }
};
const restoreAsked = () => { for (const entry of undos()) if (entry.isAsked) restore(entry); };
onFound.push(restoreAsked);
addEventListener('DOMContentLoaded', () => {
  restoreAsked();
  for (const {id, name, at} of undos().filter(({isAsked}) => !isAsked).slice(-3)) {
    if (Math.abs(Date.now() - at) < 100_000) note(`${name} deleted`, {id: `delete ${id}`, action: 'Undo', act: () => undo(id)});
  }
});

view.addEventListener('click', event => { if (event.target.closest('[name=delete]') && open) deletePhoto(open); });
document.addEventListener('keydown', event => {
  if (event.target.matches('input, select, textarea') || event.altKey) return;
  if ((event.ctrlKey || event.metaKey) && event.key === 'z') {
    if (!undos().some(({isAsked}) => !isAsked)) return;
    event.preventDefault();
    undo();
  } else if (event.key === 'Delete' && !data.readOnly) {
    const photo = view.open ? open : focusedPhoto();
    if (!photo) return;
    event.preventDefault();
    deletePhoto(photo);
  }
});
