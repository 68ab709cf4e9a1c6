
// ---- One palette as a file: the same bytes as the command writes, which SwatchTwinTests compares. Knows no page.

const monthName = number => monthNames[number - 1][0].toUpperCase() + monthNames[number - 1].slice(1);
// As people say it: "41 %", and what is there but rounds to nothing as "< 1 %".
const percent = share => share >= 0.005 ? `${Math.round(share * 100)} %` : share > 0 ? '< 1 %' : '0 %';
const oneLine = text => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\u200e\u200f\u061c]/g, ' ');
const inComment = text => oneLine(text).replace(/["'\\]/g, '\\$&').replaceAll('*', '\\2a ').replaceAll('{', '\\7b ');
const tenths = share => `${Math.floor(Math.round(share * 1000) / 10)}.${Math.round(share * 1000) % 10} %`;
const utf8 = text => new TextEncoder().encode(text);
// A name as an identifier: small letters, digits and hyphens.
const identifier = name => {
  const dot = name.lastIndexOf('.'), stem = dot > 0 ? name.slice(0, dot) : name;
  let text = [...utf8(stem.toLowerCase())].map(byte => byte >= 97 && byte <= 122 || byte >= 48 && byte <= 57 ? String.fromCharCode(byte) : '-').join('')
    .replace(/-+/g, '-').replace(/^-|-$/g, '').slice(0, 48);
  return /^[a-z]/.test(text) ? text : text ? `photo-${text}` : 'photo';
};
const bytesOf = (...parts) => {
  const bytes = [];
  const put = part => {
    if (typeof part === 'string') for (const letter of part) bytes.push(letter.charCodeAt(0));
    else if (part.u16 !== undefined) bytes.push(part.u16 >> 8 & 255, part.u16 & 255);
    else if (part.u32 !== undefined) bytes.push(part.u32 >>> 24, part.u32 >> 16 & 255, part.u32 >> 8 & 255, part.u32 & 255);
    else for (const one of part) typeof one === 'number' ? bytes.push(one) : put(one);
  };
  parts.forEach(put);
  return bytes;
};
const u16 = value => ({u16: value}), u32 = value => ({u32: value});
// Its length with the 0, and the units: at most 255, and not half a pair at the end.
const adobeName = text => {
  const units = [];
  for (let at = 0; at < text.length && at < 255; at++) units.push(oneLine(text).charCodeAt(at));
  if (units.at(-1) >= 0xd800 && units.at(-1) < 0xdc00) units.pop();
  return bytesOf(u16(units.length + 1), units.map(u16), u16(0));
};
const floatBits = value => new Uint32Array(new Float32Array([value]).buffer)[0];
const ase = ({name, swatches}) => {
  const block = (kind, payload) => bytesOf(u16(kind), u32(payload.length), payload);
  const blocks = [block(0xC001, adobeName(name)), ...swatches.map(swatch => block(1, bytesOf(adobeName(swatch.name), 'RGB ',
    channels(swatch.hex).map(channel => u32(floatBits(Math.fround(channel) / 255))), u16(2)))), block(0xC002, [])];
  return bytesOf('ASEF', u16(1), u16(0), u32(blocks.length), blocks);
};
const aco = ({swatches}) => {
  const color = ({hex}) => bytesOf(u16(0), channels(hex).map(channel => u16(channel * 257)), u16(0));
  const count = u16(swatches.length);
  return bytesOf(u16(1), count, swatches.map(color), u16(2), count, swatches.map(swatch => [color(swatch), u16(0), adobeName(swatch.name)].map(part => bytesOf(part))));
};
const gplName = text => {
  const letters = [...new Intl.Segmenter().segment(oneLine(text))].map(({segment}) => segment);
  while (utf8(letters.join('')).length > 900) letters.pop();
  return letters.join('');
};
const gpl = ({name, swatches}) => [
  'GIMP Palette', `Name: moody: ${gplName(name)}`, `Columns: ${Math.min(32, swatches.length)}`, `# ${gplName(name)}`,
  ...swatches.map(({hex, name}) => `${channels(hex).map(v => String(v).padStart(3)).join(' ')}\t${name}`), '',
].join('\n');
const cssFile = ({name, swatches}) => {
  const wide = swatches.flatMap(({p3}, at) => p3 ? [`  --color-${at + 1}: ${p3};`] : []);
  return ['/* palettes by moody */', '', `/* ${inComment(name)} */`, ':root {',
    ...swatches.map((swatch, at) => `  --color-${at + 1}: ${swatch.hex};  /* ${swatch.name}, ${tenths(swatch.share)} */`), '}',
    ...wide.length ? ['@media (color-gamut: p3) {', ':root {', ...wide, '}', '}'] : [], ''].join('\n');
};
const scss = ({name, swatches}) => {
  const own = identifier(name);
  return ['// palettes by moody', '', `// ${inComment(name)}`,
    ...swatches.map((swatch, at) => `$${own}-${at + 1}: ${swatch.hex}; // ${swatch.name}, ${tenths(swatch.share)}`),
    `$${own}-palette: (`, ...swatches.map((_, at) => `  ${at + 1}: $${own}-${at + 1},`), ');', ''].join('\n');
};
const tailwind = ({name, swatches}) => ['/* palettes by moody, for Tailwind CSS 4 */', '@theme {', `  /* ${inComment(name)} */`,
  ...swatches.map((swatch, at) => `  --color-${identifier(name)}-${at + 1}: ${swatch.hex}; /* ${swatch.name}, ${tenths(swatch.share)} */`), '}', ''].join('\n');
const quotedASCII = text => '"' + [...Array(text.length).keys()].map(at => text.charCodeAt(at)).map(unit => unit === 0x22 ? '\\"' : unit === 0x5c ? '\\\\'
  : unit >= 0x20 && unit < 0x7f ? String.fromCharCode(unit) : '\\u' + unit.toString(16).padStart(4, '0')).join('') + '"';
const tokens = ({name, swatches}) => {
  const component = channel => channel === 0 ? '0' : channel === 255 ? '1'
    : '0.' + String(100_000 + Math.floor((channel * 200_000 + 255) / 510)).slice(1);
  // As Swift writes a number: with a point, small ones by a power.
  const decimal = share => {
    const value = Math.round(share * 1e6) / 1e6;
    return Number.isInteger(value) ? `${value}.0` : value < 1e-4 ? value.toExponential().replace(/e-(\d)$/, 'e-0$1') : String(value);
  };
  return '{\n  "$description": "Palettes by moody",\n'
    + `  ${quotedASCII(identifier(name))}: {\n    "$type": "color",\n    "$description": ${quotedASCII(name)}`
    + swatches.map((swatch, at) => `,\n    "color-${at + 1}": {\n      "$value": {\n`
      + `        "colorSpace": "srgb", "components": [${channels(swatch.hex).map(component).join(', ')}], "alpha": 1, "hex": "${swatch.hex}"\n      },\n`
      + `      "$description": "${swatch.name}",\n      "$extensions": { "io.github.moody": { "share": ${decimal(swatch.share)} } }\n    }`).join('')
    + '\n  }\n}\n';
};
const xml = text => oneLine(text).replace(/[&<>"]/g, letter => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[letter]).replace(/[\ufffe\uffff]/g, '\ufffd');
// Whole pixels in proportion to the shares, none under 3 % of the whole while there is room.
const pixelWidths = (swatches, total) => {
  const number = swatches.length, least = Math.min(total * 0.03, total / Math.max(1, number)), room = total - least * number;
  const sum = swatches.reduce((sum, {share}) => sum + share, 0);
  let edge = 0, last = 0;
  return swatches.map(({share}, at) => {
    edge += least + (sum > 0 ? room * share / sum : room / number);
    const end = at === number - 1 ? total : Math.round(edge), width = end - last;
    last = end;
    return width;
  });
};
const svgNames = 'http://www.w3.org/2000/svg';
const svgFile = ({name, swatches}) => {
  const [margin, wide, high] = [32, 960, 240], total = high + 3 * margin + margin, letters = [...new Intl.Segmenter().segment(name)].map(({segment}) => segment);
  const clipped = letters.length > 90 ? letters.slice(0, 89).join('') + '…' : name, top = 2 * margin + 8, widths = pixelWidths(swatches, wide);
  let x = margin;
  const bands = swatches.map((swatch, at) => {
    const width = widths[at], ink = contrast(swatch.hex, '#000000') >= contrast(swatch.hex, '#ffffff') ? '#000000' : '#ffffff';
    const text = `\x3crect x="${x}" y="${top}" width="${width}" height="${high}" fill="${swatch.hex}">\x3ctitle>${swatch.hex} ${swatch.name}, ${tenths(swatch.share)}\x3c/title>\x3c/rect>\n`
      + (width >= 96 ? `\x3ctext x="${x + 12}" y="${top + high - 16}" fill="${ink}">${swatch.hex}\x3c/text>\n` : '');
    x += width;
    return text;
  });
  return '\x3c!-- palettes by moody -->\n'
    + `\x3csvg xmlns="${svgNames}" viewBox="0 0 ${wide + 2 * margin} ${total}" width="${wide + 2 * margin}" height="${total}" `
    + 'font-family="system-ui, sans-serif" font-size="20">\n\x3crect width="100%" height="100%" fill="#ffffff"/>\n'
    + `\x3cg>\n\x3ctitle>${xml(name)}\x3c/title>\n\x3ctext x="${margin}" y="${margin + 24}" fill="#1a1a1a">${xml(clipped)}\x3c/text>\n${bands.join('')}\x3c/g>\n\x3c/svg>\n`;
};
const hexFile = ({swatches}) => swatches.map(({hex}) => hex + '\n').join('');
const json = ({name, swatches}) => JSON.stringify({v: 1, name, colors: swatches.map(({hex, share, name}) => ({hex, share, name}))}, null, 1) + '\n';
const plainText = 'text/plain', binary = 'application/octet-stream';
// What each is called, writes, is of, and ends with.
const files = {
  ase: [ase, binary, 'ase', 'ASE'], aco: [aco, binary, 'aco', 'ACO'], gpl: [gpl, plainText, 'gpl', 'GPL'], css: [cssFile, 'text/css', 'css', 'CSS'],
  scss: [scss, plainText, 'scss', 'SCSS'], tailwind: [tailwind, 'text/css', 'css', 'Tailwind'], tokens: [tokens, 'application/json', 'tokens.json', 'Tokens'],
  json: [json, 'application/json', 'json', 'JSON'], svg: [svgFile, 'image/svg+xml', 'svg', 'SVG'], hex: [hexFile, plainText, 'txt', 'Hex'],
};
const fileOf = (palette, kind) => {
  const [write] = files[kind], content = write(palette);
  return typeof content === 'string' ? content : new Uint8Array(content);
};
