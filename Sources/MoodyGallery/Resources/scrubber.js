// ---- The scrubber: the page at a glance, each section by its colors

const scrubber = $('#scrubber');
const drawScrubber = () => {
  const height = sections.at(-1)?.bottom ?? 0;
  scrubber.hidden = sections.length < 3 || height < 3 * innerHeight;
  if (scrubber.hidden) return;
  scrubber.replaceChildren(...sections.map(section => {
    const colors = section.palette ?? [], sum = colors.reduce((sum, s) => sum + s.share, 0) || 1;
    const part = html('button', {title: `${section.name}, ${section.photos.length}`, ariaLabel: `${section.name}, ${section.photos.length} photos`, tabIndex: -1});
    part.style.flex = `${section.bottom - section.top} 1 0`;
    const strip = svg('svg', {'aria-hidden': true});
    let x = 0;
    for (const {hex, share} of colors) {
      strip.append(svg('rect', {x: `${x / sum * 100}%`, width: `${share / sum * 100}%`, height: '100%', fill: hex}));
      x += share;
    }
    part.append(strip);
    part.addEventListener('click', () => scrollTo({top: section.top + 16, behavior: 'instant'}));
    return part;
  }));
};
// A hundred sections take as long as the rows in the window, which come first.
let scrubbing;
const drawScrubberLater = () => {
  clearTimeout(scrubbing);
  scrubbing = setTimeout(() => window.requestIdleCallback ? requestIdleCallback(drawScrubber, {timeout: 500}) : drawScrubber(), 50);
};
