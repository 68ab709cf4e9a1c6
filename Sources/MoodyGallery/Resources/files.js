// ---- One palette as a file. The layouts are those of Sources/Palettes/Swatches.

const oneLine = text => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\u200e\u200f\u061c]/g, ' ');
const css = ({name, swatches}) => [
  `/* ${oneLine(name).replaceAll('*', '* ')} */`, ':root {',
  ...swatches.map((swatch, index) =>
    `  --color-${index + 1}: ${written(swatch)}; /* ${[swatch.name.replaceAll('*', '* '), percent(swatch.share)].filter(Boolean).join(', ')} */`),
  '}', '',
].join('\n');
const ase = ({name, swatches}) => {
  const bytes = [], u16 = value => bytes.push(value >> 8 & 255, value & 255), u32 = value => { u16(value >>> 16); u16(value & 65535); };
  const ascii = text => { for (const letter of text) bytes.push(letter.charCodeAt(0)); };
  const called = text => { const units = oneLine(text).slice(0, 254); u16(units.length + 1); for (let i = 0; i < units.length; i++) u16(units.charCodeAt(i)); u16(0); };
  const size = text => 4 + 2 * oneLine(text).slice(0, 254).length;
  ascii('ASEF'); u16(1); u16(0); u32(swatches.length + 2);
  u16(0xC001); u32(size(name)); called(name);
  for (const swatch of swatches) {
    u16(1); u32(size(swatch.name) + 18); called(swatch.name); ascii('RGB ');
    for (const channel of channels(swatch.hex)) u32(new Uint32Array(new Float32Array([channel / 255]).buffer)[0]);
    u16(2);
  }
  u16(0xC002); u32(0);
  return new Uint8Array(bytes);
};
const gpl = ({name, swatches}) => [
  'GIMP Palette', `Name: moody: ${oneLine(name).slice(0, 200)}`, `Columns: ${swatches.length}`, `# ${oneLine(name).slice(0, 200)}`,
  ...swatches.map(({hex, name}) => `${channels(hex).map(v => String(v).padStart(3)).join(' ')}\t${oneLine(name)}`), '',
].join('\n');
const card = ({name, swatches}) => {
  const root = svg('svg', {xmlns: 'http://www.w3.org/2000/svg', viewBox: '0 0 1024 368', width: 1024, height: 368, 'font-family': 'system-ui, sans-serif', 'font-size': 20});
  root.append(svg('rect', {width: '100%', height: '100%', fill: '#ffffff'}), svg('text', {x: 32, y: 56, fill: '#1a1a1a'}, oneLine(name)));
  extents(swatches.map(s => s.share), 960).forEach(([start, size], at) => {
    const x = 32 + start * 9.6, {hex} = swatches[at];
    root.append(svg('rect', {x: x.toFixed(1), y: 72, width: (size * 9.6).toFixed(1), height: 240, fill: hex}));
    if (size > 10) root.append(svg('text', {x: (x + 12).toFixed(1), y: 296, fill: inkOn(hex) === '#000' ? '#000000' : '#ffffff'}, hex));
  });
  return '\x3c!-- palettes by moody -->\n' + new XMLSerializer().serializeToString(root) + '\n';
};
const json = ({name, swatches}) => JSON.stringify({v: 1, name, colors: swatches.map(({hex, share, name}) => ({hex, share, name}))}, null, 1) + '\n';
const files = {ase: [ase, 'application/octet-stream'], gpl: [gpl, 'text/plain'], css: [css, 'text/css'], json: [json, 'application/json'], svg: [card, 'image/svg+xml']};
const save = (photo, kind) => {
  const [write, type] = files[kind], url = URL.createObjectURL(new Blob([write(photo)], {type}));
  const link = html('a', {href: url, download: `${photo.name.replace(/\.[^.]*$/, '') || 'palette'}.${kind}`});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
