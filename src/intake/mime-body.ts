// The parts of a submitted message as text, HTML and attachments. Pure.
//
// An alternative gives its plainest text and its richest HTML. Parts of a sequence are joined; where one of them has no text
// form, the text is made from the HTML later, so that both have the same content. Parts that only some programs show
// (text/watch-html, text/enriched) are left out of an alternative, and an invitation in it becomes a file.
import { attachmentPolicy, meantType, typeOfFilename } from '#src/intake/content/attachment-policy.ts';
import { AppError } from '#src/kernel/errors.ts';
import { decodeText } from '#src/mail/decode-text.ts';
import { unflow } from '#src/mail/flowed-text.ts';
import type { MimePart } from '#src/mail/mime-parts.ts';
import type { DraftAttachment } from './draft.ts';
import { withPlainReferences } from './inline-images.ts';
import { MAX_TEXT } from './send-fields.ts';

/** A piece of the body in each of its forms. */
interface Body {
  readonly text: string | null;
  readonly html: string | null;
}

export interface MimeContent extends Body {
  readonly attachments: readonly DraftAttachment[];
}

const nothing: Body = { text: null, html: null };

/** A signature or encryption would not survive the changes made here; a report is no message to people. */
const REFUSED: Readonly<Record<string, string>> = {
  'multipart/signed': 'Turn off the signature in the mail program: the service signs each message itself.',
  'multipart/encrypted': 'Encrypted mail cannot be taken over; turn encryption off, or send it another way.',
  'application/pkcs7-mime': 'Turn off S/MIME in the mail program: the service signs each message itself.',
  'application/x-pkcs7-mime': 'Turn off S/MIME in the mail program: the service signs each message itself.',
  'application/ms-tnef': 'In Outlook, set the format of the message to HTML or plain text.',
  'application/vnd.ms-tnef': 'In Outlook, set the format of the message to HTML or plain text.',
  'multipart/report': 'Delivery reports and read receipts are not sent through this service.',
  'message/partial': 'Send the message in one piece.',
};

const refuse = ({ type }: MimePart): void => {
  const hint = REFUSED[type];
  if (hint === undefined) return;
  throw new AppError('unsupported_media_type', `A message with a part of type ${type} is not taken.`, {
    hint,
  });
};

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const asHtml = (text: string): string =>
  `<div style="white-space:pre-wrap">${text.replace(/[&<>"]/g, (found) => escapes[found] ?? found)}</div>`;

const refuseTooLong = (length: number): void => {
  if (length <= MAX_TEXT) return;
  throw new AppError('invalid_request', 'The text of the message is too long.', {
    hint: 'Send long content as an attachment.',
    extra: { fields: [{ path: 'text', message: 'is too long' }] },
  });
};

const readText = ({ content, charset, flowed }: MimePart): string => {
  const text = decodeText(content, charset).replace(/\r\n?/g, '\n').replace(/\0/g, '').toWellFormed();
  refuseTooLong(text.length);
  return flowed === null ? text : unflow(text, flowed.delSp);
};

const HEAD_CHARACTERS = 4_096;
/** The text is UTF-8 now, whatever character set the HTML declares. */
const withoutCharset = (html: string): string =>
  html
    .slice(0, HEAD_CHARACTERS)
    .replace(/(<meta\b[^<>]{0,200}\bcharset\s{0,5}=\s{0,5}["']?)[\w-]{1,40}/gi, '$1utf-8') +
  html.slice(HEAD_CHARACTERS);

const isText = ({ type }: MimePart): boolean => type === 'text/plain' || type === 'text/html';
const isBody = (part: MimePart): boolean =>
  isText(part) && part.disposition !== 'attachment' && (part.filename === null || part.disposition === null);

const leafBody = (part: MimePart): Body => {
  const text = readText(part);
  if (part.type === 'text/plain') return { text, html: null };
  return { text: null, html: withoutCharset(text) };
};

const alternative = (bodies: readonly Body[]): Body => ({
  text: bodies.find(({ text }) => text !== null)?.text ?? null,
  html: bodies.findLast(({ html }) => html !== null)?.html ?? null,
});

const sequence = (bodies: readonly Body[]): Body => {
  const said = bodies.filter(({ text, html }) => text !== null || html !== null);
  const texts = said.map(({ text }) => text);
  const hasHtml = said.some(({ html }) => html !== null);
  // Before the text is escaped, which makes it several times as long.
  refuseTooLong(said.reduce((sum, { text, html }) => sum + (html ?? text ?? '').length, 0));
  const html = hasHtml ? said.map((body) => body.html ?? asHtml(body.text ?? '')).join('\n') : null;
  refuseTooLong(html?.length ?? 0);
  return { text: said.length > 0 && !texts.includes(null) ? texts.join('\n') : null, html };
};

/** Further forms of the content of an alternative, beside text and HTML. */
const isOtherForm = ({ type, disposition, filename }: MimePart): boolean =>
  type.startsWith('text/') && type !== 'text/calendar' && disposition !== 'attachment' && filename === null;

/** Adds every part that is no body to `files`. */
const walk = (part: MimePart, files: MimePart[], inAlternative: boolean): Body => {
  refuse(part);
  if (part.type.startsWith('multipart/')) {
    const isAlternative = part.type === 'multipart/alternative';
    const bodies = part.children.map((child) => walk(child, files, isAlternative));
    return isAlternative ? alternative(bodies) : sequence(bodies);
  }
  if (isBody(part)) return leafBody(part);
  if (!(inAlternative && isOtherForm(part))) files.push(part);
  return nothing;
};

const nameFor = (type: string, position: number): string => {
  const extension = attachmentPolicy.allowed_extensions.find(
    (candidate) => typeOfFilename(`x.${candidate}`) === type,
  );
  const stem = type === 'text/calendar' ? 'invite' : `attachment-${position + 1}`;
  return extension === undefined ? stem : `${stem}.${extension}`;
};

const SAFE_ID = /^[\w.!#$*+/^`{|}~@-]{1,200}$/;

/** Finds all references in one pass over the HTML; a search for each id would be one pass each. */
const REFERENCE = /cid:([^\s"'<>(),;&]{1,400})/g;

/** The ids of all references, in lower case and still encoded. */
const referencesIn = (html: string): ReadonlySet<string> => {
  const found = new Set<string>();
  // An attribute's value without quotes may end with the tag.
  for (const [, id = ''] of html.toLowerCase().matchAll(REFERENCE)) found.add(id).add(id.replace(/\/$/, ''));
  return found;
};

const isShown = (id: string, references: ReadonlySet<string>): boolean =>
  [id, encodeURIComponent(id)].some((form) => references.has(form.toLowerCase()));

/** An invitation often comes twice, as an alternative and as a file. */
const isAgain = (part: MimePart, index: number, files: readonly MimePart[]): boolean =>
  part.type === 'text/calendar' &&
  part.filename === null &&
  files.some((other, at) => at !== index && other.filename !== null && other.content.equals(part.content));

const toAttachments = (found: readonly MimePart[], html: string | null): DraftAttachment[] => {
  const taken = new Set<string>();
  const files = found.filter((part, index) => !isAgain(part, index, found));
  const references = referencesIn(html ?? '');
  return files.map(({ type, filename, contentId, content }, position) => {
    const name = filename?.normalize('NFC') ?? nameFor(type, position);
    const isInline =
      contentId !== null &&
      SAFE_ID.test(contentId) &&
      !taken.has(contentId) &&
      isShown(contentId, references);
    if (isInline) taken.add(contentId);
    return {
      filename: name,
      contentType: meantType(type, name),
      contentId: isInline ? contentId : null,
      content,
    };
  });
};

/** Throws AppError for what cannot be taken over as it is. */
export const contentOf = (root: MimePart): MimeContent => {
  const files: MimePart[] = [];
  const { text, html } = walk(root, files, false);
  const attachments = toAttachments(files, html);
  const ids = attachments.flatMap(({ contentId }) => contentId ?? []);
  return {
    text: html === null ? (text ?? '') : text,
    html: html && withPlainReferences(html, ids),
    attachments,
  };
};
