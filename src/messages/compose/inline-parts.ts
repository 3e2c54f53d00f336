// Inline images: the HTML names them by `cid:<id>`, a URL whose rest is an addr-spec (RFC 2392 §2), as in Content-ID
// (RFC 2045 §7). Most senders give ids without a domain; both places then get the From host. A part that the HTML does not
// name becomes an ordinary attachment, because no program would show it otherwise. Pure.
import type { AttachmentRow } from '#src/messages/store.ts';
import type { Attachment } from './message.ts';

/** The characters of an id, without those that can also follow one: quotes, and `&`, which can begin a quote. */
const ID_GOES_ON = '[\\w.!#$%*+/^`{|}~@-]';

const withDomain = (id: string, host: string): string =>
  /^[^@]+@[^@]+$/.test(id) ? id : `${id.replaceAll('@', '.')}@${host}`;

export const plain = ({ filename, content_type, content }: AttachmentRow): Attachment => ({
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
