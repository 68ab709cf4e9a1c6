// Which photos a search finds, and in which order. The twin of Sources/MoodyGallery/Search: the same photos in the
// same order, which SearchTwinTests and scripts/browser-test compare. Knows no page: give it words and moods.

// ---- Words: which are colours, and where those lie

// {regions: {name: [{hue, lightness, chroma}]}, modifiers: {name: {...}}, names: {name: hex}} from ColorWords.swift.
let words = {regions: {}, modifiers: {}, names: {}};
const learn = table => { words = table; };

const plain = text => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  .replaceAll('gray', 'grey').replaceAll('colour', 'color');

// How much a value is inside four corners: 0 outside the outer two, 1 inside the inner two.
const inside = (edges, value) => {
  if (value < edges[1]) return value <= edges[0] ? 0 : (value - edges[0]) / (edges[1] - edges[0]);
  if (value <= edges[2]) return 1;
  return value >= edges[3] ? 0 : (edges[3] - value) / (edges[3] - edges[2]);
};
const turned = (edges, angle) =>
  inside(edges, angle < edges[0] ? angle + 360 : angle - 360 >= edges[0] ? angle - 360 : angle);
const isIn = (box, lightness, chroma, hue) => {
  const c = box.chroma ? inside(box.chroma, chroma) : 1;
  if (!c) return 0;
  const l = box.lightness ? inside(box.lightness, lightness) : 1;
  return l && (box.hue ? turned(box.hue, hue) : 1) * l * c;
};
const widened = ([a, b, c, d]) => [a - 0.15, b - 0.15, c + 0.15, d + 0.15];

// "dark red": a word for a part of the colours, with words before it that say which side of it; or those alone.
const region = split => {
  const last = split[split.length - 1];
  const own = Object.hasOwn(words.regions, last) ? words.regions[last] : null;
  const before = own ? split.slice(0, -1) : split;
  if (!before.every(word => Object.hasOwn(words.modifiers, word)) || !own && before.length !== 1) return null;
  const sides = before.map(word => words.modifiers[word]);
  const boxes = (own ?? [{}]).map(box =>
    sides.some(side => side.lightness) && box.lightness ? {...box, lightness: widened(box.lightness)} : box);
  return {boxes, sides};
};

const number = (text, of = 1) => text.endsWith('%') ? parseFloat(text) / 100 * of : parseFloat(text);
// `#36c`, `rgb(51 102 204)`, `hsl(220 60% 50%)`, `oklch(0.53 0.17 262)` as hex; nil for anything else.
const spelled = text => {
  let found = text.match(/^#([0-9a-f])([0-9a-f])([0-9a-f])$/);
  if (found) return '#' + found.slice(1).map(digit => digit + digit).join('');
  if (/^#[0-9a-f]{6}$/.test(text)) return text;
  if (/^(?=.*[a-f])[0-9a-f]{6}$/.test(text)) return '#' + text;
  found = text.match(/^(rgb|hsl|oklch)\(([^()]*)\)$/);
  if (!found) return null;
  const parts = found[2].split(/[\s,]+/).filter(Boolean).map(part => part === 'none' ? '0' : part.replace(/deg$/, ''));
  if (parts.length !== 3 || !parts.every(part => /^-?[0-9]*\.?[0-9]+%?$/.test(part))) return null;
  if (found[1] === 'rgb') return toHex(parts.map(part => number(part, 255) / 255));
  if (found[1] === 'hsl') {
    const [h, s, l] = [((parseFloat(parts[0]) % 360) + 360) % 360, parseFloat(parts[1]) / 100, parseFloat(parts[2]) / 100];
    return toHex([0, 8, 4].map(n => {
      const k = (n + h / 30) % 12;
      return l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    }));
  }
  const [L, C, h] = [number(parts[0]), number(parts[1], 0.4), parseFloat(parts[2]) * radians];
  return toHex(linearOf([L, C * Math.cos(h), C * Math.sin(h)]).map(gamma));
};

// The terms of a search: each a colour, a part of the colours, a text, or a text that is a colour too.
const parse = query => {
  const split = plain(query).match(/[a-z]+\([^()]*\)|[^\s,;]+/g) ?? [];
  const terms = [];
  for (let at = 0; at < split.length;) {
    let term = null, length = Math.min(3, split.length - at);
    for (; length > 0 && !term; length--) {
      const some = split.slice(at, at + length), text = some.join(' ');
      const part = region(some), joined = some.join('');
      const hex = length === 1 && spelled(text)
        || [text, joined].filter(name => Object.hasOwn(words.names, name)).map(name => words.names[name])[0];
      if (part) term = {text, ...part, count: length};
      else if (hex) term = {text, hex, lab: cielab(hex), count: length};
    }
    term ??= {text: split[at], count: 1};
    const isColor = term.hex || term.boxes;
    term.words = isColor && /[^\p{L}\p{N} -]/u.test(term.text) ? null : wordsOf(term.text, false);
    term.isColor = !!isColor;
    term.isDate = /^\d{4}-\d{2}(-\d{2})?$/.test(term.text);
    terms.push(term);
    at += term.count;
  }
  return terms;
};

// ---- Moods: a collection has their swatches as lists of numbers, one after the other

// Mood m has the swatches first[m]...first[m + 1]. `lists`: of each mood hex, share and what else a step has.
// Lists that are `read` elsewhere say no more than how long they are.
const gather = (lists, step, isRead = true) => {
  const first = new Uint32Array(lists.length + 1);
  lists.forEach((list, mood) => { first[mood + 1] = first[mood] + list.length / step; });
  const count = first[lists.length], rgb = new Uint32Array(count), share = new Float64Array(count);
  let next = 0;
  for (const list of isRead ? lists : []) {
    for (let at = 0; at < list.length; at += step) {
      rgb[next] = code(list[at]);
      share[next++] = list[at + 1];
    }
  }
  // Oklab as lightness, a, b; its chroma and hue; CIELAB. Known up to a swatch: see `readColors`.
  return {count, first, rgb, share, known: 0, ok: new Float64Array(3 * count), chroma: new Float64Array(count),
    hue: new Float64Array(count), cie: new Float64Array(3 * count)};
};
const readColors = (swatches, end = swatches.count) => {
  for (; swatches.known < end; swatches.known++) readColor(swatches, swatches.known);
};
const readColor = ({rgb, ok, cie, chroma, hue}, at) => {
  writeOklab(rgb[at], ok, 3 * at);
  writeLab(rgb[at], cie, 3 * at);
  chroma[at] = Math.hypot(ok[3 * at + 1], ok[3 * at + 2]);
  hue[at] = angle(ok[3 * at + 1], ok[3 * at + 2]);
};
// What a search looks at. `texts` and `day` say of a mood, by its number, its texts and "2024-06-28" or nothing.
const collect = (swatches, texts, day) => ({swatches, texts, day, words: []});

// Runs of letters and of digits, and names that are written together: "DarkIvy_0012" is darkivy, dark, ivy, 0012.
const ascii = {runs: /[a-z0-9]+/gi, parts: /[0-9]+|[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g};
const unicode = {runs: /[\p{L}\p{N}]+/gu, parts: /\p{N}+|\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{L}+/gu};
const wordsOf = (text, taken = true) => {
  const isPlain = !/[^\x00-\x7f]/.test(text), {runs, parts} = isPlain ? ascii : unicode, found = new Set();
  const add = word => found.add(isPlain && !/gray|colour/i.test(word) ? word.toLowerCase() : plain(word));
  for (const run of (isPlain ? text : text.normalize('NFKD').replace(/\p{M}/gu, '')).match(runs) ?? []) {
    add(run);
    if (taken) run.match(parts)?.forEach(add);
  }
  return [...found];
};
const monthNames = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october',
  'november', 'december'];
const hasWord = (all, mood, word, isWhole) => {
  // Years and months are words of a mood as well; few words are the beginning of one.
  if (mayBeDate(word)) {
    const day = all.day(mood), matches = own => isWhole ? own === word : own.startsWith(word);
    if (day && (matches(day.slice(0, 4)) || matches(monthNames[+day.slice(5, 7) - 1]))) return true;
  }
  // What is not among a mood's letters is no word of it, and words are costly.
  if (all.words[mood] === undefined && !mayHave(all, mood, word)) return false;
  return readWords(all, mood).includes(isWhole ? `\n${word}\n` : `\n${word}`);
};
const mayHave = (all, mood, word) => {
  const text = all.texts(mood).join(' ').toLowerCase();
  return /[^\x00-\x7f]|gray|colour/.test(text) || text.includes(word);
};
// All words of a mood, one a line: one text takes less to keep than a list.
const readWords = (all, mood) => all.words[mood] ??= `\n${all.texts(mood).flatMap(text => wordsOf(text)).join('\n')}\n`;
let dateWord = '', isDateWord = false;
const mayBeDate = word => {
  if (word !== dateWord) [dateWord, isDateWord] = [word, /^\d/.test(word) || monthNames.some(name => name.startsWith(word))];
  return isDateWord;
};
const hasText = (term, all, mood) => {
  if (term.isDate) return all.day(mood)?.startsWith(term.text) ?? false;
  return term.words?.length > 0 && term.words.every(word => hasWord(all, mood, word, term.isColor));
};

// ---- Scores: 0 for what is not found, else up to 1

const options = {within: 10, share: 0};
// A swatch counts for its nearness, and for how much there is of it: half a photo of nearly that colour stands before a
// sliver of exactly that.
const nearness = (far, within) => far > within ? 0 : (1 - far / (2 * within)) ** 4;
const leastOfRegion = 0.015;

// How much a mood has of a term; `hit` is told the swatches that say so.
const valueOf = (term, all, mood, settings = options, hit = null) => {
  if (term.like) return likeness(term.like, all.swatches, mood, settings.within, hit);
  const text = hasText(term, all, mood) ? 1 : 0;
  if (!term.isColor) return text;
  const color = (term.boxes ? valueOfRegion : valueOfPoint)(term, all.swatches, mood, settings, hit);
  return Math.max(text, Math.min(1, color));
};
const valueOfRegion = ({boxes, sides}, {first, share, ok, chroma, hue}, mood, settings, hit) => {
  let value = 0, amount = 0, best = -1, mostOfAll = 0;
  const hits = hit && [];
  for (let at = first[mood]; at < first[mood + 1]; at++) {
    let side = 1, most = 0;
    for (const box of sides) side *= isIn(box, ok[3 * at], chroma[at], hue[at]);
    if (!side) continue;
    for (const box of boxes) most = Math.max(most, isIn(box, ok[3 * at], chroma[at], hue[at]));
    const much = side * most;
    value += much * share[at];
    amount += share[at] * (much > 0.5 ? 1 : much);
    if (hit && much > 0.25) hits.push(at);
    if (much * share[at] > mostOfAll) [best, mostOfAll] = [at, much * share[at]];
  }
  if (value < leastOfRegion || amount < settings.share) return 0;
  // What is found shows by which colour, however little of the word that is.
  if (hits && !hits.length) hits.push(best);
  hits?.forEach(at => hit(at));
  return value;
};
const valueOfPoint = ({lab}, {first, share, cie}, mood, settings, hit) => {
  const {within} = settings;
  let value = 0, amount = 0;
  const hits = hit && [];
  for (let at = first[mood]; at < first[mood + 1]; at++) {
    if (Math.abs(lightnessStep(lab[0], cie[3 * at])) > within) continue;
    const far = difference(lab, cie, 3 * at);
    if (far > within) continue;
    value = Math.max(value, nearness(far, within) * share[at]);
    amount += share[at];
    hits?.push(at);
  }
  if (amount < settings.share) return 0;
  hits?.forEach(at => hit(at));
  return value;
};

// How alike two palettes are: of each colour of the one, how near and how much there is in the other.
const likeness = (palette, {first, share, cie}, mood, within, hit) => {
  let value = 0, total = 0;
  const hits = [];
  for (const own of palette) {
    let best = 0, its = -1;
    for (let at = first[mood]; at < first[mood + 1]; at++) {
      if (Math.abs(lightnessStep(own.lab[0], cie[3 * at])) > within * 2) continue;
      const far = difference(own.lab, cie, 3 * at);
      if (far > within * 2) continue;
      const much = (1 - far / (2 * within)) ** 2 * Math.min(1, share[at] / own.share);
      if (much > best) [best, its] = [much, at];
    }
    value += own.share * best;
    total += own.share;
    if (its >= 0) hits.push(its);
  }
  value = total ? value / total : 0;
  if (value < 0.2) return 0;
  if (hit) hits.forEach(at => hit(at));
  return value;
};
const paletteLike = ({first, share, cie}, mood) => {
  const palette = [];
  for (let at = first[mood]; at < first[mood + 1]; at++) palette.push({lab: [...cie.subarray(3 * at, 3 * at + 3)], share: share[at]});
  return palette;
};

// The numbers of those that have something of every term, most first; where two have as much, as they came.
const find = (terms, all, settings = options) => {
  const isByColor = terms.some(term => term.isColor || term.like), found = [];
  if (isByColor) readColors(all.swatches);
  const totals = weigh(terms, all, settings, 0, all.swatches.first.length - 1);
  totals.forEach((total, mood) => { if (total) found.push(mood); });
  return isByColor ? found.sort((p, q) => totals[q] - totals[p] || p - q) : found;
};
// What each mood of some has of all terms together.
const weigh = (terms, all, settings, begin, end) => {
  const totals = new Float64Array(end - begin);
  for (let mood = begin; mood < end; mood++) {
    let total = 1;
    for (const term of terms) {
      // Rounded, so that the last bits of two machines do not decide.
      total *= Math.round(valueOf(term, all, mood, settings) * 1e6);
      if (!total) break;
    }
    totals[mood - begin] = total;
  }
  return totals;
};
// Which of a mood's swatches were searched for, counted from its first.
const hitsOf = (terms, all, mood, settings = options) => {
  const hits = new Set();
  for (const term of terms) valueOf(term, all, mood, settings, at => hits.add(at - all.swatches.first[mood]));
  return hits;
};

