// Text and HTML of one recipient's copy: the sender's, with this copy's way out where placeholders ask for it, its own
// links where clicks are tracked, and below it the footer and the image by which opens are. All else stays as it was
// written. What all copies share is worked out once.
import { escapeHtml } from '#src/kernel/page.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Span } from '#src/mail/html-tags.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { UNSUBSCRIBE_PLACEHOLDER } from '#src/mail/merge-fields.ts';
import { textOfHtml } from '#src/mail/plain-text.ts';
import type { MessageFooter, MessageSettings } from '#src/messages/settings.ts';
import type { BodyRow } from '#src/messages/store.ts';
import { footerPlace, htmlFooter, textFooter } from './footer.ts';
import { linkInlineParts } from './inline-parts.ts';
import type { Attachment, Copy, StoredMessage } from './message.ts';
import { openImage, type TrackedLink, trackedLinks } from './tracking.ts';

/** What each copy has of its own in a place; an object: a link that leads through the service. */
type Hole = 'way out' | 'footer' | 'open image' | TrackedLink;

/** What stands between the holes: one piece more than there are of them. */
interface Layout {
  readonly pieces: readonly string[];
  readonly holes: readonly Hole[];
  readonly hasWayOut: boolean;
}

interface Shared {
  readonly text: Layout | null;
  readonly html: Layout | null;
  readonly attachments: readonly Attachment[];
}

interface Mark extends Span {
  readonly hole: Hole;
}

/** Marks do not overlap; those at one place stay in their order. */
const layOut = (content: string, marks: readonly Mark[]): Layout => {
  const inOrder = marks.toSorted((a, b) => a.start - b.start);
  const starts = [...inOrder.map(({ start }) => start), content.length];
  const ends = [0, ...inOrder.map(({ end }) => end)];
  return {
    pieces: starts.map((start, index) => content.slice(ends[index], start)),
    holes: inOrder.map(({ hole }) => hole),
    hasWayOut: inOrder.some(({ hole }) => hole === 'way out'),
  };
};

const at = (start: number, hole: Hole): Mark => ({ start, end: start, hole });

const waysOut = (content: string): Mark[] =>
  Array.from(content.matchAll(UNSUBSCRIBE_PLACEHOLDER), ({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
    hole: 'way out',
  }));

const layOutText = (text: string): Layout => layOut(text, [...waysOut(text), at(text.length, 'footer')]);

const layOutHtml = (html: string, settings: MessageSettings, origin: string): Layout => {
  const links = settings.track_clicks ? trackedLinks(html, origin) : [];
  const bottom = footerPlace(html);
  return layOut(html, [
    ...waysOut(html),
    ...links.map((link) => ({ start: link.start, end: link.end, hole: link })),
    at(bottom, 'footer'),
    ...(settings.track_opens ? [at(bottom, 'open image')] : []),
  ]);
};

const share = (
  { message, body, attachments: rows }: StoredMessage,
  settings: MessageSettings,
  origin: string,
): Shared => {
  const from: Mailbox = JSON.parse(message.from_json);
  const { html, attachments } = linkInlineParts(body.html, rows, addressDomain(from.address));
  const text = body.text ?? (settings.plain_text_fallback && html !== null ? textOfHtml(html) : null);
  // Messages of versions that had no footer stay what they were.
  const isPlain = settings.footer === undefined;
  return {
    text: text === null ? null : isPlain ? layOut(text, []) : layOutText(text.trimEnd()),
    html: html === null ? null : isPlain ? layOut(html, []) : layOutHtml(html, settings, origin),
    attachments,
  };
};

/** For all copies of a message that are under way together. */
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
    if (hole === 'way out') return copy.unsubscribeUrl ?? '';
    return hole === 'footer' && footer ? textFooter(footer, copy, !layout.hasWayOut) : '';
  });

const fillHtml = (layout: Layout, footer: MessageFooter | undefined, copy: Copy): string => {
  const { unsubscribeUrl, tracking } = copy;
  return fill(layout, (hole) => {
    if (hole === 'way out') return escapeHtml(unsubscribeUrl ?? '');
    if (hole === 'footer') return footer ? htmlFooter(footer, copy, !layout.hasWayOut) : '';
    if (hole === 'open image') return openImage(tracking.openUrl());
    return escapeHtml(tracking.clickUrl(hole.url));
  });
};

/** A copy that has no way out of its own has nothing in the place of the link. */
export const contentOfCopy = (
  stored: StoredMessage,
  settings: MessageSettings,
  copy: Copy,
): { text: string | null; html: string | null; attachments: readonly Attachment[] } => {
  const { text, html, attachments } = sharedOf(stored, settings, copy.service.origin);
  return {
    text: text && fillText(text, settings.footer, copy),
    html: html && fillHtml(html, settings.footer, copy),
    attachments,
  };
};
