// Compares the page's script with what Swift says (SearchTwinTests.exam): lines of what differs, and how much was compared.
// Node runs it behind colors.js and search.js, Chromium in a page.
const examine = exam => {
  const lines = [], same = (what, mine, its) => {
    const [a, b] = [JSON.stringify(mine), JSON.stringify(its)];
    if (a !== b) lines.push(`${what}: ${a.slice(0, 300)}, not ${b.slice(0, 300)}`);
  };
  learn(exam.words);
  const all = collect(gather(exam.moods.map(({swatches}) => swatches.flatMap(({hex, share}) => [hex, share])), 2),
    at => exam.moods[at].texts, at => exam.moods[at].day);
  readColors(all.swatches);
  for (const {query, within, share, like, found, farther} of exam.cases) {
    const terms = parse(query), what = `${query} ${within} ${like}`;
    if (like !== null) terms.push({text: '', like: paletteLike(all.swatches, like), clause: (terms.at(-1)?.clause ?? -1) + 1});
    const mine = find(terms, all, {within, share});
    if (mine.join() !== found.join()) {
      const at = mine.findIndex((index, place) => index !== found[place]);
      lines.push(`${what}: ${mine.length} of ${found.length}, at ${at}: ${mine[at]}, not ${found[at]}`);
    }
    same(`${what}, farther away`, findFarther(terms, all, {within, share}, mine), farther);
  }
  for (const [query, terms] of exam.queries) {
    same(`the terms of ${JSON.stringify(query)}`, parse(query).map(term =>
      [term.text, term.typed, term.isColor, term.not, term.clause, term.words ?? [], term.isDate]), terms);
  }
  for (const [name, own] of exam.names) same(`the words of ${JSON.stringify(name)}`, wordsOf(name), own);
  for (const [word, meant] of exam.suggestions) same(`a suggestion for ${word}`, suggestion(word), meant);
  for (const [one, other, ...numbers] of exam.colors) {
    const lab = cielab(one), second = cielab(other), mine = [...oklab(one), ...lab, difference(lab, second, 0), distance(lab, second, 0)];
    // Of grays Swift's CIEDE2000 has traces of a hue.
    const isFar = mine.some((value, at) => !(Math.abs(value - numbers[at]) < (at === 6 ? 2e-6 : 1e-9)));
    if (isFar) lines.push(`${one} and ${other}: ${mine}, not ${numbers}`);
  }
  exam.percents.forEach((words, at) => same(`${at} of 10000`, percent(at / 10000), words));
  same('the months', Array.from({length: 12}, (_, at) => monthName(at + 1)), exam.months);
  lines.push(`${exam.cases.length} cases, ${exam.queries.length} queries, ${exam.names.length} names, `
    + `${exam.suggestions.length} suggestions, ${exam.colors.length} colors`);
  return lines;
};
