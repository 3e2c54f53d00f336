// Colours that can be read: WCAG 2.2 §1.4.3 asks for a contrast of 4.5:1 between text and its ground. Pure.

type Rgb = readonly [number, number, number];

const MIN_CONTRAST = 4.5;
const STEPS = 64;
/** Numbers are rounded to a colour's 256 levels after they were measured. */
const SLACK = 0.02;

const rgbOf = (colour: string): Rgb => {
  const level = (at: number): number => Number.parseInt(colour.slice(at, at + 2), 16);
  return [level(1), level(3), level(5)];
};
const written = (rgb: Rgb): string =>
  `#${rgb.map((level) => Math.round(level).toString(16).padStart(2, '0')).join('')}`;

/** WCAG 2.2, "relative luminance". */
const luminance = (rgb: Rgb): number => {
  const [red, green, blue] = rgb.map((level) => {
    const share = level / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** WCAG 2.2, "contrast ratio", of colours as in `#0b57d0`. */
export const contrast = (one: string, other: string): number => {
  const [light, dark] = [luminance(rgbOf(one)), luminance(rgbOf(other))].toSorted((a, b) => b - a) as [
    number,
    number,
  ];
  return (light + 0.05) / (dark + 0.05);
};

/** The colour, mixed with black or white, whichever is farther from the ground, as far as reading takes it. */
export const readableOn = (ground: string, colour: string): string => {
  const from = rgbOf(colour);
  const end = contrast(ground, '#ffffff') > contrast(ground, '#000000') ? 255 : 0;
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = written(from.map((level) => level + ((end - level) * step) / STEPS) as unknown as Rgb);
    if (contrast(mixed, ground) >= MIN_CONTRAST + SLACK) return mixed;
  }
  return written([end, end, end]);
};
