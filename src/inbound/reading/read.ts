// Reads a received mail for the person it is to: what it says as text and as harmless HTML, what of it is new in a conversation, and
// the list of its files. The source is read piece by piece: only what is shown is kept, and the content of files is only
// counted. Nothing in a mail makes it fail; notes say what of it is missing.
import { setImmediate } from 'node:timers/promises';
import { asHtml } from '#src/intake/mime-body.ts';
import { isBody } from '#src/intake/part-head.ts';
import { cleanText, decodeText, decodeWords } from '#src/mail/decode-text.ts';
import { unflow } from '#src/mail/flowed-text.ts';
import { isMultipart, type MessageSource, MimeError, type PartHead, partsOf } from '#src/mail/mime-parts.ts';
import { textOfHtml } from '#src/mail/plain-text.ts';
import { replyTextOf } from '#src/mail/quotation.ts';
import { type FileHead, fileHead, isFile, MAX_MAIL_PARTS } from './attachments.ts';

/** `truncated`: the text, the HTML or the list of attachments is not whole. `unreadable`: the parts of the mail cannot be found, and
 * its text is all that is behind the header, if anything. The source is whole in any case. */
export const mailNotes = ['truncated', 'unreadable'] as const;
export type MailNote = (typeof mailNotes)[number];

export interface MailAttachment extends FileHead {
  /** Bytes of the decoded content. */
  readonly size: number;
  readonly content_id: string | null;
  /** Whether the HTML shows it in its text (`cid:`). */
  readonly inline: boolean;
  /** The method of an invitation (RFC 5546 §1.4): `REQUEST`, `CANCEL`, … */
  readonly method: string | null;
}

export interface MailContent {
  /** Made of the HTML where the mail has no text. */
  readonly text: string | null;
  readonly html: string | null;
  /** The text without what it quotes and without signature. */
  readonly reply_text: string | null;
  readonly attachments: readonly MailAttachment[];
  readonly notes: readonly MailNote[];
}

/** Bytes of all text and of all HTML that are read. Large mail programs show no more of a mail, and the time that the HTML takes
 * is not shared with others. */
const MAX_BYTES = { text: 524_288, html: 131_072 };
type Form = keyof typeof MAX_BYTES;

/** How the HTML of a mail is made fit for where it is shown. */
export interface HtmlForm {
  /** Bytes of it that are read. */
  readonly maxBytes: number;
  /** Null where it cannot be read. */
  readonly show: (html: string, attachments: readonly MailAttachment[]) => Promise<string | null>;
}

/** HTML that is harmless beside an account. The library that makes it so is a hundred files, which no start needs. */
const harmless: HtmlForm = {
  maxBytes: MAX_BYTES.html,
  show: async (html) => (await import('./safe-html.ts')).safeHtml(html),
};
const MAX_CONTENT_ID = 250;

interface Leaf {
  readonly part: PartHead;
  readonly form: Form;
  readonly pieces: Buffer[];
  isCut: boolean;
}
interface Branch {
  readonly isAlternative: boolean;
  readonly children: (Leaf | Branch)[];
}
type FileFound = Omit<MailAttachment, 'inline'> & { size: number };

/** What the mail says, in each of its forms. */
interface Body {
  readonly text: string | null;
  readonly html: string | null;
}

const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/g;
const META_CHARSET = /<meta\b[^<>]{0,200}\bcharset\s{0,5}=\s{0,5}["']?([\w:.-]{1,40})/i;
const MAX_META = 4_096;

/** Cuts off a character of UTF-8 that may be cut in two, by which the whole text would seem to be in another character set. */
const withoutHalf = (bytes: Buffer): Buffer => {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  return (bytes[end - 1] ?? 0) >= 0xc0 ? bytes.subarray(0, end - 1) : bytes;
};

const bodyOfLeaf = ({ part, form, pieces, isCut }: Leaf): Body => {
  const bytes = isCut ? withoutHalf(Buffer.concat(pieces)) : Buffer.concat(pieces);
  const declared =
    form === 'html' ? META_CHARSET.exec(bytes.toString('latin1', 0, MAX_META))?.[1] : undefined;
  const text = decodeText(bytes, part.charset ?? declared ?? null)
    .replace(/\r\n?/g, '\n')
    .replace(CONTROLS, '')
    .toWellFormed();
  if (form === 'html') return { text: null, html: text };
  return { text: part.flowed === null ? text : unflow(text, part.flowed.delSp), html: null };
};

const bodyOf = (node: Leaf | Branch): Body => {
  if ('pieces' in node) return bodyOfLeaf(node);
  const all = node.children.map(bodyOf).filter(({ text, html }) => text !== null || html !== null);
  const bodies = all.filter(({ text, html }) => text?.trim() || html !== null);
  if (bodies.length < 2) return bodies[0] ?? all[0] ?? { text: null, html: null };
  const texts = bodies.map(({ text }) => text).filter((text) => text !== null);
  if (node.isAlternative)
    return {
      text: texts[0] ?? null,
      html: bodies.findLast(({ html }) => html !== null)?.html ?? null,
    };
  const hasHtml = bodies.some(({ html }) => html !== null);
  return {
    text: bodies.map(({ text, html }) => text ?? textOfHtml(html ?? '')).join('\n'),
    html: hasHtml ? bodies.map(({ text, html }) => html ?? asHtml(text ?? '')).join('\n') : null,
  };
};

const methodOf = ({ type, parameters }: PartHead): string | null => {
  const given = parameters.find(([name]) => name === 'method')?.[1] ?? '';
  return type === 'text/calendar' && /^[a-z-]{1,20}$/i.test(given) ? given.toUpperCase() : null;
};

/** Some programs give the text of a mail the name of a file. Where a mail has no text before, it is shown, and stays a file. */
const isNamedText = ({ type, disposition }: PartHead): boolean =>
  (type === 'text/plain' || type === 'text/html') && disposition === 'inline';

const isShownIn = (html: string, contentId: string): boolean =>
  html.includes(`cid:${contentId}`) || html.includes(`cid:${encodeURIComponent(contentId)}`);

interface Found {
  /** The subject as the header has it. */
  readonly subject: string;
  readonly root: Branch;
  readonly files: readonly FileFound[];
  readonly notes: ReadonlySet<MailNote>;
}

const collect = async (source: MessageSource, htmlBytes: number): Promise<Found> => {
  const root: Branch = { isAlternative: false, children: [] };
  const branches = new Map<PartHead, Branch>();
  const files: FileFound[] = [];
  const notes = new Set<MailNote>();
  const room = { ...MAX_BYTES, html: htmlBytes };
  let seen = 0;
  let subject = '';
  let hasText = false;
  let leaf: Leaf | null = null;
  let preamble = null as Leaf | null;
  let file: FileFound | null = null;
  const begin = (part: PartHead, parent: PartHead | null): void => {
    const above = (parent !== null && branches.get(parent)) || root;
    if (seen === 0) subject = part.fields.find(([name]) => /^subject$/i.test(name))?.[1] ?? '';
    seen += 1;
    leaf = null;
    file = null;
    if (isMultipart(part)) {
      const branch = { isAlternative: part.type === 'multipart/alternative', children: [] };
      branches.set(part, branch);
      above.children.push(branch);
      // What is before the first part is for programs without MIME; it is shown where there is no part.
      if (parent === null) leaf = preamble = { part, form: 'text', pieces: [], isCut: false };
      return;
    }
    if (isBody(part) || (!hasText && isNamedText(part))) {
      hasText = true;
      leaf = { part, form: part.type === 'text/html' ? 'html' : 'text', pieces: [], isCut: false };
      above.children.push(leaf);
    }
    if (isFile(part, parent)) {
      const content_id = part.contentId === null ? null : cleanText(part.contentId).slice(0, MAX_CONTENT_ID);
      file = { ...fileHead(part, files.length), size: 0, content_id, method: methodOf(part) };
      files.push(file);
    }
  };
  const take = (content: Buffer): void => {
    if (file !== null) file.size += content.length;
    if (leaf === null) return;
    const kept = content.subarray(0, room[leaf.form]);
    if (kept.length < content.length) {
      leaf.isCut = true;
      notes.add('truncated');
    }
    room[leaf.form] -= kept.length;
    if (kept.length > 0) leaf.pieces.push(kept);
  };
  try {
    for await (const { part, parent, content } of partsOf(source, MAX_MAIL_PARTS)) {
      if (content === null) begin(part, parent);
      else take(content);
    }
  } catch (error) {
    if (!(error instanceof MimeError)) throw error;
    notes.add(seen === 0 ? 'unreadable' : 'truncated');
  }
  if (seen === 1 && preamble !== null && preamble.pieces.length > 0) {
    root.children.push(preamble);
    notes.add('unreadable');
  }
  return { subject, root, files, notes };
};

/** Rejects only where `source` does. */
export const readMail = async (
  source: MessageSource,
  { maxBytes, show }: HtmlForm = harmless,
): Promise<MailContent> => {
  const { subject, root, files, notes } = await collect(source, maxBytes);
  const body = bodyOf(root);
  const text = body.text ?? (body.html === null ? null : textOfHtml(body.html));
  // Each takes its time; others have their turn in between.
  await setImmediate();
  const attachments = files.map(({ content_id, ...file }) => ({
    ...file,
    content_id,
    inline: content_id !== null && body.html !== null && isShownIn(body.html, content_id),
  }));
  const html = body.html === null ? null : await show(body.html, attachments);
  await setImmediate();
  const isCut = notes.has('truncated') || (body.html !== null && html === null);
  return {
    text,
    html,
    reply_text: text === null ? null : replyTextOf(text, decodeWords(subject)),
    attachments,
    notes: mailNotes.filter((note) => (note === 'truncated' ? isCut : notes.has(note))),
  };
};
