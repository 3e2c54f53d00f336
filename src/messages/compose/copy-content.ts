// Text and HTML of one recipient's copy: the sender's content with this copy's link to unsubscribe in the placeholders, its
// own tracked links, and the footer and the image that records opens below. Everything else stays as written. The work that
// all copies share is done once.
import { escapeHtml } from '#src/kernel/page.ts';
import { addressDomain } from '#src/mail/address.ts';
import { FOOT } from '#src/mail/document/look.ts';
import type { Span } from '#src/mail/html-tags.ts';
import { UNSUBSCRIBE_PLACEHOLDER } from '#src/mail/merge-fields.ts';
import { textOfHtml } from '#src/mail/plain-text.ts';
import type { MessageFooter, MessageSettings } from '#src/messages/settings.ts';
import type { BodyRow } from '#src/messages/store.ts';
import { type SubmittedPart, type SubmittedText, wholeText } from '#src/messages/submitted-part.ts';
import { footerPlace, htmlFooter, textFooter } from './footer.ts';
import { linkInlineParts, plain } from './inline-parts.ts';
import type { Attachment, Copy, OutgoingMessage, StoredMessage } from './message.ts';
import { parsedMessage } from './parsed-message.ts';
import { openImage, type TrackedLink, trackedLinks } from './tracking.ts';

/** A part of the content that differs between copies. A `TrackedLink` becomes a link through the service. */
type Hole = 'unsubscribe link' | 'footer' | 'open image' | TrackedLink;

/** `pieces` are the text around the holes: one more than there are holes. */
interface Layout {
  readonly pieces: readonly string[];
  readonly holes: readonly Hole[];
  readonly hasUnsubscribe: boolean;
}

interface Shared {
  readonly text: Layout | null;
  readonly html: Layout | null;
  readonly attachments: readonly Attachment[];
  readonly parts: SubmittedPart | null;
  /** The layouts of the parts that have text or HTML of their own. */
  readonly layouts: ReadonlyMap<SubmittedText, Layout>;
}

interface Mark extends Span {
  readonly hole: Hole;
}

/** Marks do not overlap; marks at the same place keep their order. */
const layOut = (content: string, marks: readonly Mark[]): Layout => {
  const inOrder = marks.toSorted((a, b) => a.start - b.start);
  const starts = [...inOrder.map(({ start }) => start), content.length];
  const ends = [0, ...inOrder.map(({ end }) => end)];
  return {
    pieces: starts.map((start, index) => content.slice(ends[index], start)),
    holes: inOrder.map(({ hole }) => hole),
    hasUnsubscribe: inOrder.some(({ hole }) => hole === 'unsubscribe link'),
  };
};

const at = (start: number, hole: Hole): Mark => ({ start, end: start, hole });

const unsubscribeMarks = (content: string): Mark[] =>
  Array.from(content.matchAll(UNSUBSCRIBE_PLACEHOLDER), ({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
    hole: 'unsubscribe link',
  }));

const layOutText = (text: string, isLast = true): Layout =>
  layOut(text, [...unsubscribeMarks(text), ...(isLast ? [at(text.length, 'footer')] : [])]);

const layOutHtml = (html: string, settings: MessageSettings, origin: string, isLast = true): Layout => {
  const links = settings.track_clicks ? trackedLinks(html, origin) : [];
  const bottom = footerPlace(html);
  // The mark of the place goes, so that it is not in what is quoted of the mail.
  const below = html.startsWith(FOOT, bottom) ? bottom + FOOT.length : bottom;
  return layOut(html, [
    ...unsubscribeMarks(html),
    ...links.map((link) => ({ start: link.start, end: link.end, hole: link })),
    ...(isLast ? [{ start: bottom, end: below, hole: 'footer' as const }] : []),
    ...(isLast && settings.track_opens ? [at(below, 'open image')] : []),
  ]);
};

const textsOf = (part: SubmittedPart): SubmittedText[] => {
  if ('parts' in part) return part.parts.flatMap(textsOf);
  return 'form' in part ? [part] : [];
};

const layOutParts = (
  parts: SubmittedPart,
  settings: MessageSettings,
  origin: string,
): Map<SubmittedText, Layout> => {
  const layouts = new Map<SubmittedText, Layout>();
  for (const part of textsOf(parts)) {
    const { content, isLast } = part;
    if (content === null) continue;
    const text = isLast ? content.trimEnd() : content;
    const layout =
      part.form === 'text' ? layOutText(text, isLast) : layOutHtml(content, settings, origin, isLast);
    layouts.set(part, layout);
  }
  return layouts;
};

const isWholeHtml = (part: SubmittedPart | undefined): boolean =>
  part !== undefined && 'form' in part && part.form === 'html' && part.content === null;

/** The part with the text that was made from the HTML beside it, and beside the images that belong to it (RFC 2387 §3.1). */
const withMadeText = (part: SubmittedPart): SubmittedPart => {
  const inner = 'parts' in part && part.type.startsWith('multipart/related') ? part.parts[0] : part;
  if (isWholeHtml(inner)) return { type: 'multipart/alternative', fields: '', parts: [wholeText, part] };
  return 'parts' in part ? { ...part, parts: part.parts.map(withMadeText) } : part;
};

const share = (
  { message, body, attachments: rows }: StoredMessage,
  settings: MessageSettings,
  origin: string,
): Shared => {
  const { from } = parsedMessage(message);
  const submitted: SubmittedPart | null = body.parts_json === null ? null : JSON.parse(body.parts_json);
  const { html, attachments } = submitted
    ? { html: body.html, attachments: rows.map(plain) }
    : linkInlineParts(body.html, rows, addressDomain(from.address));
  const text = body.text ?? (settings.plain_text_fallback && html !== null ? textOfHtml(html) : null);
  // Messages that were stored by a version without footers are composed as before.
  const isPlain = settings.footer === undefined;
  const parts = submitted && body.text === null && text !== null ? withMadeText(submitted) : submitted;
  return {
    text: text === null ? null : isPlain ? layOut(text, []) : layOutText(text.trimEnd()),
    html: html === null ? null : isPlain ? layOut(html, []) : layOutHtml(html, settings, origin),
    attachments,
    parts,
    layouts: parts ? layOutParts(parts, settings, origin) : new Map(),
  };
};

/** Shared by the copies of a message that are composed while its body row is in memory. */
const shared = new WeakMap<BodyRow, Shared>();

const sharedOf = (stored: StoredMessage, settings: MessageSettings, origin: string): Shared => {
  const known = shared.get(stored.body) ?? share(stored, settings, origin);
  shared.set(stored.body, known);
  return known;
};

const fill = ({ pieces, holes }: Layout, contentOf: (hole: Hole) => string): string => {
  let filled = pieces[0] ?? '';
  for (const [index, hole] of holes.entries()) filled += contentOf(hole) + (pieces[index + 1] ?? '');
  return filled;
};

const fillText = (layout: Layout, footer: MessageFooter | undefined, copy: Copy): string =>
  fill(layout, (hole) => {
    if (hole === 'unsubscribe link') return copy.unsubscribeUrl ?? '';
    return hole === 'footer' && footer ? textFooter(footer, copy, !layout.hasUnsubscribe) : '';
  });

const fillHtml = (layout: Layout, footer: MessageFooter | undefined, copy: Copy): string => {
  const { unsubscribeUrl, tracking } = copy;
  return fill(layout, (hole) => {
    if (hole === 'unsubscribe link') return escapeHtml(unsubscribeUrl ?? '');
    if (hole === 'footer') return footer ? htmlFooter(footer, copy, !layout.hasUnsubscribe) : '';
    if (hole === 'open image') return tracking ? openImage(tracking.openUrl()) : '';
    return escapeHtml(tracking ? tracking.clickUrl(hole.url) : hole.url);
  });
};

/** A copy without a link to unsubscribe has an empty text in its place. */
export const contentOfCopy = (
  stored: StoredMessage,
  settings: MessageSettings,
  copy: Copy,
): Pick<OutgoingMessage, 'text' | 'html' | 'attachments' | 'parts'> => {
  const { text, html, attachments, parts, layouts } = sharedOf(stored, settings, copy.service.origin);
  const { footer } = settings;
  const fillPart = (part: SubmittedPart): SubmittedPart => {
    if ('parts' in part) return { ...part, parts: part.parts.map(fillPart) };
    const layout = 'form' in part ? layouts.get(part) : undefined;
    if (!('form' in part) || !layout) return part;
    const content = part.form === 'text' ? fillText(layout, footer, copy) : fillHtml(layout, footer, copy);
    return { ...part, content };
  };
  return {
    text: text && fillText(text, footer, copy),
    html: html && fillHtml(html, footer, copy),
    attachments,
    parts: parts && fillPart(parts),
  };
};
