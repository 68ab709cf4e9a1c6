// Which photos a search finds, and in which order. The twin of Sources/MoodyGallery/Search: the same photos in the
// same order, which SearchTwinTests and scripts/browser-test compare. Knows no page: give it words and moods.

// ---- Colours: Oklab (Björn Ottosson 2020), CIELAB and CIEDE2000 (Sharma, Wu and Dalal 2005), from sRGB

const light = channel => channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
const linear = hex => [1, 3, 5].map(at => light(parseInt(hex.slice(at, at + 2), 16) / 255));
const oklab = hex => {
  const [r, g, b] = linear(hex);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
};
const chroma = lab => Math.hypot(lab[1], lab[2]);
const hue = lab => (Math.atan2(lab[2], lab[1]) * 180 / Math.PI + 360) % 360;
const toHex = rgb => '#' + rgb.map(v => Math.round(255 * Math.min(1, Math.max(0, v))).toString(16).padStart(2, '0')).join('');
const gamma = value => value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
const linearOf = ([L, a, b]) => {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
  ];
};

const stretched = t => t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116;
const cielab = hex => {
  const [r, g, b] = linear(hex);
  const x = stretched((506752 / 1228815 * r + 87881 / 245763 * g + 12673 / 70218 * b) / (0.3127 / 0.329));
  const y = stretched(87098 / 409605 * r + 175762 / 245763 * g + 12673 / 175545 * b);
  const z = stretched((7918 / 409605 * r + 87881 / 737289 * g + 1001167 / 1053270 * b) / ((1 - 0.3127 - 0.329) / 0.329));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
};
const seventh = c => Math.sqrt(c ** 7 / (c ** 7 + 6103515625));
const radians = Math.PI / 180;
const difference = (p, q) => {
  const stretch = 1 + 0.5 * (1 - seventh((Math.hypot(p[1], p[2]) + Math.hypot(q[1], q[2])) / 2));
  const [a1, a2] = [p[1] * stretch, q[1] * stretch];
  const [c1, c2] = [Math.hypot(a1, p[2]), Math.hypot(a2, q[2])];
  const angle = (a, b) => (Math.atan2(b, a) / radians + 360) % 360;
  const [h1, h2] = [c1 ? angle(a1, p[2]) : 0, c2 ? angle(a2, q[2]) : 0];
  let step = c1 && c2 ? h2 - h1 : 0, mean = c1 && c2 ? (h1 + h2) / 2 : h1 + h2;
  // Opposite hues are told by a tolerance, not by the last bit of an arc tangent.
  if (Math.abs(Math.abs(step) - 180) > 1e-7 && Math.abs(step) > 180) {
    step -= Math.sign(step) * 360;
    mean += h1 + h2 < 360 ? 180 : -180;
  }
  const C = (c1 + c2) / 2, level = (p[0] + q[0]) / 2 - 50;
  const T = 1 - 0.17 * Math.cos((mean - 30) * radians) + 0.24 * Math.cos(2 * mean * radians)
    + 0.32 * Math.cos((3 * mean + 6) * radians) - 0.2 * Math.cos((4 * mean - 63) * radians);
  const L = (q[0] - p[0]) / (1 + 0.015 * level * level / Math.sqrt(20 + level * level));
  const K = (c2 - c1) / (1 + 0.045 * C);
  const H = 2 * Math.sqrt(c1 * c2) * Math.sin(step * radians / 2) / (1 + 0.015 * C * T);
  const turn = -Math.sin(60 * radians * Math.exp(-(((mean - 275) / 25) ** 2))) * 2 * seventh(C);
  return Math.sqrt(Math.max(0, L * L + K * K + H * H + turn * K * H));
};

// ---- Words: which are colours, and where those lie

// {regions: {name: [{hue, lightness, chroma}]}, modifiers: {name: {...}}, names: {name: hex}} from ColorWords.swift.
let words = {regions: {}, modifiers: {}, names: {}};
const learn = table => { words = table; };

const plain = text => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  .replaceAll('gray', 'grey').replaceAll('colour', 'color');

// How much a value is inside four corners: 0 outside the outer two, 1 inside the inner two.
const inside = ([a, b, c, d], value) =>
  value < b ? (value <= a ? 0 : (value - a) / (b - a)) : value <= c ? 1 : value >= d ? 0 : (d - value) / (d - c);
const turned = ([a, b, c, d], angle) => {
  const at = angle < a ? angle + 360 : angle - 360 >= a ? angle - 360 : angle;
  return inside([a, b, c, d], at);
};
const isIn = (box, swatch) =>
  (box.hue ? turned(box.hue, swatch.hue) : 1) * (box.lightness ? inside(box.lightness, swatch.lab[0]) : 1)
  * (box.chroma ? inside(box.chroma, swatch.chroma) : 1);
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
    terms.push(term);
    at += term.count;
  }
  return terms;
};

// ---- Moods

// Runs of letters and of digits, and names that are written together: "DarkIvy_0012" is darkivy, dark, ivy, 0012.
const wordsOf = (text, taken = true) => {
  const found = new Set();
  for (const run of text.normalize('NFKD').replace(/\p{M}/gu, '').match(/[\p{L}\p{N}]+/gu) ?? []) {
    found.add(plain(run));
    if (taken) for (const part of run.match(/\p{N}+|\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{L}+/gu) ?? []) found.add(plain(part));
  }
  return [...found];
};
const swatchFor = (hex, share) => {
  const lab = oklab(hex);
  return {hex, share, lab, cie: cielab(hex), chroma: chroma(lab), hue: hue(lab)};
};
const monthNames = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october',
  'november', 'december'];
// {swatches: [{hex, share}], texts: [...], day: '2024-06-28'} as a search looks at it.
const prepared = ({swatches, texts, day}) => {
  const date = day ? [day.slice(0, 4), monthNames[+day.slice(5, 7) - 1]] : [];
  return {swatches: swatches.map(({hex, share}) => swatchFor(hex, share)), words: [...texts.flatMap(text => wordsOf(text)), ...date], day};
};

// ---- Scores: 0 for what is not found, else up to 1

const options = {within: 10, share: 0};
// A swatch counts for its nearness, and for how much there is of it: half a photo of nearly that colour stands before a
// sliver of exactly that.
const nearness = (far, within) => far > within ? 0 : (1 - far / (2 * within)) ** 4;
const leastOfRegion = 0.015;

// How much a mood has of a term, and its swatches that say so.
const score = (term, mood, {within, share} = options) => {
  if (term.like) return likeness(term.like, mood, within);
  const text = term.words?.length && hasText(term, mood) ? 1 : 0;
  if (!term.isColor) return {value: text, hits: []};
  let value = 0, amount = 0, hits = [];
  for (const swatch of mood.swatches) {
    if (term.boxes) {
      const side = term.sides.reduce((product, box) => product * isIn(box, swatch), 1);
      const much = side && side * Math.max(...term.boxes.map(box => isIn(box, swatch)));
      if (!much) continue;
      value += much * swatch.share;
      amount += swatch.share * (much > 0.5 ? 1 : much);
      if (much > 0.25) hits.push(swatch);
    } else {
      const far = Math.abs(term.lab[0] - swatch.cie[0]) > within * 1.75 ? Infinity : difference(term.lab, swatch.cie);
      if (far > within) continue;
      value = Math.max(value, nearness(far, within) * swatch.share);
      amount += swatch.share;
      hits.push(swatch);
    }
  }
  if (term.boxes && value < leastOfRegion || amount < share) [value, hits] = [0, []];
  return {value: Math.max(text, Math.min(1, value)), hits};
};
const hasText = (term, mood) => {
  if (/^\d{4}-\d{2}(-\d{2})?$/.test(term.text)) return mood.day?.startsWith(term.text) ?? false;
  return term.words.every(word => mood.words.some(own => term.isColor ? own === word : own.startsWith(word)));
};

// How alike two palettes are: of each colour of the one, how near and how much there is in the other.
const likeness = (palette, mood, within) => {
  let value = 0, total = 0;
  const hits = new Set();
  for (const own of palette) {
    let best = 0, hit = null;
    for (const swatch of mood.swatches) {
      if (Math.abs(own.cie[0] - swatch.cie[0]) > within * 3.5) continue;
      const far = difference(own.cie, swatch.cie);
      if (far > within * 2) continue;
      const much = (1 - far / (2 * within)) ** 2 * Math.min(1, swatch.share / own.share);
      if (much > best) [best, hit] = [much, swatch];
    }
    value += own.share * best;
    total += own.share;
    if (hit) hits.add(hit);
  }
  value = total ? value / total : 0;
  return value < 0.2 ? {value: 0, hits: []} : {value, hits: [...hits]};
};

// Those that have something of every term, most first; where two have as much, as they came.
const find = (terms, moods, settings = options) => {
  const found = [];
  moods.forEach((mood, index) => {
    let total = 1;
    const hits = [];
    for (const term of terms) {
      const one = score(term, mood, settings);
      // Rounded, so that the last bits of two machines do not decide.
      total *= Math.round(one.value * 1e6);
      if (!total) return;
      hits.push(...one.hits);
    }
    found.push({index, total, hits});
  });
  if (terms.some(term => term.isColor || term.like)) found.sort((p, q) => q.total - p.total || p.index - q.index);
  return found;
};

// ---- Orders

// The colour that a photo is remembered by; null for one of greys. Strong colours before large ones, and where no strong
// one covers much, those before others whose hue is unlike the rest: a kingfisher's blue before the green around it.
const accentAmong = swatches => {
  let [a, b] = [0, 0];
  for (const swatch of swatches) [a, b] = [a + swatch.share * swatch.lab[1], b + swatch.share * swatch.lab[2]];
  const rest = Math.atan2(b, a), unlike = Math.max(0, 1 - Math.hypot(a, b) / 0.06);
  let best = null, most = 0;
  for (const swatch of swatches) {
    const turn = Math.abs(Math.sin((Math.atan2(swatch.lab[2], swatch.lab[1]) - rest) / 2));
    const much = swatch.chroma * Math.sqrt(Math.sqrt(swatch.share)) * (0.3 + unlike * turn);
    if (swatch.chroma >= 0.03 && much > most) [best, most] = [swatch, much];
  }
  return best;
};
