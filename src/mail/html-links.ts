// Finds the links of an HTML mail and the text that is shown for them. It reads tags as browsers do, and also Outlook's
// conditional comments, because Outlook reads those as markup. It needs linear time and stops at a bound of tags and
// attributes. Pure.
import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { type HtmlTag, rawElements, rawEnd, readComment, readTag, type Span } from './html-tags.ts';

/** The span of the address, without its quotes. */
export interface LinkPlace extends Span {
  /** Decoded and without the white space that browsers ignore; it may be relative. */
  readonly target: string;
  /** The text that is shown for the link, without invisible characters; only the beginning of a long text. */
  readonly text: string;
  /** Its author has marked it with `data-no-track`. */
  readonly isMarked: boolean;
}

/** The `v:` elements are buttons that Outlook draws (VML). */
const LINK_ELEMENTS: ReadonlySet<string> = new Set([
  'a',
  'area',
  'v:roundrect',
  'v:rect',
  'v:oval',
  'v:shape',
]);
const NO_TRACK = 'data-no-track';
const isWanted = (name: string): boolean => name === 'href' || name === NO_TRACK;

/** The most tags and attributes that are read, 20 ms of work. */
const MAX_STEPS = 100_000;
/** UTF-16 code units of a link's text, before it is decoded. */
const MAX_TEXT = 1_500;

/** `<!--[if mso]>`. Outlook reads the rest of the comment as markup. */
const CONDITION = /<!--\[if\b[^\]<>]{0,100}\]>/iy;
const SLASH = 47;
const SPACE = 32;
/** Soft hyphens, joiners and direction marks, which are not shown. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g;

/** URL parsers drop white space around an address, and tabs and line breaks in it (URL Standard 4.4). */
const targetOf = (written: string): string => {
  const decoded = decodeHTMLAttribute(written);
  let start = 0;
  let end = decoded.length;
  while (start < end && decoded.charCodeAt(start) <= SPACE) start += 1;
  while (end > start && decoded.charCodeAt(end - 1) <= SPACE) end -= 1;
  return decoded.slice(start, end).replace(/[\t\n\r]/g, '');
};

interface OpenLink {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly isMarked: boolean;
  text: string;
}

/** The first `limit` links, in their order. */
export const linksIn = (html: string, limit: number): LinkPlace[] => {
  const links: LinkPlace[] = [];
  let steps = 0;

  const isDone = (): boolean => steps >= MAX_STEPS || links.length >= limit;

  /** Reads the piece that begins at `offset`. A link that is open at its end ends there. */
  const read = (piece: string, offset: number, isConditional: boolean): void => {
    let link = null as OpenLink | null;

    const finish = (): void => {
      if (link === null || isDone()) return;
      const { start, end, text, isMarked } = link;
      const target = targetOf(piece.slice(start, end));
      const shown = decodeHTML(text).replace(INVISIBLE, '').trim();
      links.push({ start: offset + start, end: offset + end, target, text: shown, isMarked });
      link = null;
    };

    const open = ({ name, attributes }: HtmlTag): void => {
      if (!LINK_ELEMENTS.has(name)) return;
      finish();
      const href = attributes.get('href');
      if (href === undefined) return;
      link = { name, start: href.start, end: href.end, isMarked: attributes.has(NO_TRACK), text: '' };
      // An area has no content.
      if (name === 'area') finish();
    };

    const readCommentAt = (at: number): number => {
      CONDITION.lastIndex = at;
      const opened = CONDITION.test(piece) ? CONDITION.lastIndex : null;
      // Inside of a conditional comment only Outlook sees further comments, and they do not end.
      if (isConditional) return opened ?? piece.length;
      const comment = readComment(piece, at);
      if (comment === null) return piece.length;
      if (opened !== null && opened < comment.start)
        read(piece.slice(opened, comment.start), offset + opened, true);
      return comment.end;
    };

    /** Returns where reading goes on. */
    const readMarkup = (at: number): number => {
      steps += 1;
      if (piece.startsWith('<!--', at)) return readCommentAt(at);
      const isEnd = piece.charCodeAt(at + 1) === SLASH;
      const first = piece.charAt(at + (isEnd ? 2 : 1));
      if (!/[a-z]/i.test(first)) {
        if (!isEnd && first !== '!' && first !== '?') return at + 1;
        const closed = piece.indexOf('>', at);
        return closed === -1 ? piece.length : closed + 1;
      }
      const tag = readTag(piece, at + (isEnd ? 2 : 1), MAX_STEPS - steps, isWanted);
      steps += tag.attributeCount;
      if (tag.end === null) return piece.length;
      if (isEnd) {
        if (tag.name === link?.name) finish();
        return tag.end;
      }
      open(tag);
      if (!rawElements.has(tag.name)) return tag.end;
      const raw = rawEnd(piece, tag.name, tag.end);
      return raw === -1 ? piece.length : raw;
    };

    let at = 0;
    while (at < piece.length && !isDone()) {
      const tagStart = piece.indexOf('<', at);
      const textEnd = tagStart === -1 ? piece.length : tagStart;
      if (link !== null && link.text.length < MAX_TEXT)
        link.text += piece.slice(at, Math.min(textEnd, at + MAX_TEXT));
      if (tagStart === -1) break;
      at = readMarkup(tagStart);
    }
    finish();
  };

  read(html, 0, false);
  return links.toSorted((a, b) => a.start - b.start);
};

const SHOWN_HOST =
  /^(?:https?:\/\/)?((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}[\p{L}]{2,24})(?::\d{1,5})?(?:[/?#]\S{0,1000})?$/iu;

/** The host that a link's text shows, if the text is a host or a URL and nothing else; null otherwise. */
export const shownHost = (text: string): string | null => {
  if (text.length < 4 || text.length > 1_200 || !text.includes('.')) return null;
  const shown = SHOWN_HOST.exec(text.trim())?.[1];
  if (shown === undefined) return null;
  return URL.parse(`http://${shown}`)?.hostname ?? null;
};
