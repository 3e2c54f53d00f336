// What of HTML and CSS a mail uses, and its images, as far as it matters to mail programs. Conditional comments are left out: only
// Outlook reads them, and whoever writes them means it. Pure.
import { decodeHTMLAttribute } from 'entities';
import { type HtmlTag, rawElements, rawEnd, readComment, readTag } from '#src/mail/html-tags.ts';

/** The most tags and attributes that are read. */
const MAX_STEPS = 100_000;
const MAX_IMAGES = 200;
const EXCERPT = 80;
const SLASH = 47;

export interface ShownImage {
  readonly src: string;
  /** Null: it has no alternative text at all, not even an empty one. */
  readonly alt: string | null;
  readonly isLinked: boolean;
}

export interface MailReading {
  /** What it uses, named as in client-support.json, and where first: the beginning of the tag or rule. */
  readonly used: ReadonlyMap<string, string>;
  readonly images: readonly ShownImage[];
}

const DECLARATION = /(?<![\w-])([a-z-]{2,40})\s{0,5}:\s{0,5}([^;{}]{1,400})/gi;
const FUNCTION = /\b([a-z-]{3,20})\(/gi;
const RULE = /@([a-z-]{3,20})/gi;
const SELECTOR = /::?(before|after|hover)\b/gi;
const FORMAT = /\.(webp|avif|svg)(?:[?#]|$)/i;

export const readMail = (html: string): MailReading => {
  const used = new Map<string, string>();
  const images: ShownImage[] = [];
  let steps = 0;
  let isLinked = false;

  const note = (key: string, where: string): void => {
    if (!used.has(key)) used.set(key, where.slice(0, EXCERPT));
  };
  const noteDeclarations = (css: string): void => {
    for (const [whole, name = '', value = ''] of css.matchAll(DECLARATION)) {
      const property = name.toLowerCase();
      note(`property:${property}`, whole);
      note(
        `value:${property}:${value
          .trim()
          .toLowerCase()
          .replace(/\s*!important$/, '')}`,
        whole,
      );
      for (const [, called = ''] of value.matchAll(FUNCTION)) note(`function:${called.toLowerCase()}`, whole);
    }
  };
  const noteStyleSheet = (given: string): void => {
    const css = given.replace(/\/\*.*?\*\//gs, '');
    for (const [whole, rule = ''] of css.matchAll(RULE)) note(`rule:${rule.toLowerCase()}`, whole);
    if (/prefers-color-scheme/i.test(css)) note('rule:prefers-color-scheme', 'prefers-color-scheme');
    for (const [whole, name = ''] of css.matchAll(SELECTOR)) note(`selector::${name.toLowerCase()}`, whole);
    for (const [, body = ''] of css.matchAll(/\{([^{}]*)\}/g)) noteDeclarations(body);
  };

  const noteTag = ({ name, attributes }: HtmlTag, where: string): void => {
    const valueIn = (attribute: string): string | null => {
      const span = attributes.get(attribute);
      return span === undefined ? null : decodeHTMLAttribute(html.slice(span.start, span.end)).trim();
    };
    note(`element:${name}`, where);
    for (const attribute of attributes.keys()) note(`attribute:${attribute}`, where);
    noteDeclarations(valueIn('style') ?? '');
    if (name === 'a') isLinked = attributes.has('href');
    if (name === 'a' && valueIn('href')?.startsWith('#')) note('link:anchor', where);
    const src = name === 'img' ? (valueIn('src') ?? '') : null;
    if (src === null) return;
    if (/^data:/i.test(src)) note('image:data', where);
    const format = FORMAT.exec(src)?.[1];
    if (format !== undefined) note(`image:${format.toLowerCase()}`, where);
    if (images.length < MAX_IMAGES) images.push({ src, alt: valueIn('alt'), isLinked });
  };

  /** Where reading goes on behind what begins at `at`. */
  const readAt = (at: number): number => {
    if (html.startsWith('<!--', at)) return readComment(html, at)?.end ?? html.length;
    const isEnd = html.charCodeAt(at + 1) === SLASH;
    if (!/[a-z]/i.test(html.charAt(at + (isEnd ? 2 : 1)))) return at + 1;
    const tag = readTag(html, at + (isEnd ? 2 : 1), MAX_STEPS - steps, () => true);
    steps += 1 + tag.attributeCount;
    if (tag.end === null) return html.length;
    if (isEnd) {
      if (tag.name === 'a') isLinked = false;
      return tag.end;
    }
    noteTag(tag, html.slice(at, tag.end));
    if (!rawElements.has(tag.name)) return tag.end;
    const end = rawEnd(html, tag.name, tag.end);
    if (tag.name === 'style') noteStyleSheet(html.slice(tag.end, end === -1 ? html.length : end));
    return end === -1 ? html.length : end;
  };

  for (let at = html.indexOf('<'); at !== -1 && steps < MAX_STEPS; at = html.indexOf('<', at))
    at = readAt(at);
  return { used, images };
};
