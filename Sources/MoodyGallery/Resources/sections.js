// ---- Sections by date, of the photos in the list's order: the twin of Section.dated and MonthPalette, which a live page needs again and
// again and an exported one has in its #data.

const undatedTitle = 'Undated';
const spanTitles = [
  (year, month) => `${monthName(month)} ${year}`,
  // From March, June, September or December, whose season ends in the next year.
  (year, month) => {
    const months = year * 12 + month - 1, first = Math.floor((months + 1) / 3) * 3 - 1, last = first + 2;
    const [from, to] = [first, last].map(at => [Math.floor(at / 12), at % 12 + 1]);
    return `${monthName(from[1])}${from[0] === to[0] ? '' : ` ${from[0]}`} to ${monthName(to[1])} ${to[0]}`;
  },
  year => `${year}`,
  year => `${year - year % 10} to ${year - year % 10 + 9}`,
];
// Runs of photos with one title: [{title, begin, end}]. Neighbors are mostly of one month, whose title is made once.
const runsBy = (days, title) => {
  const runs = [];
  let month = null;
  days.forEach((day, at) => {
    if (month !== null && (month ? day.startsWith(month) : !day)) return void runs.at(-1).end++;
    month = (day || '').slice(0, 7);
    const own = month ? title(+month.slice(0, 4), +month.slice(5)) : undatedTitle;
    if (runs.at(-1)?.title === own) runs.at(-1).end = at + 1;
    else runs.push({title: own, begin: at, end: at + 1, hasYears: false});
  });
  return runs;
};
// Months, or seasons, years or decades where months would be a row of two. `days`: "2024-06-28", or nothing for a photo of no known day.
const sectionsByDate = days => {
  const all = spanTitles.map(title => runsBy(days, title));
  for (const run of all.at(-1)) run.hasYears = run.title !== undatedTitle;
  const isFull = runs => {
    const counts = runs.filter(({title}) => title !== undatedTitle).map(({begin, end}) => end - begin).sort((a, b) => a - b);
    return counts.length < 2 || counts[Math.floor(counts.length / 2)] >= 5;
  };
  const full = all.find(isFull);
  if (full) return full;
  const dated = all[0].filter(({title}) => title !== undatedTitle);
  const years = dated.map(({begin}) => +days[begin].slice(0, 4)).sort((a, b) => a - b); // A month has one year.
  const one = {title: `${years[0]} to ${years.at(-1)}`, begin: dated[0].begin, end: dated.at(-1).end, hasYears: true};
  return [one, ...all[0].filter(({title}) => title === undatedTitle)];
};
// At most six colors that a range of photos has most of: [hex, share, number of the name], strong ones first, each largest first.
const monthPalette = (begin, end) => {
  const {first, rgb, share, ok} = swatches, groups = [], places = [];
  for (let at = first[begin]; at < first[end]; at++) if (share[at] > 0) places.push(at);
  places.sort((p, q) => share[q] - share[p] || rgb[q] - rgb[p]);
  for (const at of places) {
    const l = ok[3 * at], a = 2 * ok[3 * at + 1], b = 2 * ok[3 * at + 2];
    const same = groups.find(group => (group.l - l) ** 2 + (group.a - a) ** 2 + (group.b - b) ** 2 < 0.15 * 0.15);
    if (same) same.share += share[at];
    else groups.push({at, l, a, b, share: share[at]});
  }
  const isColorful = ({l, a, b}) => l > 0.25 && a * a + b * b > 0.08 * 0.08;
  const weight = group => group.share * (1 + 8 * Math.hypot(group.a, group.b));
  const chosen = groups.sort((p, q) => weight(q) - weight(p)).slice(0, 6)
    .sort((p, q) => isColorful(q) - isColorful(p) || q.share - p.share);
  return chosen.map(group => [hexOf(rgb[group.at]), group.share, nameAt[group.at]]);
};
// Fills data.sections and each photo's section. What a section's photos are decides its palette, which is kept with them.
let knownPalettes = new Map();
const fillSections = isDated => {
  readColors(swatches);
  const known = new Map();
  data.undated = -1;
  data.sections = sectionsByDate(facts.day.map((day, at) => isDated[at] ? day : '')).map(({title, begin, end, hasYears}, number) => {
    facts.section.fill(number, begin, end);
    if (title === undatedTitle) data.undated = number;
    let [a, b] = [0, 0];
    for (let at = begin; at < end; at++) [a, b] = [Math.imul(a, 31) + photos[at].stamp | 0, Math.imul(b, 65599) + photos[at].stamp | 0];
    const own = `${a} ${b} ${end - begin}`;
    const palette = knownPalettes.get(own) ?? monthPalette(begin, end);
    known.set(own, palette);
    return [title, palette, hasYears ? 1 : 0];
  });
  knownPalettes = known;
};

// ---- The color bar, of a collection that changes: the twin of ColorBar

const barWords = ['red', 'orange', 'brown', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink', 'white', 'grey', 'black'];
const barGrays = ['white', 'grey', 'black'], leastOfBar = 0.002; // Of what all photos have together.
const barOf = word => {
  const {count, ok, chroma, hue, share, rgb} = swatches, {boxes} = region([word]);
  let sum = 0, most = 0, strongest = -1;
  for (let at = 0; at < count; at++) {
    let fit = 0;
    for (const box of boxes) fit = Math.max(fit, isIn(box, ok[3 * at], chroma[at], hue[at]));
    if (fit < 0.5) continue;
    sum += fit * share[at];
    // The strongest stands for its word, not the largest; of grays the one with least color.
    const worth = fit ** 3 * Math.sqrt(share[at]) * (barGrays.includes(word) ? 1 / (0.01 + chroma[at]) : 0.05 + chroma[at]);
    if (worth > most) [most, strongest] = [worth, at];
  }
  return strongest >= 0 && sum >= leastOfBar * photos.length ? [[word, hexOf(rgb[strongest])]] : [];
};
// A word at a time: all of them take as long as a batch.
let barring = 0;
const fillBarSoon = (found = [], next = 0) => {
  clearTimeout(barring);
  barring = setTimeout(() => {
    if (next === barWords.length) return fillBar(found);
    fillBarSoon([...found, ...barOf(barWords[next])], next + 1);
  }, next ? 8 : 300);
};
const fillBar = words => {
  const asks = asked(state.q);
  bar.hidden = words.length < 2;
  barColors.clear();
  bar.replaceChildren(...bar.hidden ? [] : words.map(([word, hex]) => {
    barColors.set(word, hex);
    const button = html('button', {value: word, title: word, ariaLabel: word, ariaPressed: asks.some(term => term.text === word && !term.not)});
    button.append(chip(hex));
    return button;
  }));
};
