// Which photos a search finds, and in which order. The twin of Sources/MoodyGallery/Search: the same photos in the
// same order, which SearchTwinTests and scripts/browser-test compare. Knows no page: give it words and moods.

// ---- Words: which are colors, and where those lie

// {regions: {name: [{hue, lightness, chroma}]}, modifiers: {name: {...}}, names: {name: hex}, aliases: {name: region}} from
// ColorWords.swift.
let words = {regions: {}, modifiers: {}, names: {}, aliases: {}};
const learn = table => { words = table; };

// Letters that people type as others; NFKD takes only accents off.
const folded = {ς: 'σ', ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ħ: 'h', ŧ: 't'};
const plain = text => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  .replace(/[ςßæœøłđðþıħŧ]/g, letter => folded[letter]).replaceAll('gray', 'grey').replaceAll('colour', 'color');

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

// The region that a word names: by itself, as a plural, or in another language.
const regionNamed = word => Object.hasOwn(words.regions, word) ? word
  : word.endsWith('s') && Object.hasOwn(words.regions, word.slice(0, -1)) ? word.slice(0, -1)
    : Object.hasOwn(words.aliases, word) ? words.aliases[word] : null;
// "dark red": a word for a part of the colors, with words before it that say which side of it; or one of those alone, which is
// said of a photo as a whole.
const region = split => {
  const last = split[split.length - 1], name = regionNamed(last), own = name ? words.regions[name] : null;
  const before = own ? split.slice(0, -1) : split;
  if (!before.every(word => Object.hasOwn(words.modifiers, word)) || !own && before.length !== 1) return null;
  const sides = before.map(word => words.modifiers[word]);
  const boxes = (own ?? [{}]).map(box =>
    sides.some(side => side.lightness) && box.lightness ? {...box, lightness: widened(box.lightness)} : box);
  return {text: own ? [...before, name].join(' ') : last, boxes, sides, least: own ? leastOfRegion : leastOfMood};
};

const number = (text, of = 1) => text.endsWith('%') ? parseFloat(text) / 100 * of : parseFloat(text);
// `#36c`, `36c`, `rgb(51 102 204)`, `hsl(220 60% 50%)`, `oklch(0.53 0.17 262)` as hex; null for anything else.
const spelled = text => {
  let found = text.match(/^#([0-9a-f])([0-9a-f])([0-9a-f])$/) ?? text.match(/^(?=.*[a-f])(?=.*[0-9])([0-9a-f])([0-9a-f])([0-9a-f])$/);
  if (found) return '#' + found.slice(1).map(digit => digit + digit).join('');
  if (/^#[0-9a-f]{6}$/.test(text)) return text;
  if (/^(?=.*[a-f])[0-9a-f]{6}$/.test(text)) return '#' + text;
  found = text.match(/^(rgb|hsl|oklch)\(([^()]*)\)$/);
  if (!found) return null;
  const parts = found[2].split(/[\s\u0085\u200b\ufeff,]+/).filter(Boolean).map(part => part === 'none' ? '0' : part.replace(/deg$/, ''));
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

// Between two terms.
const conjunctions = {and: 'and', or: 'or', not: 'not', without: 'not'};
// The terms of a search: each a color, a part of the colors, a text, or a text that is a color too. Terms of one `clause` are
// alternatives ("teal or navy"); `not` says that a photo must not have it ("not green", "-green").
const parse = query => {
  const split = plain(query).match(/-?[a-z]+\([^()]*\)|[^\s\u0085\u200b\ufeff,;+&]+/g) ?? [];
  const terms = [];
  let clause = -1, not = false, isAlternative = false;
  for (let at = 0; at < split.length;) {
    const isLast = at === split.length - 1, isNegative = /^-+[^-]/.test(split[at]);
    const rest = isNegative ? [split[at].replace(/^-+/, ''), ...split.slice(at + 1, at + 3)] : split.slice(at, at + 3);
    let term = colorIn(rest);
    if (!term && !isLast && !isNegative && Object.hasOwn(conjunctions, rest[0])) {
      const kind = conjunctions[rest[0]];
      // "or" between two terms; at the beginning it is a word of a name.
      if (kind === 'not' || terms.length) {
        if (kind === 'not') not = true;
        else isAlternative = kind === 'or';
        at++;
        continue;
      }
    }
    term ??= {text: rest[0], typed: rest[0], count: 1};
    term.isColor = !!(term.hex || term.boxes);
    term.words = term.isColor && /[^\p{L}\p{N} -]/u.test(term.typed) ? null : wordsOf(term.typed, false);
    term.isDate = /^\d{4}-\d{2}(-\d{2})?$/.test(term.text);
    term.not = not || isNegative;
    term.clause = isAlternative ? clause : ++clause;
    [not, isAlternative] = [false, false];
    terms.push(term);
    at += term.count;
  }
  return terms;
};
// The color that the first words of some are, as many of them as make one.
const colorIn = rest => {
  for (let count = rest.length; count > 0; count--) {
    const some = rest.slice(0, count), typed = some.join(' '), joined = some.join(''), part = region(some);
    if (part) return {...part, typed, count};
    const hex = count === 1 && spelled(typed)
      || [typed, joined].filter(name => Object.hasOwn(words.names, name)).map(name => words.names[name])[0];
    if (hex) return {text: typed, typed, hex, lab: cielab(hex), count};
  }
  return null;
};
// The word for a color that is spelled nearly as another: "purpel" may be meant as "purple". Null when none is.
const suggestion = word => {
  const most = word.length < 4 ? 0 : word.length < 6 ? 1 : 2;
  let best = null, least = most + 1;
  for (const table of [words.regions, words.modifiers, words.names]) {
    for (const name of Object.keys(table).sort()) {
      if (name.includes(' ') || Math.abs(name.length - word.length) >= least) continue;
      const steps = editSteps(word, name);
      if (steps < least) [best, least] = [name, steps];
    }
  }
  return best;
};
// Letters left out, put in, changed, or changed places with the next.
const editSteps = (from, to) => {
  let before = [], last = Array.from({length: to.length + 1}, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    [before, last] = [last, row];
  }
  return last[to.length];
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

// ---- Scores: 0 for what is not found, else up to a million

const options = {within: 10, share: 0, isFarther: false};
const million = 1e6;
// A swatch counts for its nearness, and for how much there is of it: half a photo of nearly that color stands before a
// sliver of exactly that. Farther away, nearness alone counts.
const nearness = (far, within) => far > within ? 0 : (1 - far / (2 * within)) ** 4;
// The least part of a photo, each color weighed by how far it is what a word says; a mood ("muted") is said of a third of it.
const leastOfRegion = 0.005, leastOfMood = 1 / 3;

// How much of a color a mood has, 0...1; `hit` is told the swatches that say so.
const colorWorth = (term, all, mood, settings, hit = null) => Math.min(1,
  term.like ? likeness(term.like, all.swatches, mood, settings.within, hit)
    : (term.boxes ? valueOfRegion : valueOfPoint)(term, all.swatches, mood, settings, hit));
// A name tells what a photo that lacks the color is about, and is worth next to nothing beside it. Rounded, so that the last bits
// of two machines do not decide.
const worthOf = (term, all, mood, settings) => {
  if (!term.isColor && !term.like) return hasText(term, all, mood) ? million : 0;
  const worth = Math.round(colorWorth(term, all, mood, settings) * million);
  return worth || (!term.like && !settings.isFarther && hasText(term, all, mood) ? 1 : 0);
};
const valueOfRegion = ({boxes, sides, least}, {first, share, ok, chroma, hue}, mood, settings, hit) => {
  let part = 0, value = 0, amount = 0, best = -1, mostOfAll = 0;
  const hits = hit && [];
  for (let at = first[mood]; at < first[mood + 1]; at++) {
    let side = 1, most = 0;
    for (const box of sides) side *= isIn(box, ok[3 * at], chroma[at], hue[at]);
    if (!side) continue;
    for (const box of boxes) most = Math.max(most, isIn(box, ok[3 * at], chroma[at], hue[at]));
    const much = side * most;
    part += much * share[at];
    // A clear color stands before more of a doubtful one.
    value += much * much * share[at];
    amount += share[at] * (much > 0.5 ? 1 : much);
    if (hit && much > 0.25) hits.push(at);
    if (much * share[at] > mostOfAll) [best, mostOfAll] = [at, much * share[at]];
  }
  if (part < least || amount < settings.share) return 0;
  // What is found shows by which color, however little of the word that is.
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
    const far = distance(lab, cie, 3 * at);
    if (far > within || settings.isFarther && share[at] < leastOfRegion) continue;
    value = Math.max(value, nearness(far, within) * (settings.isFarther ? 1 : share[at]));
    amount += share[at];
    hits?.push(at);
  }
  if (amount < settings.share) return 0;
  hits?.forEach(at => hit(at));
  return value;
};

// How much a color says of its photo to a person: the square root of its share, a gray or what is nearly black a third.
const saliency = (share, chroma) => Math.sqrt(share) * (1 / 3 + 2 / 3 * Math.min(1, chroma / 0.1));
// How alike two palettes are: how near each color of the one is to the nearest of the other, and the other way round (Pan and
// Westland 2018). Beyond twice the tolerance a color is like none.
const likeness = (palette, {first, share, cie, chroma}, mood, within, hit) => {
  const begin = first[mood], end = first[mood + 1], nearest = new Float64Array(end - begin), hits = [];
  let value = 0, weight = 0;
  for (const own of palette) {
    let best = 0, its = -1;
    for (let at = begin; at < end; at++) {
      if (Math.abs(lightnessStep(own.lab[0], cie[3 * at])) > within * 2) continue;
      const far = distance(own.lab, cie, 3 * at);
      if (far > within * 2) continue;
      const much = 1 - far / (2 * within);
      if (much > best) [best, its] = [much, at];
      if (much > nearest[at - begin]) nearest[at - begin] = much;
    }
    value += own.saliency * best;
    weight += own.saliency;
    if (its >= 0) hits.push(its);
  }
  let back = 0, backWeight = 0;
  for (let at = begin; at < end; at++) {
    const own = saliency(share[at], chroma[at]);
    back += own * nearest[at - begin];
    backWeight += own;
  }
  if (!weight || !backWeight) return 0;
  value = value / weight * (back / backWeight);
  if (value < leastLikeness) return 0;
  if (hit) hits.forEach(at => hit(at));
  return value;
};
const leastLikeness = 0.15;
const paletteLike = ({first, share, cie, chroma}, mood) => {
  const palette = [];
  for (let at = first[mood]; at < first[mood + 1]; at++) {
    palette.push({lab: [...cie.subarray(3 * at, 3 * at + 3)], saliency: saliency(share[at], chroma[at])});
  }
  return palette;
};

// The numbers of those that have something of every clause, most first; where two have as much, those that are called so, then as
// they came.
const find = (terms, all, settings = options) => {
  const isByColor = terms.some(term => (term.isColor || term.like) && !term.not), found = [];
  if (terms.some(term => term.isColor || term.like)) readColors(all.swatches);
  const {totals, names} = weigh(terms, all, settings, 0, all.swatches.first.length - 1);
  totals.forEach((total, mood) => { if (total) found.push(mood); });
  return isByColor ? found.sort((p, q) => totals[q] - totals[p] || names[q] - names[p] || p - q) : found;
};
// A search for colors that are meant exactly shows so many: where fewer are near, the next nearest follow.
const enough = 12;
const asksForPoints = terms => terms.length > 0 && terms.every(term => term.hex && !term.not) && terms.every((term, at) => term.clause === at);
const fartherSettings = settings => ({...settings, within: settings.within * 2.5, isFarther: true});
const findFarther = (terms, all, settings, found) => {
  if (found.length >= enough || !asksForPoints(terms)) return [];
  const taken = new Set(found);
  return find(terms, all, fartherSettings(settings)).filter(mood => !taken.has(mood)).slice(0, enough - found.length);
};
// What each mood of some has of all clauses together, of a million, and how many of its colors it is called by.
const weigh = (terms, all, settings, begin, end) => {
  const totals = new Float64Array(end - begin), names = new Uint8Array(end - begin);
  for (let mood = begin; mood < end; mood++) {
    let total = million;
    for (let at = 0; at < terms.length && total;) {
      let best = 0;
      const isFirst = at === 0, {clause} = terms[at];
      for (; at < terms.length && terms[at].clause === clause; at++) {
        const worth = worthOf(terms[at], all, mood, settings);
        best = Math.max(best, terms[at].not ? (worth ? 0 : million) : worth);
      }
      total = isFirst ? best : total * (best / million);
    }
    if (total) for (const term of terms) if (term.isColor && !term.not && hasText(term, all, mood)) names[mood - begin]++;
    totals[mood - begin] = total;
  }
  return {totals, names};
};
// Which of a mood's swatches were searched for, counted from its first.
const hitsOf = (terms, all, mood, settings = options) => {
  const hits = new Set();
  for (const term of terms) {
    if (!term.not && (term.isColor || term.like)) colorWorth(term, all, mood, settings, at => hits.add(at - all.swatches.first[mood]));
  }
  return hits;
};
