// What the check beside a preview finds of its own: sizes, colours, images, addresses, and what mail programs do not show. What a send is
// rated by comes from the check of a practice's mail (practice-mail/check.ts). Pure.
import { readHtml } from '#src/content/reading/html.ts';
import type { Look } from '#src/content/reading/style.ts';
import { contrast } from '#src/kernel/contrast.ts';
import type { Place, Severity } from '../practice-mail/check-rules.ts';
import type { Lost } from './clients.ts';
import type { ShownImage } from './read-mail.ts';

/** Gmail shows so much of the HTML, then a link to the rest, and with it goes what stands at the end: the unsubscribe link. */
export const CLIPPED_AT = 102 * 1024;
/** The footer and links that are counted make it longer when it is sent. */
const NEARLY = 0.9;
/** Over a mobile line that takes seconds. */
const HEAVY_BYTES = 1_000_000;
/** WCAG 2.2 §1.4.3: of text, and of large text, below which hardly anyone can read it. */
const READABLE = 4.5;
const HARDLY = 3;
const MAX_PAIRS = 10;
const EXCERPT = 60;

export interface LinkState {
  readonly url: string;
  /** `own`: leads to the service itself; `unchecked`: it was not asked, or did not answer in time. */
  readonly state:
    | 'ok'
    | 'own'
    | 'unchecked'
    | 'malformed'
    | 'insecure'
    | 'broken'
    | 'failing'
    | 'unreachable';
  /** That of the answer; null where there was none. */
  readonly status: number | null;
}

/** Each has its words in intake/words. */
export const codes = [
  'html_clipped',
  'html_nearly_clipped',
  'contrast_low',
  'image_without_alt',
  'linked_image_without_alt',
  'image_missing',
  'images_heavy',
  'link_malformed',
  'link_insecure',
  'link_broken',
  'link_failing',
  'link_unreachable',
  'lost_content',
  'lost_layout',
] as const;
export type Code = (typeof codes)[number];

export interface Found {
  readonly code: Code;
  readonly severity: Severity;
  readonly part: Place;
  /** The beginning of what is meant: a text, an address, a tag. */
  readonly excerpt: string | null;
  /** For the sentence. */
  readonly values: Readonly<Record<string, string | number>>;
}

const found = (
  code: Code,
  severity: Severity,
  excerpt: string | null,
  values: Found['values'] = {},
): Found => ({ code, severity, part: 'html', excerpt, values });

export const sizeFindings = (bytes: number): Found[] => {
  const values = { kib: Math.ceil(bytes / 1024) };
  if (bytes > CLIPPED_AT) return [found('html_clipped', 'warn', null, values)];
  return bytes > CLIPPED_AT * NEARLY ? [found('html_nearly_clipped', 'info', null, values)] : [];
};

/** Text in a colour that hardly differs from its ground, where both are known; style sheets are not applied. */
export const contrastFindings = (html: string): Found[] => {
  const pairs = new Map<string, { readonly ratio: number; readonly text: string }>();
  readHtml(html, undefined, (piece: string, { colour, background }: Look) => {
    const text = piece.trim();
    if (colour === null || background === null || !/[\p{L}\p{N}]/u.test(text)) return;
    const key = `${colour} ${background}`;
    if (pairs.has(key) || pairs.size >= 100) return;
    pairs.set(key, { ratio: contrast(`#${colour}`, `#${background}`), text: text.slice(0, EXCERPT) });
  });
  return [...pairs.values()]
    .filter(({ ratio }) => ratio < READABLE)
    .toSorted((a, b) => a.ratio - b.ratio)
    .slice(0, MAX_PAIRS)
    .map(({ ratio, text }) =>
      found('contrast_low', ratio < HARDLY ? 'warn' : 'info', text, { ratio: Math.round(ratio * 10) / 10 }),
    );
};

export const imageFindings = (
  images: readonly ShownImage[],
  facts: { readonly missing: ReadonlySet<string>; readonly bytes: number },
): Found[] => [
  ...images.flatMap(({ src, alt, isLinked }): Found[] => {
    const excerpt = src.slice(0, 200);
    if (facts.missing.has(src)) return [found('image_missing', 'error', excerpt)];
    // The image that counts openings, and others that are not to be seen, have an empty one.
    if (alt === null) return [found('image_without_alt', 'warn', excerpt)];
    return isLinked && alt === '' ? [found('linked_image_without_alt', 'warn', excerpt)] : [];
  }),
  ...(facts.bytes > HEAVY_BYTES
    ? [found('images_heavy', 'info', null, { mb: Math.round(facts.bytes / 100_000) / 10 })]
    : []),
];

const ofLink: Readonly<Record<LinkState['state'], readonly [Code, Severity] | null>> = {
  ok: null,
  own: null,
  unchecked: null,
  malformed: ['link_malformed', 'error'],
  insecure: ['link_insecure', 'info'],
  broken: ['link_broken', 'error'],
  failing: ['link_failing', 'warn'],
  unreachable: ['link_unreachable', 'error'],
};

export const linkFindings = (links: readonly LinkState[]): Found[] =>
  links.flatMap(({ url, state, status }) => {
    const finding = ofLink[state];
    return finding === null ? [] : [found(...finding, url.slice(0, 200), { status: status ?? 0 })];
  });

/** Decoration that is not shown needs no word; places that shift do where many see it. */
const MANY = 20;
const FEW = 5;

export const clientFindings = (lost: readonly Lost[]): Found[] =>
  lost.flatMap(({ effect, none, title, excerpt }) => {
    const values = { title, share: none };
    if (effect === 'content' && none >= FEW) return [found('lost_content', 'warn', excerpt, values)];
    return effect === 'layout' && none >= FEW
      ? [found('lost_layout', none >= MANY ? 'warn' : 'info', excerpt, values)]
      : [];
  });
