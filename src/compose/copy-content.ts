// Text and HTML of one recipient's copy: the sender's, with this copy's way out where placeholders ask for it, and the
// footer below. What all copies share is worked out once.
import { escapeHtml } from '#src/kernel/page.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import { UNSUBSCRIBE_PLACEHOLDER } from '#src/mail/merge-fields.ts';
import type { MessageSettings } from '#src/messages/settings.ts';
import type { BodyRow } from '#src/messages/store.ts';
import type { Copy, StoredMessage } from './copy.ts';
import { footerPlace, htmlFooter, textFooter } from './footer.ts';
import { linkInlineParts } from './inline-parts.ts';
import type { Attachment } from './message.ts';
import { textOfHtml } from './plain-text.ts';

/** Split where the copy's link goes; the footer goes between both. */
interface Layout {
  readonly head: readonly string[];
  readonly tail: readonly string[];
  readonly hasWayOut: boolean;
}

interface Shared {
  readonly text: Layout | null;
  readonly html: Layout | null;
  readonly attachments: readonly Attachment[];
}

const layOut = (content: string, footerAt: number): Layout => {
  const head = content.slice(0, footerAt).split(UNSUBSCRIBE_PLACEHOLDER);
  const tail = content.slice(footerAt).split(UNSUBSCRIBE_PLACEHOLDER);
  return { head, tail, hasWayOut: head.length + tail.length > 2 };
};

const whole = (content: string): Layout => ({ head: [content], tail: [''], hasWayOut: false });

const share = ({ message, body, attachments: rows }: StoredMessage, settings: MessageSettings): Shared => {
  const from: Mailbox = JSON.parse(message.from_json);
  const { html, attachments } = linkInlineParts(body.html, rows, addressDomain(from.address));
  const text = body.text ?? (settings.plain_text_fallback && html !== null ? textOfHtml(html) : null);
  // Messages of versions that had no footer stay what they were.
  const isPlain = settings.footer === undefined;
  return {
    text: text === null ? null : isPlain ? whole(text) : layOut(text.trimEnd(), text.length),
    html: html === null ? null : isPlain ? whole(html) : layOut(html, footerPlace(html)),
    attachments,
  };
};

/** For all copies of a message that are under way together. */
const shared = new WeakMap<BodyRow, Shared>();

const sharedOf = (stored: StoredMessage, settings: MessageSettings): Shared => {
  const known = shared.get(stored.body) ?? share(stored, settings);
  shared.set(stored.body, known);
  return known;
};

const fill = ({ head, tail }: Layout, link: string, footer: string): string =>
  head.join(link) + footer + tail.join(link);

/** A copy that has no way out of its own has nothing in the place of the link. */
export const contentOfCopy = (
  stored: StoredMessage,
  settings: MessageSettings,
  copy: Copy,
): { text: string | null; html: string | null; attachments: readonly Attachment[] } => {
  const { text, html, attachments } = sharedOf(stored, settings);
  const { footer } = settings;
  const link = copy.unsubscribeUrl ?? '';
  const below = (layout: Layout, write: typeof textFooter): string =>
    footer === undefined ? '' : write(footer, copy, !layout.hasWayOut);
  return {
    text: text && fill(text, link, below(text, textFooter)),
    html: html && fill(html, escapeHtml(link), below(html, htmlFooter)),
    attachments,
  };
};
