// ---- Photos that show the same: an order of their groups, and a way through each. Only in pages that have some.

const groups = data.similar.map(group => group.map(index => photos[index]));
const groupOf = new Map(groups.flatMap(group => group.map(photo => [photo, group])));
// An object of its own for each group, for each is a section.
const groupTitles = new Map(groups.map(group => [group, new String('Copies')]));
orders.similar = {all: () => sorted.similar ??= groups.flat(), group: photo => groupTitles.get(groupOf.get(photo))};
$('#order').append(html('button', {value: 'similar', textContent: 'Similar', ariaPressed: false}));
// The best comes first.
const copyWords = html('span'), copyButton = html('button', {name: 'copies', title: 'The next copy (C)'});
const copyLine = html('p', {className: 'all copies'}, copyButton, copyWords);
$('.about dl', view).before(copyLine);
const nextCopy = () => {
  const group = open && groupOf.get(open);
  if (!group) return false;
  showPhoto(group[(group.indexOf(open) + 1) % group.length]);
  keepAddress();
  return true;
};
copyButton.addEventListener('click', nextCopy);
document.addEventListener('keydown', event => {
  if (!view.open || event.ctrlKey || event.metaKey || event.altKey || event.target.matches('select, input')) return;
  if ((event.key === 'c' || event.key === 'C') && nextCopy()) event.preventDefault();
});
// Whenever the view has another photo.
new MutationObserver(() => {
  const group = open && groupOf.get(open), at = group?.indexOf(open);
  copyLine.hidden = !group;
  if (!group) return;
  copyButton.textContent = `${group.length} copies`;
  copyWords.textContent = `${at + 1} of ${group.length}${at ? '' : ', the best'}`;
}).observe($('h2 bdi', view), {childList: true});
