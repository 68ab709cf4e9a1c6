// ---- Adding photos: picked, dropped or pasted. One queue, three sent at once, one line that says how far it is.

// A photo waits, is sent, and then is added, was known, is refused (no other try may help) or failed (one may). What is refused or
// failed has a line of its own. A line that breaks, or a server that has enough to do, ends nothing: the queue waits.
const uploads = $('#uploads'), uploadLines = $('#uploads ul'), atOnce = 3;
const queue = [], sending = new Set(), failures = new Set();
const done = {added: 0, known: 0, refused: 0}, skipped = [];
let pausedBy = '', pause = 0, pauseLength = 1000;
const megabytes = bytes => `${Math.max(1, Math.round(bytes / 1048576))} MB`;
const photosOf = number => number === 1 ? '1 photo' : `${grouped(number)} photos`;
const jobCount = () => queue.length + sending.size + failures.size + done.added + done.known + done.refused;

const addFiles = async files => {
  const picked = [...files];
  if (data.readOnly || !picked.length) return;
  for (const file of picked) {
    const job = {file, tries: 0, isAgain: false, sent: 0, line: null, request: null};
    // What the server would refuse is not sent.
    if (!await isPicture(file)) skipped.push(file.name);
    else if (file.size > data.maxUpload) refuse(job, `larger than ${megabytes(data.maxUpload)}`);
    else if (!file.size) refuse(job, 'an empty file');
    else queue.push(job);
  }
  pump();
};
// A folder of photos has texts and clips, too, whose kind the browser may not know: then the first bytes say it.
const signatures = [[0, 'ffd8'], [0, '89504e47'], [0, 'ff0a'], [4, '4a584c20'], [0, '474946383'], [8, '57454250'], [0, '49492a00'], [0, '4d4d002a'], [0, '49492b00'],
  [0, '4d4d002b'], [0, '46554a4946494c4d'], [6, '4845415043434452'], [0, '4949524f'], [0, '49495253'], [0, '4d4d4f52'], [0, '49495500'], [0, '004d524d'], [0, '464f5662']];
const clips = ['qt  ', 'isom', 'iso2', 'iso4', 'iso5', 'iso6', 'mp41', 'mp42', 'avc1', 'M4V ', 'M4A ', 'MSNV', '3gp4', '3gp5', '3g2a', 'dash'];
const isPicture = async file => {
  if (file.type || !file.size) return !file.type || file.type.startsWith('image/');
  const bytes = new Uint8Array(await file.slice(0, 16).arrayBuffer().catch(() => new ArrayBuffer(0)));
  const hex = [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join(''), text = String.fromCharCode(...bytes);
  if (!bytes.length) return true; // It cannot be read now; sending it says why.
  return text.slice(4, 8) === 'ftyp' ? !clips.includes(text.slice(8, 12)) : signatures.some(([at, digits]) => hex.startsWith(digits, 2 * at));
};
const pump = () => {
  while (!pause && sending.size < atOnce && queue.length) send(queue.shift());
  sayUploads();
};
// The queue waits: for the line, or for a server that named a time.
const pauseFor = (seconds, why) => {
  clearTimeout(pause);
  pausedBy = why;
  pause = setTimeout(goOnSending, seconds ? seconds * 1000 : pauseLength);
  if (!seconds) pauseLength = Math.min(15_000, 2 * pauseLength);
};
const goOnSending = () => {
  clearTimeout(pause);
  [pause, pausedBy] = [0, ''];
  pump();
};
onFound.push(goOnSending);
const send = job => {
  sending.add(job);
  job.sent = 0;
  const asked = new XMLHttpRequest(), {file} = job;
  job.request = asked;
  let patience;
  // A line that is dead says nothing; a photo that has come whole is read when those before it are.
  const wait = seconds => {
    clearTimeout(patience);
    patience = setTimeout(() => { asked.abort(); cut(); }, data.patience ?? seconds * 1000);
  };
  const finish = () => {
    clearTimeout(patience);
    sending.delete(job);
    job.request = null;
  };
  // Without an answer a photo that was sent whole may be here; one that others overtake is at fault itself.
  let isWhole = false;
  const cut = () => {
    job.isAgain ||= isWhole;
    if (job.sent > 0 && !live.lostAt && navigator.onLine) job.tries++;
    again(job, 'not connected');
  };
  asked.open('POST', api(`photos?name=${encodeURIComponent(file.name.replace(/^\.+/, '') || 'photo')}`));
  asked.setRequestHeader('Content-Type', file.type.startsWith('image/') ? file.type : 'application/octet-stream');
  asked.responseType = 'json';
  asked.upload.addEventListener('progress', ({loaded, total}) => {
    job.sent = loaded / total;
    wait(30);
    sayUploads();
  });
  asked.upload.addEventListener('load', () => {
    isWhole = true;
    wait(300);
  });
  asked.addEventListener('load', () => {
    finish();
    pauseLength = 1000;
    answered(job, asked.status, asked.response, +asked.getResponseHeader('Retry-After'));
    pump();
  });
  asked.addEventListener('error', () => {
    finish();
    cut();
  });
  asked.addEventListener('abort', finish);
  wait(30);
  asked.send(file);
};
// Sends a photo again when the line is back.
const again = (job, why, seconds = 0) => {
  sending.delete(job);
  if (job.tries > 4) fail(job, why);
  else queue.unshift(job), pauseFor(seconds, why);
  pump();
};
const answered = (job, status, response, seconds) => {
  const reason = response?.error ?? `status ${status}`, isAlone = jobCount() === 0;
  // One whose answer was lost is here already because it was added.
  if (status === 201 || status === 200 && job.isAgain) done.added++;
  else if (status === 200) {
    done.known++;
    if (isAlone) onArrival(response.id, goTo);
  } else if ([401, 408, 429, 503, 507].includes(status)) again(job, reason, seconds || 30);
  else if (status >= 500) fail(job, reason);
  else refuse(job, reason);
};
const fail = (job, reason) => {
  failures.add(job);
  setLine(job, reason, 'Retry', () => retry([job]));
};
const refuse = (job, reason) => {
  done.refused++;
  setLine(job, reason, 'Close', () => closeLine(job));
};
const setLine = (job, reason, action, act) => {
  const {name} = job.file, button = html('button', {type: 'button', textContent: action, ariaLabel: `${action} ${name}`});
  button.addEventListener('click', act);
  job.line?.remove();
  job.line = html('li', {}, html('bdi', {textContent: name}), html('span', {textContent: reason}), button);
  uploadLines.append(job.line);
};
const closeLine = job => {
  job.line?.remove();
  job.line = null;
  sayUploads();
};
const retry = jobs => {
  for (const job of jobs) {
    failures.delete(job);
    closeLine(job);
    queue.push(Object.assign(job, {tries: 0}));
  }
  goOnSending();
};
const cancelUploads = () => {
  queue.length = 0;
  for (const {request} of [...sending]) request.abort();
  sending.clear();
  goOnSending();
};
const closeUploads = () => {
  failures.clear();
  Object.assign(done, {added: 0, known: 0, refused: 0});
  skipped.length = 0;
  uploadLines.replaceChildren();
  sayUploads();
};
let closing = 0;
const sayUploads = () => {
  const waits = queue.length + sending.size, all = jobCount(), through = all - waits, [bar] = $$('progress', uploads);
  uploads.hidden = !all && !skipped.length;
  bar.hidden = !waits;
  bar.max = all || 1;
  bar.value = [...sending].reduce((sum, {sent}) => sum + sent, through);
  const ends = [[done.added, 'added'], [done.known, 'already here'], [done.refused, 'refused'], [failures.size, 'failed']].filter(([number]) => number);
  const ended = ends.map(([number, word]) => `${grouped(number)} ${word}`).join(', ');
  const words = [waits ? pausedBy && !sending.size ? `Waiting with ${photosOf(waits)}: ${pausedBy}` : `Adding ${grouped(Math.min(all, through + 1))} of ${photosOf(all)}` : ended,
    waits && failures.size ? `${grouped(failures.size)} failed` : '', skipped.length ? `no pictures: ${grouped(skipped.length)}` : ''];
  $('p span', uploads).textContent = words.filter(Boolean).join('; ');
  $('p span', uploads).title = skipped.join(', ');
  $('[name=retry]', uploads).hidden = failures.size < 2;
  $('[name=cancel]', uploads).hidden = !waits;
  $('[name=close]', uploads).hidden = waits > 0;
  // Said aloud when all is done.
  if (!waits && !uploads.hidden) said.textContent = words.filter(Boolean).join('; ');
  clearTimeout(closing);
  if (!waits && !uploadLines.children.length && !skipped.length) closing = setTimeout(closeUploads, 6000);
  if (waits) addEventListener('beforeunload', stay);
  else removeEventListener('beforeunload', stay);
};
// The browser asks before a tab is closed from which photos are still to be sent.
const stay = event => event.preventDefault();
uploads?.addEventListener('click', ({target}) => {
  if (target.name === 'retry') retry([...failures]);
  else if (target.name === 'cancel') cancelUploads();
  else if (target.name === 'close') closeUploads();
});

// ---- Where they come from

const picker = $('#picker');
picker?.addEventListener('change', () => { addFiles(picker.files); picker.value = ''; });
$('[name=add]')?.addEventListener('click', () => picker.click());
// Folders too: their files, however deep.
const filesOf = async transfer => {
  const entries = [...transfer.items].filter(item => item.kind === 'file').map(item => item.webkitGetAsEntry?.() ?? item.getAsFile());
  const files = [];
  const walk = async entry => {
    if (!entry) return;
    if (entry instanceof File) return void files.push(entry);
    if (entry.isFile) return void files.push(await new Promise((take, fail) => entry.file(take, fail)));
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((take, fail) => reader.readEntries(take, fail));
      if (!some.length) return;
      for (const inner of some.filter(({name}) => !name.startsWith('.'))) await visit(inner);
    }
  };
  // What cannot be opened is told, and the rest comes.
  const visit = entry => walk(entry).catch(() => note(`${entry.name} cannot be read`));
  for (const entry of entries) await visit(entry);
  return files;
};
const carriesFiles = event => [...event.dataTransfer?.types ?? []].includes('Files');
let depth = 0;
const over = isOver => document.documentElement.classList.toggle('dropping', isOver && !data.readOnly);
addEventListener('dragenter', event => { if (carriesFiles(event)) depth++, over(true); });
addEventListener('dragleave', event => { if (carriesFiles(event) && --depth <= 0) depth = 0, over(false); });
// A file that misses the page would be opened in place of it.
addEventListener('dragover', event => { if (carriesFiles(event)) event.preventDefault(); });
addEventListener('drop', async event => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  depth = 0;
  over(false);
  addFiles(await filesOf(event.dataTransfer));
});
addEventListener('paste', event => { if (event.clipboardData?.files.length) addFiles(event.clipboardData.files); });
