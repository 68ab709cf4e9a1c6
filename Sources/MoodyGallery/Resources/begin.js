// ---- Begin

view.dataset.ground = kept.get('ground') ?? 'page';
for (const button of $$('[name=ground]', view)) button.ariaPressed = button.value === view.dataset.ground;
document.documentElement.classList.add('scripted');
Object.assign(state, readAddress(), {photo: null});
input.value = state.q;
// Nothing to look for, to sort or to copy.
for (const part of [$('form'), $('#order'), $('header .format')]) part.hidden = !photos.length;
measure();
arrange();
drawBoard();
follow();
drawScrubber();
// The rest when nothing else is to be done: what a first search or another order would have to read. Two searches are
// for nothing but that the browser has compiled them when the first is asked for.
const rehearsed = parse('teal #777777').map(term => [term]);
const some = 50;
let warm = 0;
const readSome = deadline => {
  for (; warm < photos.length; warm += some) {
    if (deadline.timeRemaining() < 4) return requestIdleCallback(readSome);
    const end = Math.min(warm + some, photos.length);
    judge(end);
    for (const terms of rehearsed) weigh(terms, all, options, warm, end);
    for (let mood = warm; mood < end; mood++) readWords(all, mood);
  }
  for (const order of [orders.hue, orders.lightness]) requestIdleCallback(() => order.all());
  // Rows of what is found, too, which nobody sees.
  for (const terms of rehearsed) requestIdleCallback(() => {
    const before = marking;
    marking = {terms, settings: options};
    const list = find(terms, all).slice(0, 12).map(mood => photos[mood]);
    if (list.length) make({...rowsOf(list, 0)[0][0], isMixed: true});
    marking = before;
  });
};
window.requestIdleCallback?.(readSome);
