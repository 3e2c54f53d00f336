// Finds out whether an element's style hides its text: not displayed, too small, or in the colour of its background. Only the
// element's own style and attributes count; style sheets are not applied. Pure.

/** A colour as six hex digits in lower case; null if it is unknown (a gradient, a variable, a class). */
export type Colour = string | null;

export interface Look {
  readonly isHidden: boolean;
  readonly isTiny: boolean;
  readonly colour: Colour;
  readonly background: Colour;
}

export const PLAIN_LOOK: Look = { isHidden: false, isTiny: false, colour: '000000', background: 'ffffff' };

/** UTF-16 code units of a style that are read. */
const LOOKED_AT = 1_000;
const RELEVANT = /none|hidden|font|colou?r|background|opacity/i;
const HIDES = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0?\.?0*\s*(?:;|$|!))/i;
const FONT_SIZE = /(?:^|[;\s])font-size\s*:\s*([0-9.]{1,8})\s*([a-z%]{0,4})/i;
const COLOUR = /(?:^|[;\s])color\s*:\s*([^;!]{1,40})/i;
const BACKGROUND = /(?:^|[;\s])background(-color|-image)?\s*:\s*([^;!]{1,80})/i;

const named: Readonly<Record<string, string>> = { white: 'ffffff', black: '000000' };

export const parseColour = (text: string): Colour => {
  const value = text.trim().toLowerCase();
  const hex = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/.exec(value)?.[1];
  if (hex !== undefined) return hex.length === 6 ? hex : hex.replace(/./g, '$&$&');
  const rgb = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(value);
  if (rgb)
    return rgb
      .slice(1)
      .map((part) => Number(part).toString(16).padStart(2, '0'))
      .join('');
  return Object.hasOwn(named, value) ? (named[value] ?? null) : null;
};

/** Text below two pixels is not readable; other units are relative or large. */
const isTinySize = (value: string, unit: string): boolean =>
  Number(value) === 0 || (/^(?:px|pt)?$/i.test(unit) && Number(value) < 2);

/** The effects of a style; undefined for a property that it does not set. */
export interface StyleChange {
  readonly hides: boolean;
  readonly isTiny: boolean | undefined;
  readonly colour: Colour | undefined;
  readonly background: Colour | undefined;
}

const NO_CHANGE: StyleChange = { hides: false, isTiny: undefined, colour: undefined, background: undefined };

export const readStyle = (style: string): StyleChange => {
  const read = style.slice(0, LOOKED_AT);
  if (!RELEVANT.test(read)) return NO_CHANGE;
  const size = FONT_SIZE.exec(read);
  const colour = COLOUR.exec(read)?.[1];
  const background = BACKGROUND.exec(read);
  return {
    hides: HIDES.test(read),
    isTiny: size ? isTinySize(size[1] ?? '', size[2] ?? '') : undefined,
    colour: colour === undefined ? undefined : parseColour(colour),
    // With `transparent`, `none` and images the background is unknown, and then nothing counts as hidden.
    background:
      background === null ? undefined : background[1] === '-image' ? null : parseColour(background[2] ?? ''),
  };
};

interface Attributes {
  readonly style: StyleChange;
  readonly bgcolor: string | null;
  readonly color: string | null;
  /** A style sheet may change the element. */
  readonly hasClass: boolean;
  readonly isHidden: boolean;
}

/** The look of text inside of the element. */
export const lookWithin = (outer: Look, { style, bgcolor, color, hasClass, isHidden }: Attributes): Look => {
  const background = bgcolor === null ? (hasClass ? null : outer.background) : parseColour(bgcolor);
  const colour = color === null ? outer.colour : parseColour(color);
  return {
    isHidden: outer.isHidden || isHidden || style.hides,
    isTiny: style.isTiny ?? outer.isTiny,
    colour: style.colour === undefined ? colour : style.colour,
    background: style.background === undefined ? background : style.background,
  };
};

export const isUnseen = ({ isHidden, isTiny, colour, background }: Look): boolean =>
  isHidden || isTiny || (colour !== null && colour === background);
