// ---- The stream of changes: one tab of a browser holds it, and hands on to the others what it says

// A browser has six connections to a server: with a stream in each tab the seventh would wait for ever. The lock says which tab holds
// it; a page from another machine over http has no locks, and there each tab in the window has a stream of its own.
const channel = navigator.locks && window.BroadcastChannel ? new BroadcastChannel(`moody ${location.pathname}`) : null;
const quiet = {limit: 8000, pulse: 2000}; // Milliseconds; the server beats every three seconds.
const stream = {source: null, hold: null, wait: 1000};
const isOutside = limit => Math.abs(Date.now() - live.heard) > limit; // Also when the clock was set.

// Waits until no other tab has the stream, or takes it from the one that has.
const holdStream = async (isTaken = false) => {
  dropStream();
  if (live.isHidden) return;
  if (!channel) return openSource();
  const hold = {abort: new AbortController(), release: null};
  stream.hold = hold;
  try {
    await navigator.locks.request(channel.name, isTaken ? {steal: true} : {signal: hold.abort.signal}, () => {
      if (stream.hold !== hold) return undefined;
      openSource();
      return new Promise(release => { hold.release = release; });
    });
  } catch { } // Another tab took it, or nobody waits any more.
  if (stream.hold === hold) holdStream();
};
const dropStream = () => {
  const {hold} = stream;
  stream.hold = null;
  closeSource();
  hold?.release?.();
  hold?.abort.abort();
};
const closeSource = () => {
  stream.source?.close();
  stream.source = null;
};
const openSource = () => {
  closeSource();
  const source = new EventSource(api(`events?as=rows&after=${live.list}-${live.generation}`));
  stream.source = source;
  live.heard = Date.now();
  const on = (name, act) => source.addEventListener(name, event => { if (stream.source === source) act(event); });
  const tell = (name, data, id = '') => {
    channel?.postMessage({name, data, id});
    act(name, data, id);
  };
  on('open', () => { stream.wait = 1000; tell('open', null); });
  for (const name of ['batch', 'reload', 'progress', 'problem', 'beat', 'bye']) {
    on(name, event => tell(name, event.data ? JSON.parse(event.data) : null, event.lastEventId));
  }
  on('error', () => {
    lost();
    // The browser comes back by itself but for an answer that is no stream.
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => { if (stream.source === source) openSource(); }, stream.wait);
    stream.wait = Math.min(15_000, 2 * stream.wait);
  });
};
const acts = {
  batch: (data, id) => hear(data, id.split('-')[0]),
  reload: ({list, generation, reason}) => { if (list !== live.list || generation > live.generation) load(reason); },
  progress: data => sayProgress(data),
  problem: data => sayProblem(data),
  // What the beat before it told has come by now.
  beat: ({generation, problems}) => {
    if (problems !== live.problems) askStatus();
    const known = pending.at(-1)?.generation ?? live.generation;
    if (!live.isLoading && (generation < known || known < live.told)) load('the page and the server are apart');
    live.told = generation;
  },
};
const act = (name, data, id) => {
  if (live.isHidden) return;
  live.heard = Date.now();
  if (name === 'bye') return lost();
  found();
  acts[name]?.(data, id);
};
channel?.addEventListener('message', ({data: {name, data, id}}) => {
  if (stream.source || live.generation < 0 && !live.isLoading) return;
  // The tab with the stream is there, whether the line is or not.
  if (name !== 'lost') return act(name, data, id);
  live.heard = Date.now();
  lost(data);
});
// A stream that says nothing for so long is none; nor is a tab that hands nothing on.
setInterval(() => {
  if (live.isHidden || live.generation < 0) return;
  if (stream.source && live.lostAt) channel?.postMessage({name: 'lost', data: live.lostAt});
  if (!isOutside(quiet.limit)) return;
  if (!stream.source) return holdStream(true);
  lost(live.heard);
  openSource();
}, quiet.pulse);
addEventListener('online', () => { if (stream.source) openSource(); });

// Tabs that nobody looks at leave the stream to others; one that is looked at again takes it, and so hears what it missed.
let hiding;
const hide = () => {
  live.isHidden = true;
  dropStream();
};
document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding);
  if (document.hidden) {
    hiding = setTimeout(hide, data.hiddenFor ?? 30_000);
  } else if (live.isHidden) {
    live.isHidden = false;
    if (live.generation >= 0) holdStream(true);
  }
});

// ---- The line to the server

const lost = (since = Date.now()) => {
  live.lostAt ||= since;
  setTimeout(sayLost, Math.max(0, live.lostAt + 2000 - Date.now()));
};
const sayLost = () => {
  if (!live.lostAt || Date.now() - live.lostAt < 1900) return;
  const [hour, minute] = new Date(live.lostAt).toTimeString().split(':');
  $('#lost').textContent = live.why || `Not connected; as of ${hour}:${minute}`;
  document.documentElement.classList.add('lost');
};
// What waits for the line goes on: photos to send, deletions to take back, pictures.
const onFound = [];
const found = () => {
  const wasLost = live.lostAt > 0;
  [live.lostAt, live.why] = [0, ''];
  $('#lost').textContent = '';
  document.documentElement.classList.remove('lost');
  if (wasLost) for (const goOn of onFound) goOn();
};
onFound.push(retryPictures);
