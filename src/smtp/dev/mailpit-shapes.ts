// Captured mails in the shapes of mailpit's API: names and types are those of its OpenAPI document. Pure.
import { createHash } from 'node:crypto';
import { fieldValue } from '#src/mail/field-block.ts';
import type { CapturedMail } from './mailbox.ts';
import type { Captured, CapturedFile } from './read-captured.ts';

const summary = (mail: CapturedMail) => ({
  ID: mail.id,
  MessageID: mail.MessageID,
  Read: mail.isRead,
  From: mail.From,
  To: mail.To,
  Cc: mail.Cc,
  Bcc: mail.Bcc,
  ReplyTo: mail.ReplyTo,
  Subject: mail.Subject,
  Created: new Date(mail.created).toISOString(),
  Username: mail.username,
  Tags: [],
  Size: mail.Size,
  Attachments: mail.Attachments,
  Snippet: mail.snippet,
});

/** A page of `found`, which all mails of the mailbox are or the search has found. */
export const messagesSummary = (
  all: readonly CapturedMail[],
  found: readonly CapturedMail[],
  { start, limit }: { readonly start: number; readonly limit: number },
) => {
  const unreadOf = (mails: readonly CapturedMail[]): number => mails.filter(({ isRead }) => !isRead).length;
  const messages = found.slice(start, start + limit).map(summary);
  return {
    total: all.length,
    unread: unreadOf(all),
    count: messages.length,
    messages_count: found.length,
    messages_unread: unreadOf(found),
    start,
    tags: [],
    messages,
  };
};

const digest = (algorithm: string, content: Buffer): string =>
  createHash(algorithm).update(content).digest('hex');

const attachment = ({ partId, filename, type, contentId, content }: CapturedFile) => ({
  PartID: partId,
  FileName: filename,
  ContentType: type,
  ContentID: contentId,
  Size: content.length,
  Checksums: {
    MD5: digest('md5', content),
    SHA1: digest('sha1', content),
    SHA256: digest('sha256', content),
  },
});

/** Go's and mailpit's spelling of a field's name: `message-id` becomes `Message-Id`. */
const spelled = (name: string): string =>
  name.replace(/(^|-)([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());

export const headersOf = ({ fields }: Captured): Record<string, string[]> => {
  const headers: Record<string, string[]> = {};
  for (const { name, value } of fields) headers[spelled(name)] = [...(headers[spelled(name)] ?? []), value];
  return headers;
};

const listUnsubscribe = ({ fields }: Captured) => {
  const header = fieldValue(fields, 'list-unsubscribe') ?? '';
  return {
    Header: header,
    Links: [...header.matchAll(/<([^<>]+)>/g)].map(([, link = '']) => link.trim()),
    Errors: '',
    HeaderPost: fieldValue(fields, 'list-unsubscribe-post') ?? '',
  };
};

export const message = (mail: CapturedMail, captured: Captured) => {
  const { fields, text, html, files } = captured;
  const date = Date.parse(fieldValue(fields, 'date') ?? '');
  const returnPath = (fieldValue(fields, 'return-path') ?? '').replace(/^<|>$/g, '');
  return {
    ID: mail.id,
    MessageID: mail.MessageID,
    From: mail.From,
    To: mail.To,
    Cc: mail.Cc,
    Bcc: mail.Bcc,
    ReplyTo: mail.ReplyTo,
    ReturnPath: returnPath || mail.From.Address,
    Subject: mail.Subject,
    ListUnsubscribe: listUnsubscribe(captured),
    Date: new Date(Number.isNaN(date) ? mail.created : date).toISOString(),
    Tags: [],
    Username: mail.username,
    Text: text,
    HTML: html,
    Size: mail.Size,
    Inline: files.filter(({ isInline }) => isInline).map(attachment),
    Attachments: files.filter(({ isInline }) => !isInline).map(attachment),
  };
};

/** The HTML with the images that the mail carries at their addresses here. */
export const shownHtml = (mail: CapturedMail, { html, files }: Captured): string =>
  files
    .filter(({ contentId }) => contentId !== '')
    .reduce(
      (text, { contentId, partId }) =>
        text.replaceAll(`cid:${contentId}`, `/api/v1/message/${mail.id}/part/${partId}`),
      html,
    );
