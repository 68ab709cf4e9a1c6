// Colors as numbers, sRGB's first: Oklab (Björn Ottosson 2020), CIELAB and CIEDE2000 (Sharma, Wu and Dalal 2005). Knows no page.

const light = channel => channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
const lights = Float64Array.from({length: 256}, (_, byte) => light(byte / 255));
const gamma = value => value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
const code = hex => parseInt(hex.slice(1), 16);
const hexOf = rgb => '#' + rgb.toString(16).padStart(6, '0');
const linear = hex => [code(hex) >> 16, code(hex) >> 8 & 255, code(hex) & 255].map(byte => lights[byte]);
const toHex = rgb => '#' + rgb.map(v => Math.round(255 * Math.min(1, Math.max(0, v))).toString(16).padStart(2, '0')).join('');

// Both write three numbers at a place of a list, for there are 50,000 colors to read.
const writeOklab = (rgb, to, at) => writeOklabOf(lights[rgb >> 16], lights[rgb >> 8 & 255], lights[rgb & 255], to, at);
const writeOklabOf = (r, g, b, to, at) => {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  to[at] = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
  to[at + 1] = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  to[at + 2] = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
};
const stretched = t => t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116;
const writeLab = (rgb, to, at) => {
  const r = lights[rgb >> 16], g = lights[rgb >> 8 & 255], b = lights[rgb & 255];
  const x = stretched((506752 / 1228815 * r + 87881 / 245763 * g + 12673 / 70218 * b) / (0.3127 / 0.329));
  const y = stretched(87098 / 409605 * r + 175762 / 245763 * g + 12673 / 175545 * b);
  const z = stretched((7918 / 409605 * r + 87881 / 737289 * g + 1001167 / 1053270 * b) / ((1 - 0.3127 - 0.329) / 0.329));
  to[at] = 116 * y - 16;
  // A gray without the traces of a hue that it is left with, which CIEDE2000 would make much of.
  const isGray = Math.abs(x - y) < 2e-12 && Math.abs(y - z) < 5e-12;
  to[at + 1] = isGray ? 0 : 500 * (x - y);
  to[at + 2] = isGray ? 0 : 200 * (y - z);
};
const oklab = hex => { const lab = [0, 0, 0]; writeOklab(code(hex), lab, 0); return lab; };
const cielab = hex => { const lab = [0, 0, 0]; writeLab(code(hex), lab, 0); return lab; };
const chroma = lab => Math.hypot(lab[1], lab[2]);
const hue = lab => (Math.atan2(lab[2], lab[1]) * 180 / Math.PI + 360) % 360;
const linearOf = ([L, a, b]) => {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
  ];
};

// A power by a number that is no constant is ten times as slow.
const seventh = c => {
  const cube = c * c * c, power = cube * cube * c;
  return Math.sqrt(power / (power + 6103515625));
};
const radians = Math.PI / 180;
const angle = (a, b) => (Math.atan2(b, a) / radians + 360) % 360;
// How much of CIEDE2000 the lightness alone is: no difference is smaller.
const lightnessStep = (p, q) => {
  const level = (p + q) / 2 - 50;
  return (q - p) / (1 + 0.015 * level * level / Math.sqrt(20 + level * level));
};
// CIEDE2000 of a color and of the one at a place of a list.
const difference = (p, list, at) => {
  const qL = list[at], qa = list[at + 1], qb = list[at + 2];
  const stretch = 1 + 0.5 * (1 - seventh((Math.hypot(p[1], p[2]) + Math.hypot(qa, qb)) / 2));
  const a1 = p[1] * stretch, a2 = qa * stretch;
  const c1 = Math.hypot(a1, p[2]), c2 = Math.hypot(a2, qb);
  const h1 = c1 ? angle(a1, p[2]) : 0, h2 = c2 ? angle(a2, qb) : 0;
  let step = c1 && c2 ? h2 - h1 : 0, mean = c1 && c2 ? (h1 + h2) / 2 : h1 + h2;
  // Opposite hues are told by a tolerance, not by the last bit of an arc tangent.
  if (Math.abs(Math.abs(step) - 180) > 1e-7 && Math.abs(step) > 180) {
    step -= Math.sign(step) * 360;
    mean += h1 + h2 < 360 ? 180 : -180;
  }
  const C = (c1 + c2) / 2;
  const T = 1 - 0.17 * Math.cos((mean - 30) * radians) + 0.24 * Math.cos(2 * mean * radians)
    + 0.32 * Math.cos((3 * mean + 6) * radians) - 0.2 * Math.cos((4 * mean - 63) * radians);
  const L = lightnessStep(p[0], qL);
  const K = (c2 - c1) / (1 + 0.045 * C);
  const H = 2 * Math.sqrt(c1 * c2) * Math.sin(step * radians / 2) / (1 + 0.015 * C * T);
  const turn = -Math.sin(60 * radians * Math.exp(-(((mean - 275) / 25) ** 2))) * 2 * seventh(C);
  return Math.sqrt(Math.max(0, L * L + K * K + H * H + turn * K * H));
};
// Beyond CIEDE2000's range, colors that differ as a person sees them: its difference up to 5, then more and more HyAB's (Abasi,
// Amani Tehran and Fairchild 2020), which holds for large ones. Never less than CIEDE2000, whose hues of grays may cancel what else
// tells a gray from a strong color.
const hyabScale = 0.3;
const distance = (p, list, at) => {
  const near = difference(p, list, at);
  if (near <= 5) return near;
  const a = p[1] - list[at + 1], b = p[2] - list[at + 2];
  const far = hyabScale * (Math.abs(p[0] - list[at]) + Math.sqrt(a * a + b * b));
  return far <= near ? near : near + (far - near) * Math.min(1, (near - 5) / 5);
};

// ---- Colors as people copy them

const oklch = hex => {
  const lab = oklab(hex), c = chroma(lab);
  return `oklch(${+lab[0].toFixed(4)} ${+c.toFixed(4)} ${c < 0.00005 ? 0 : +hue(lab).toFixed(2)})`;
};
const channels = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));
const hsl = hex => {
  const [r, g, b] = channels(hex).map(v => v / 255), max = Math.max(r, g, b), min = Math.min(r, g, b), d = max - min;
  const h = !d ? 0 : max === r ? (g - b) / d % 6 : max === g ? (b - r) / d + 2 : (r - g) / d + 4, l = (max + min) / 2;
  const s = d ? d / (1 - Math.abs(2 * l - 1)) : 0;
  return `hsl(${Math.round((h * 60 + 360) % 360)} ${Math.round(s * 100)}% ${Math.round(l * 100)}%)`;
};
// SMPTE EG 432-1: both spaces have sRGB's white, so one matrix.
const displayP3 = hex => {
  const [r, g, b] = linear(hex);
  const light = [0.8224621 * r + 0.177538 * g, 0.0331941 * r + 0.9668058 * g, 0.0170827 * r + 0.0723974 * g + 0.9105199 * b];
  return `color(display-p3 ${light.map(v => +gamma(v).toFixed(4)).join(' ')})`;
};
const formats = {
  hex: swatch => swatch.hex, rgb: swatch => `rgb(${channels(swatch.hex).join(' ')})`, hsl: swatch => hsl(swatch.hex),
  oklch: swatch => oklch(swatch.hex), 'Display P3': swatch => swatch.p3 ?? displayP3(swatch.hex),
};
const luminance = hex => linear(hex).reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
const contrast = (p, q) => {
  const [a, b] = [luminance(p), luminance(q)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
};
const inkOn = hex => luminance(hex) > 0.179 ? '#000' : '#fff';
