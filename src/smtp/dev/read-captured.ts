// Reads a captured mail as test suites look at it: text, HTML and files as the sender wrote them, line ends included. It says
// what mailpit says of the same mail, down to the ids of the parts.
import { decodeText, decodeWords } from '#src/mail/decode-text.ts';
import { type Field, headFieldsOf } from '#src/mail/field-block.ts';
import { isMultipart, type MimePart, parseMessage } from '#src/mail/mime-parts.ts';

export interface CapturedFile {
  /** The place in the tree of parts: `0` where the mail is one part, else `2`, `1.2`. */
  readonly partId: string;
  readonly filename: string;
  readonly type: string;
  readonly contentId: string;
  readonly content: Buffer;
  /** Shown within the text, or not declared to be an attachment. */
  readonly isInline: boolean;
}

export interface Captured {
  readonly fields: readonly Field[];
  /** Made of the HTML where the mail has no text. */
  readonly text: string;
  readonly html: string;
  readonly files: readonly CapturedFile[];
}

interface Leaf {
  readonly part: MimePart;
  readonly partId: string;
}

const leavesOf = (part: MimePart, path = ''): readonly Leaf[] =>
  isMultipart(part)
    ? part.children.flatMap((child, index) =>
        leavesOf(child, path === '' ? `${index + 1}` : `${path}.${index + 1}`),
      )
    : [{ part, partId: path || '0' }];

const isText = ({ type }: MimePart): boolean => type === 'text/plain' || type === 'text/html';
const isAttached = ({ type, disposition }: MimePart): boolean =>
  disposition === 'attachment' || type === 'application/octet-stream';
const isBody = (part: MimePart): boolean => isText(part) && !isAttached(part) && part.filename === null;

const fileOf = ({ part, partId }: Leaf): CapturedFile => ({
  partId,
  filename: decodeWords(part.filename ?? '') || (part.contentId ?? ''),
  type: part.type,
  contentId: part.contentId ?? '',
  content: part.content,
  isInline: !isAttached(part),
});

/** A mail that is no MIME at all is all text. */
const asText = (source: Buffer): MimePart => ({
  type: 'text/plain',
  parameters: [],
  dispositionParameters: [],
  fields: [],
  charset: null,
  disposition: null,
  filename: null,
  contentId: null,
  flowed: null,
  content: source,
  children: [],
});

export const readCaptured = async (source: Buffer): Promise<Captured> => {
  const { root } = await parseMessage(source, 'keep').catch(() => ({ root: asText(source) }));
  const leaves = leavesOf(root);
  const textsOf = (type: string): string[] =>
    leaves.flatMap(({ part }) =>
      part.type === type && isBody(part) ? [decodeText(part.content, part.charset)] : [],
    );
  const html = textsOf('text/html').join('\n');
  const texts = textsOf('text/plain');
  // The library that converts HTML is loaded for who needs it.
  const textOfHtml = async () => (await import('#src/mail/plain-text.ts')).textOfHtml(html);
  return {
    fields: headFieldsOf(source),
    text: texts.length > 0 || html === '' ? texts.join('\n') : await textOfHtml(),
    html,
    files: leaves.filter(({ part }) => !isBody(part)).map(fileOf),
  };
};
