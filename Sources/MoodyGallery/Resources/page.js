
'use strict';
const said = document.getElementById('said');
let silence;
const say = text => {
  said.textContent = text;
  said.className = 'on';
  clearTimeout(silence);
  silence = setTimeout(() => said.className = '', 1600);
};

// The clipboard of a page opened from a file is there in all browsers we know; the old way is for the others.
const copy = async (text, words) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.body.appendChild(document.createElement('textarea'));
    field.value = text;
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    if (!done) return say(`This browser does not let the page copy: ${words}`);
  }
  say(`${words} copied`);
};

document.addEventListener('click', event => {
  const rect = event.target.closest('rect');
  if (rect) copy(rect.getAttribute('fill'), rect.getAttribute('fill'));
});
