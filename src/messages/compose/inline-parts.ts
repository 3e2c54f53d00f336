// Inline images: the HTML names them by `cid:<id>`, a URL whose rest is an addr-spec (RFC 2392 §2), as Content-ID wants
// it (RFC 2045 §7). Senders mostly give ids without a domain: they get the From host's, in both places. What the HTML does
// not name is an ordinary attachment, or nobody would see it. Pure.
import type { AttachmentRow } from '#src/messages/store.ts';
import type { Attachment } from './message.ts';

/** What may stand in an id, but what may also stand behind one: the quote, and `&`, with which a quote can be written. */
const ID_GOES_ON = '[\\w.!#$%*+/^`{|}~@-]';

const withDomain = (id: string, host: string): string =>
  /^[^@]+@[^@]+$/.test(id) ? id : `${id.replaceAll('@', '.')}@${host}`;

const plain = ({ filename, content_type, content }: AttachmentRow): Attachment => ({
  filename,
  contentType: content_type,
  content,
});

export const linkInlineParts = (
  html: string | null,
  rows: readonly AttachmentRow[],
  host: string,
): { html: string | null; attachments: Attachment[] } => {
  const ids = rows.flatMap(({ content_id }) => (content_id === null ? [] : [content_id]));
  if (html === null || ids.length === 0) return { html, attachments: rows.map(plain) };
  const named = new Set<string>();
  const longestFirst = ids.toSorted((a, b) => b.length - a.length).map(RegExp.escape);
  const reference = new RegExp(`cid:(${longestFirst.join('|')})(?!${ID_GOES_ON})`, 'gi');
  const linked = html.replace(reference, (found, id: string) => {
    if (!ids.includes(id)) return found;
    named.add(id);
    return `cid:${withDomain(id, host)}`;
  });
  const attachments = rows.map((row) =>
    row.content_id !== null && named.has(row.content_id)
      ? { ...plain(row), contentId: withDomain(row.content_id, host) }
      : plain(row),
  );
  return { html: linked, attachments };
};
