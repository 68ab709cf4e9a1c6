
// ---- The board: photos that were put together, with one palette of them all; it stands in the address

const boardPlace = $('#board'), mostOfBoard = 24;
// At most eight colors of the photos on the board: the swatches by what they say, each unlike those before it.
const boardPalette = list => {
  const swatches = list.flatMap(photo => photo.swatches).map(swatch => ({...swatch, weight: saliency(swatch.share, chroma(oklab(swatch.hex)))}))
    .sort((p, q) => q.weight - p.weight), chosen = [];
  for (const swatch of swatches) {
    const lab = cielab(swatch.hex), same = chosen.find(other => distance(lab, other.lab, 0) < 12);
    if (same) same.total += swatch.share;
    else if (chosen.length < 8) chosen.push({...swatch, lab, total: swatch.share});
  }
  const sum = chosen.reduce((sum, {total}) => sum + total, 0) || 1;
  return chosen.map(({hex, name, p3, total}) => ({hex, name, p3, share: total / sum})).sort((p, q) => q.share - p.share);
};
const boardPhotos = () => state.board.map(id => byID.get(id)).filter(Boolean);
const drawBoard = () => {
  const list = boardPhotos(), palette = {id: 0, name: 'board', aspect: 1, swatches: boardPalette(list)};
  boardPlace.hidden = !list.length;
  document.documentElement.classList.toggle('boarded', list.length > 0);
  for (const button of $$('[name=board]', view)) button.ariaPressed = !!open && state.board.includes(open.id);
  if (!list.length) return boardPlace.replaceChildren();
  const pictures = list.map(photo => {
    const button = html('button', {title: `Take ${photo.name} off the board`, ariaLabel: `Take ${photo.name} off the board`}, image(photo, '4rem'));
    button.addEventListener('click', () => toggleBoard(photo));
    return button;
  });
  const saves = ['ase', 'gpl', 'tailwind', 'css', 'tokens'].map(kind => {
    const button = html('button', {textContent: files[kind][3], title: `Save the board's palette as ${files[kind][3]}`});
    button.addEventListener('click', () => save(palette, kind));
    return button;
  });
  const copyAll = html('button', {textContent: 'Copy'}), clear = html('button', {textContent: 'Clear'});
  copyAll.addEventListener('click', () => copy(css(palette), `${palette.swatches.length} colors`));
  clear.addEventListener('click', () => { state.board = []; keepAddress(); drawBoard(); });
  const strip = palette.swatches.length ? [stripOf(palette.swatches, 'the board', 320)] : [];
  boardPlace.replaceChildren(html('div', {className: 'pictures'}, ...pictures), html('figure', {}, ...strip, html('figcaption')),
    html('p', {}, ...saves, copyAll, clear));
};
const toggleBoard = photo => {
  if (state.board.includes(photo.id)) state.board = state.board.filter(id => id !== photo.id);
  else if (state.board.length < mostOfBoard) state.board = [...state.board, photo.id];
  else return say(`The board holds ${mostOfBoard} photos`);
  keepAddress();
  drawBoard();
  say(state.board.includes(photo.id) ? `${photo.name} is on the board` : `${photo.name} is off the board`);
};
// The photo whose figure has the focus.
const focusedPhoto = () => byID.get(+(document.activeElement?.closest?.('main figure')?.id.slice(1) ?? NaN));
// Shift and a click, or S on a photo that has the focus.
main.addEventListener('click', event => {
  const link = event.target.closest('figure > a');
  if (!link || !event.shiftKey) return;
  event.preventDefault();
  toggleBoard(byID.get(+link.hash.slice(2)));
});
document.addEventListener('keydown', event => {
  if (event.key !== 's' && event.key !== 'S' || event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, select, textarea')) return;
  const photo = view.open ? open : focusedPhoto();
  if (!photo) return;
  event.preventDefault();
  toggleBoard(photo);
});
