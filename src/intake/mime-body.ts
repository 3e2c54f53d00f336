// The parts of a submitted message: the tree as it leaves, its files, and what it says as one text and one HTML, which are what
// rules and people read. Pure.
//
// An alternative gives its text and its HTML. Parts of a sequence are joined; where one of them has no text form, the text is
// made from the HTML later, so that both have the same content. Left out of the tree are parts of an
// alternative that only some programs show (text/watch-html, text/enriched), because no rule reads them.
import { attachmentPolicy, meantType, typeOfFilename } from '#src/content/attachment-policy.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { decodeText } from '#src/mail/decode-text.ts';
import { unflow } from '#src/mail/flowed-text.ts';
import { isMultipart, type MimePart, type PartHead } from '#src/mail/mime-parts.ts';
import { type SubmittedPart, wholeText } from '#src/messages/submitted-part.ts';
import type { DraftAttachment } from './draft.ts';
import { headOfFile, headOfMultipart, headOfText, isBody } from './part-head.ts';
import { MAX_TEXT } from './send-fields.ts';
import { takeSigned } from './signed-parts.ts';

/** A piece of the body in each of its forms. */
interface Body {
  readonly text: string | null;
  readonly html: string | null;
}

export interface MimeContent extends Body {
  readonly attachments: readonly DraftAttachment[];
  readonly parts: SubmittedPart;
}

const nothing: Body = { text: null, html: null };

const CLEAR_SIGNED = say`Turn off encryption, and set S/MIME to send signatures in clear text.`;
/** Neither rules nor scanners can read what is encrypted or wrapped; a report is no message to people. */
const REFUSED: Readonly<Record<string, Text>> = {
  'multipart/encrypted': say`Encrypted mail cannot be taken over; turn encryption off, or send it another way.`,
  'application/pkcs7-mime': CLEAR_SIGNED,
  'application/x-pkcs7-mime': CLEAR_SIGNED,
  'application/ms-tnef': say`In Outlook, set the format of the message to HTML or plain text.`,
  'application/vnd.ms-tnef': say`In Outlook, set the format of the message to HTML or plain text.`,
  'multipart/report': say`Delivery reports and read receipts are not sent through this service.`,
  'message/partial': say`Send the message in one piece.`,
};

const refuse = ({ type }: MimePart): void => {
  const hint = REFUSED[type];
  if (hint === undefined) return;
  throw new AppError('unsupported_media_type', say`A message with a part of type ${type} is not taken.`, {
    hint,
  });
};

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const asHtml = (text: string): string =>
  `<div style="white-space:pre-wrap">${text.replace(/[&<>"]/g, (found) => escapes[found] ?? found)}</div>`;

const refuseTooLong = (length: number): void => {
  if (length <= MAX_TEXT) return;
  throw new AppError('invalid_request', say`The text of the message is too long.`, {
    hint: say`Send long content as an attachment.`,
    extra: { fields: [{ path: 'text', message: say`is too long` }] },
  });
};

const readText = ({ type, content, charset }: MimePart): string => {
  const text = decodeText(content, charset).replace(/\r\n?/g, '\n').replace(/\0/g, '').toWellFormed();
  refuseTooLong(text.length);
  return type === 'text/html' ? withoutCharset(text) : text;
};

const HEAD_CHARACTERS = 4_096;
/** The text is UTF-8 now, whatever character set the HTML declares. */
const withoutCharset = (html: string): string =>
  html
    .slice(0, HEAD_CHARACTERS)
    .replace(/(<meta\b[^<>]{0,200}\bcharset\s{0,5}=\s{0,5}["']?)[\w-]{1,40}/gi, '$1utf-8') +
  html.slice(HEAD_CHARACTERS);

const bodyOf = (form: 'text' | 'html', content: string, { flowed }: MimePart): Body => {
  if (form === 'html') return { text: null, html: content };
  return { text: flowed === null ? content : unflow(content, flowed.delSp), html: null };
};

/** Usually one text and one HTML. Of more, programs differ in which they show, so the rules read all of them. */
const joinAll = (given: readonly (string | null)[]): string | null => {
  const found = given.filter((one) => one !== null);
  refuseTooLong(found.reduce((sum, { length }) => sum + length, 0));
  return found.length === 0 ? null : found.join('\n');
};

const alternative = (bodies: readonly Body[]): Body => ({
  text: joinAll(bodies.map(({ text }) => text)),
  html: joinAll(bodies.map(({ html }) => html)),
});

const sequence = (bodies: readonly Body[]): Body => {
  const said = bodies.filter(({ text, html }) => text !== null || html !== null);
  const texts = said.map(({ text }) => text);
  const hasHtml = said.some(({ html }) => html !== null);
  // The length is checked before the text is escaped, which makes it several times as long.
  refuseTooLong(said.reduce((sum, { text, html }) => sum + (html ?? text ?? '').length, 0));
  const html = hasHtml ? said.map((body) => body.html ?? asHtml(body.text ?? '')).join('\n') : null;
  refuseTooLong(html?.length ?? 0);
  return { text: said.length > 0 && !texts.includes(null) ? texts.join('\n') : null, html };
};

/** Further forms of the content of an alternative, beside text and HTML. */
export const isOtherForm = ({ type, disposition, filename }: PartHead): boolean =>
  type.startsWith('text/') && type !== 'text/calendar' && disposition !== 'attachment' && filename === null;

const saysSomething = (part: MimePart): boolean =>
  isMultipart(part) ? part.children.some(saysSomething) : isBody(part);

const withoutParts = (): AppError =>
  new AppError('invalid_request', say`The message has a multipart without parts.`, {
    hint: say`Name the boundary that is between the parts, or send the text as text/plain.`,
    extra: { fields: [{ path: 'message', message: say`has a multipart without parts` }] },
  });

interface Place {
  readonly inAlternative: boolean;
  readonly isSigned: boolean;
  /** Whether nothing is said behind it in the same form. */
  readonly isLast: boolean;
}

/** `part` is null where it is left out. */
interface Walked {
  readonly body: Body;
  readonly part: SubmittedPart | null;
}

/** A part that is no body. */
interface FoundFile {
  readonly part: MimePart;
  readonly isSigned: boolean;
}

/** Adds every part that is no body to `files`. */
const walk = (part: MimePart, files: FoundFile[], place: Place): Walked => {
  const { inAlternative, isSigned, isLast } = place;
  refuse(part);
  if (part.type === 'multipart/signed') {
    const { signed, content } = takeSigned(part);
    return {
      body: walk(content, files, { ...place, inAlternative: false, isSigned: true }).body,
      part: signed,
    };
  }
  if (isMultipart(part)) {
    if (part.children.length === 0) throw withoutParts();
    const isAlternative = part.type === 'multipart/alternative';
    const last = part.children.findLastIndex(saysSomething);
    const walked = part.children.map((child, index) =>
      walk(child, files, {
        isSigned,
        inAlternative: isAlternative,
        isLast: isLast && (isAlternative || index === last),
      }),
    );
    const bodies = walked.map(({ body }) => body);
    const parts = walked.flatMap((one) => one.part ?? []);
    return {
      body: isAlternative ? alternative(bodies) : sequence(bodies),
      part: parts.length === 0 ? null : { ...headOfMultipart(part), parts },
    };
  }
  if (isBody(part)) {
    const form = part.type === 'text/html' ? 'html' : 'text';
    const content = readText(part);
    return { body: bodyOf(form, content, part), part: { ...headOfText(part), form, content, isLast } };
  }
  if (inAlternative && isOtherForm(part)) return { body: nothing, part: null };
  return { body: nothing, part: { ...headOfFile(part), file: files.push({ part, isSigned }) - 1 } };
};

export const nameFor = (type: string, position: number): string => {
  const extension = attachmentPolicy.allowed_extensions.find(
    (candidate) => typeOfFilename(`x.${candidate}`) === type,
  );
  const stem = type === 'text/calendar' ? 'invite' : `attachment-${position + 1}`;
  return extension === undefined ? stem : `${stem}.${extension}`;
};

/** An invitation often comes twice, as an alternative and as a file: the place of the file that is kept for both. */
const sameFile = ({ part, isSigned }: FoundFile, index: number, files: readonly FoundFile[]): number => {
  if (part.type !== 'text/calendar' || part.filename !== null) return index;
  const same = files.findIndex(
    (other) =>
      other.part.filename !== null && other.isSigned === isSigned && other.part.content.equals(part.content),
  );
  return same === -1 ? index : same;
};

const toAttachments = (files: readonly FoundFile[]): DraftAttachment[] =>
  files.map(({ part: { type, filename, contentId, content }, isSigned }, position) => {
    const name = filename?.normalize('NFC') ?? nameFor(type, position);
    return { filename: name, contentType: meantType(type, name), contentId, content, isSigned };
  });

/** The tree with text, HTML and files that are kept elsewhere named instead of repeated. `places` are those of the files. */
const withReferences = (part: SubmittedPart, body: Body, places: readonly number[]): SubmittedPart => {
  if ('parts' in part)
    return { ...part, parts: part.parts.map((child) => withReferences(child, body, places)) };
  if ('file' in part) return { ...part, file: places[part.file] ?? part.file };
  if ('form' in part && part.isLast && part.content === body[part.form]) return { ...part, content: null };
  return part;
};

/** Throws AppError for what cannot be taken over as it is. */
export const contentOf = (root: MimePart): MimeContent => {
  const found: FoundFile[] = [];
  const { body, part } = walk(root, found, { inAlternative: false, isSigned: false, isLast: true });
  const files = found.filter((file, index) => sameFile(file, index, found) === index);
  const places = found.map((file, index) => files.indexOf(found[sameFile(file, index, found)] ?? file));
  const content = { text: body.html === null ? (body.text ?? '') : body.text, html: body.html };
  const parts = part === null ? wholeText : withReferences(part, content, places);
  return { ...content, attachments: toAttachments(files), parts };
};
