// ---- Adding photos: picked, dropped or pasted; three are sent at once, each with a line at the foot.

const uploads = $('#uploads'), queue = [];
let sending = 0;
const atOnce = 3;
const megabytes = bytes => `${Math.max(1, Math.round(bytes / 1048576))} MB`;
const addFiles = files => {
  const folder = [...files];
  if (data.readOnly || !folder.length) return;
  for (const file of folder) enqueue(file);
  pump();
};
const enqueue = file => {
  const job = {file, state: 'waiting', request: null};
  job.bar = html('progress', {max: 1, value: 0});
  job.bar.ariaLabel = `Sending ${file.name}`;
  job.word = html('span');
  job.button = html('button', {type: 'button', textContent: 'Cancel'});
  job.button.addEventListener('click', () => job.state === 'failed' ? retry(job) : cancel(job));
  job.line = html('li', {}, html('bdi', {textContent: file.name}), job.bar, job.word, job.button);
  uploads.append(job.line);
  uploads.hidden = false;
  // What the server would refuse is not sent.
  const kind = file.type;
  if (file.size > data.maxUpload) return end(job, 'refused', `larger than ${megabytes(data.maxUpload)}`);
  if (!file.size) return end(job, 'refused', 'an empty file');
  if (kind && !kind.startsWith('image/')) return end(job, 'refused', 'no picture');
  queue.push(job);
};
const pump = () => {
  while (sending < atOnce && queue.length) send(queue.shift());
};
const send = job => {
  sending++;
  job.state = 'sending';
  const asked = new XMLHttpRequest();
  job.request = asked;
  const done = () => { sending--; job.request = null; pump(); };
  asked.open('POST', api(`photos?name=${encodeURIComponent(job.file.name.replace(/^\.+/, '') || 'photo')}`));
  asked.setRequestHeader('Content-Type', job.file.type.startsWith('image/') ? job.file.type : 'application/octet-stream');
  asked.responseType = 'json';
  asked.upload.addEventListener('progress', ({loaded, total}) => { job.bar.value = loaded / total; });
  asked.upload.addEventListener('load', () => { job.bar.removeAttribute('value'); job.word.textContent = 'reading'; });
  asked.addEventListener('load', () => {
    done();
    const {status, response} = asked;
    if (status === 201) {
      onArrival(response.id, photo => { if (job.goes) goTo(photo); });
      return end(job, 'added', 'added');
    }
    if (status === 200) {
      onArrival(response.id, goTo);
      return end(job, 'known', 'already here');
    }
    // What a second try may change, and what not.
    const reason = response?.error ?? `status ${status}`;
    end(job, [408, 429, 500, 503, 507].includes(status) ? 'failed' : 'refused', reason);
  });
  asked.addEventListener('error', () => { done(); end(job, 'failed', 'not connected'); });
  asked.addEventListener('abort', done);
  asked.send(job.file);
};
const cancel = job => {
  const at = queue.indexOf(job);
  if (at >= 0) queue.splice(at, 1);
  job.request?.abort();
  remove(job);
};
const retry = job => {
  Object.assign(job, {state: 'waiting'});
  job.bar.hidden = false;
  job.bar.value = 0;
  [job.word.textContent, job.button.textContent] = ['', 'Cancel'];
  queue.push(job);
  pump();
};
const end = (job, state, word) => {
  job.state = state;
  job.bar.hidden = true;
  job.word.textContent = word;
  job.line.dataset.state = state;
  job.button.textContent = state === 'failed' ? 'Retry' : 'Close';
  said.textContent = `${job.file.name}: ${word}`;
  if (state === 'added' || state === 'known') setTimeout(() => remove(job), 6000);
};
const remove = job => {
  job.line.remove();
  uploads.hidden = !uploads.children.length;
};

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
      for (const inner of some.filter(({name}) => !name.startsWith('.'))) await walk(inner);
    }
  };
  for (const entry of entries) await walk(entry);
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
  [depth] = [0];
  over(false);
  addFiles(await filesOf(event.dataTransfer));
});
addEventListener('paste', event => { if (event.clipboardData?.files.length) addFiles(event.clipboardData.files); });
