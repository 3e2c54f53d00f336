// Makes src/intake/content-check/client-support.json of the data of caniemail.com (MIT): which of the HTML and CSS that mails use
// which mail program does not show, or shows in part. To refresh it, outside of the checkout:
//
//   npm pack caniemail && tar -xzf caniemail-*.tgz
//   node bin/client-support.ts package/data/caniemail.json
//
// The package itself is no dependency: it brings a formatter and parsers, and the service needs a few facts of it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** Those of which src/intake/content-check/clients.ts says how many readers have them. */
const CLIENTS: Readonly<Record<string, readonly [family: string, platform: string]>> = {
  apple_ios: ['apple-mail', 'ios'],
  apple_macos: ['apple-mail', 'macos'],
  gmail_web: ['gmail', 'desktop-webmail'],
  gmail_android: ['gmail', 'android'],
  gmail_ios: ['gmail', 'ios'],
  outlook_windows: ['outlook', 'windows'],
  outlook_com: ['outlook', 'outlook-com'],
  outlook_macos: ['outlook', 'macos'],
  outlook_ios: ['outlook', 'ios'],
  outlook_android: ['outlook', 'android'],
  gmx_web: ['gmx', 'desktop-webmail'],
  gmx_android: ['gmx', 'android'],
  web_de_web: ['web-de', 'desktop-webmail'],
  web_de_android: ['web-de', 'android'],
  t_online_web: ['t-online-de', 'desktop-webmail'],
  yahoo_web: ['yahoo', 'desktop-webmail'],
  samsung: ['samsung-email', 'android'],
  thunderbird: ['thunderbird', 'macos'],
};

/** How a mail is found to use a feature: `element`, `attribute`, `property`, `value` (of a property), `function`, `rule`, `image`. */
const found = (how: string, ...names: readonly string[]): string[] => names.map((name) => `${how}:${name}`);
/** What is lost: what the mail says, where things stand, or how it looks. */
const FEATURES: readonly (readonly [effect: 'content' | 'layout' | 'look', slug: string, keys: string[]])[] =
  [
    ['content', 'html-video', found('element', 'video')],
    ['content', 'html-audio', found('element', 'audio')],
    ['content', 'html-form', found('element', 'form')],
    ['content', 'html-svg', found('element', 'svg')],
    ['content', 'html-picture', found('element', 'picture')],
    ['content', 'html-object', found('element', 'object')],
    ['content', 'html-image-maps', found('element', 'map')],
    ['content', 'html-input-text', found('element', 'input')],
    ['content', 'html-select', found('element', 'select')],
    ['content', 'html-textarea', found('element', 'textarea')],
    ['content', 'html-button-submit', found('element', 'button')],
    ['content', 'html-anchor-links', found('link', 'anchor')],
    ['content', 'image-base64', found('image', 'data')],
    ['content', 'image-webp', found('image', 'webp')],
    ['content', 'image-avif', found('image', 'avif')],
    ['content', 'image-svg', found('image', 'svg')],
    ['content', 'css-background-image', found('property', 'background-image')],
    ['content', 'html-background', found('attribute', 'background')],
    ['content', 'css-pseudo-element-before', found('selector', ':before')],
    ['content', 'css-pseudo-element-after', found('selector', ':after')],
    ['layout', 'css-display-flex', found('value', 'display:flex', 'display:inline-flex')],
    ['layout', 'css-display-grid', found('value', 'display:grid', 'display:inline-grid')],
    ['layout', 'css-float', found('property', 'float')],
    ['layout', 'css-position', found('property', 'position')],
    ['layout', 'css-gap', found('property', 'gap', 'column-gap', 'row-gap')],
    ['layout', 'css-column-count', found('property', 'column-count', 'columns')],
    ['layout', 'css-transform', found('property', 'transform')],
    ['layout', 'css-object-fit', found('property', 'object-fit')],
    ['layout', 'css-variables', found('function', 'var')],
    ['layout', 'css-unit-calc', found('function', 'calc')],
    ['layout', 'css-function-clamp', found('function', 'clamp')],
    ['layout', 'css-at-import', found('rule', 'import')],
    ['layout', 'css-overflow', found('property', 'overflow')],
    ['layout', 'html-dialog', found('element', 'dialog')],
    ['layout', 'html-srcset', found('attribute', 'srcset')],
    ['look', 'html-style', found('element', 'style')],
    ['look', 'html-link', found('element', 'link')],
    ['look', 'css-at-media', found('rule', 'media')],
    ['look', 'css-at-media-prefers-color-scheme', found('rule', 'prefers-color-scheme')],
    ['look', 'css-at-font-face', found('rule', 'font-face')],
    ['look', 'css-at-keyframes', found('rule', 'keyframes')],
    ['look', 'css-at-supports', found('rule', 'supports')],
    ['look', 'css-pseudo-class-hover', found('selector', ':hover')],
    ['look', 'css-animation', found('property', 'animation')],
    ['look', 'css-transition', found('property', 'transition')],
    ['look', 'css-box-shadow', found('property', 'box-shadow')],
    ['look', 'css-text-shadow', found('property', 'text-shadow')],
    ['look', 'css-border-radius', found('property', 'border-radius')],
    ['look', 'css-opacity', found('property', 'opacity')],
    ['look', 'css-filter', found('property', 'filter')],
    ['look', 'css-linear-gradient', found('function', 'linear-gradient')],
    ['look', 'css-radial-gradient', found('function', 'radial-gradient')],
    ['look', 'css-rgba', found('function', 'rgba')],
    ['look', 'css-max-width', found('property', 'max-width')],
    ['look', 'css-letter-spacing', found('property', 'letter-spacing')],
    ['look', 'css-hyphens', found('property', 'hyphens')],
    ['look', 'css-text-overflow', found('property', 'text-overflow')],
  ];

interface Feature {
  readonly slug: string;
  readonly title: string;
  readonly url: string;
  readonly stats: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
}
interface Source {
  readonly last_update_date: string;
  readonly data: readonly Feature[];
}

/** The newest version that was tested. `y` is left out, and so is what no one has tested (`u`). */
const supportOf = ({ stats }: Feature): Record<string, 'n' | 'a'> =>
  Object.fromEntries(
    Object.entries(CLIENTS).flatMap(([client, [family, platform]]) => {
      const level = Object.values(stats[family]?.[platform] ?? {})
        .at(-1)
        ?.slice(0, 1);
      return level === 'n' || level === 'a' ? [[client, level]] : [];
    }),
  );

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node bin/client-support.ts package/data/caniemail.json');
const source: Source = JSON.parse(readFileSync(file, 'utf8'));
const features = FEATURES.flatMap(([effect, slug, keys]) => {
  const feature = source.data.find((one) => one.slug === slug);
  if (feature === undefined) throw new Error(`the data have no ${slug} any more`);
  const support = supportOf(feature);
  return Object.keys(support).length === 0
    ? []
    : [{ title: feature.title, url: feature.url, effect, keys, support }];
});
const made = {
  source: 'https://www.caniemail.com, by the package caniemail',
  licence: 'MIT, Copyright Avi Goldman, Copyright Andrew Powell',
  updated: source.last_update_date.slice(0, 10),
  features,
};
const lines = features.map((one) => `    ${JSON.stringify(one)}`).join(',\n');
const { features: _, ...head } = made;
const text = `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "features": [\n${lines}\n  ]\n}\n`;
writeFileSync(join(import.meta.dirname, '../src/intake/content-check/client-support.json'), text);
console.log(`${features.length} of ${FEATURES.length} features, of ${made.updated}`);
