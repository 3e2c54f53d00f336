// Reads a message (RFC 2045, RFC 2046) into its header fields and its parts, each with its decoded content: piece by piece, or
// as a tree. Malformed mail is read as mail programs read it; only what exceeds a bound is not. Attached messages stay whole.
//
// mailsplit, which mailparser is built on, splits the message. mailparser itself loses the order of text parts, which
// reports need, and decodes quoted-printable in quadratic time: 80 kB of blanks take 23 s.
import { Readable } from 'node:stream';
import type { MimeNode, SplitterChunk } from '@zone-eu/mailsplit';
import { readUtf8 } from './decode-text.ts';
import { type TransferDecoder, transferDecoder } from './transfer-decoder.ts';

/** Bytes of each part's header, far more than honest programs write; as many as `headFieldsOf` reads. */
const MAX_HEAD_BYTES = 262_144;
const MAX_PARTS = 200;
const ENCODINGS: ReadonlySet<string> = new Set(['', '7bit', '8bit', 'binary', 'base64', 'quoted-printable']);

type Fields = readonly (readonly [name: string, value: string])[];

export interface PartHead {
  /** `type/subtype` in lower case. */
  readonly type: string;
  /** The parameters of Content-Type and of Content-Disposition: names in lower case, values decoded. */
  readonly parameters: Fields;
  readonly dispositionParameters: Fields;
  /** The fields in the order of the part's header. Values are unfolded and otherwise unchanged. */
  readonly fields: Fields;
  readonly charset: string | null;
  readonly disposition: 'inline' | 'attachment' | null;
  /** Decoded. */
  readonly filename: string | null;
  /** The id without angle brackets. */
  readonly contentId: string | null;
  readonly flowed: { readonly delSp: boolean } | null;
}

export interface MimePart extends PartHead {
  /** Decoded. Of a multipart/signed the octets from its first delimiter to its last, which may not change; of any other
   * multipart nothing. */
  readonly content: Buffer;
  /** Empty unless it is a multipart. */
  readonly children: readonly MimePart[];
}

export interface ParsedMessage {
  readonly fields: Fields;
  readonly root: MimePart;
}

/** The message has too many parts, too long a header or an unknown encoding. Its text may be shown to the sender. */
export class MimeError extends Error {
  override readonly name = 'MimeError';
  /** The message with its value apart, as `say` has it. */
  readonly text: { readonly key: string; readonly values: readonly string[] };

  constructor(problem: string, options: ErrorOptions & { readonly value?: string } = {}) {
    const { value = '' } = options;
    super(
      problem.replace('{}', () => value),
      options,
    );
    this.text = { key: problem, values: [value] };
  }
}

/** Header lines come as octets. Those beyond ASCII are UTF-8 (RFC 6532), or come from a program that ignores RFC 2047. */
const readLine = (line: string): string => {
  if (!/[\x80-\xff]/.test(line) || /[^\0-\xff]/.test(line)) return line;
  return readUtf8(Buffer.from(line, 'latin1')) ?? line;
};

const fieldsOf = ({ headers }: MimeNode): Fields =>
  (headers ? headers.getList() : []).map(({ line }) => {
    const text = readLine(line).replace(/\r?\n(?=[ \t])/g, '');
    const colon = text.indexOf(':');
    return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  });

interface Parameters {
  readonly params: Readonly<Record<string, string>>;
}
/** mailsplit keeps them under names of its own. */
interface Structured {
  readonly _parsedContentType: Parameters;
  readonly _parsedContentDisposition: Parameters;
}

const readParameters = ({ params }: Parameters): Fields =>
  Object.entries(params).map(([name, value]) => [name, readLine(value)]);

const hasField = (fields: Fields, wanted: string): boolean =>
  fields.some(([name]) => name.toLowerCase() === wanted);

const dispositionOf = ({ disposition }: MimeNode): MimePart['disposition'] => {
  if (!disposition) return null;
  // RFC 2183 §2.8
  return disposition === 'inline' ? 'inline' : 'attachment';
};

const CRLF = [0x0d, 0x0a];

/** `bodyStart` is the place behind the header of a multipart with that boundary. Empty where the multipart is not ended. */
const delimited = (message: Buffer, bodyStart: number, boundary: string): Buffer => {
  const first = message.indexOf(`--${boundary}\r\n`, bodyStart);
  const last = `\r\n--${boundary}--`;
  for (let at = message.indexOf(last, first); first !== -1 && at !== -1; at = message.indexOf(last, at + 1)) {
    const end = at + last.length;
    if (end === message.length || CRLF.every((octet, index) => message[end + index] === octet))
      return message.subarray(first, end);
  }
  return Buffer.alloc(0);
};

const DEFAULT_TYPE = 'text/plain';
/** RFC 2045 §5.1 */
const TYPE = /^[!#$%&'*+.^_`{|}~\w-]+\/[!#$%&'*+.^_`{|}~\w-]+$/;

const headOfPart = (node: MimeNode): PartHead => {
  const { _parsedContentType, _parsedContentDisposition } = node as unknown as Structured;
  const id = node.headers ? node.headers.getFirst('Content-ID').replace(/^<|>$/g, '').trim() : '';
  const fields = fieldsOf(node);
  const parent = node.parentNode;
  // RFC 2046 §5.1.5
  const isDigested = parent && parent.contentType === 'multipart/digest' && !hasField(fields, 'content-type');
  // A comment may follow it.
  const given = /^[^\s(]+/.exec(node.contentType || '')?.[0] ?? DEFAULT_TYPE;
  // RFC 2045 §5.2; but what has the name of a file is one.
  const type = TYPE.test(given) ? given : node.filename ? 'application/octet-stream' : DEFAULT_TYPE;
  return {
    type: isDigested ? 'message/rfc822' : type,
    parameters: readParameters(_parsedContentType),
    dispositionParameters: readParameters(_parsedContentDisposition),
    fields,
    charset: node.charset || null,
    disposition: dispositionOf(node),
    filename: node.filename ? readLine(node.filename) : null,
    contentId: id || null,
    flowed: node.flowed ? { delSp: node.delSp } : null,
  };
};

/** A part begins, or more of the content of the part that began last. */
export interface PartPiece {
  readonly part: PartHead;
  /** The multipart that it is in; null for the whole message. */
  readonly parent: PartHead | null;
  /** Decoded; null where the part begins. Of a multipart what is before its first part. */
  readonly content: Buffer | null;
  /** The encoding in lower case; empty where none is declared. */
  readonly encoding: string;
  /** Where its body begins, in bytes from the beginning of the message. */
  readonly bodyStart: number;
}

export type MessageSource = Buffer | Iterable<Buffer> | AsyncIterable<Buffer>;

/** The parts in their order, each with its decoded content in pieces. @throws MimeError beyond a bound */
export async function* partsOf(source: MessageSource, maxParts = MAX_PARTS): AsyncGenerator<PartPiece> {
  // The library and what it needs are thirty files, which no start needs.
  const { TolerantSplitter } = await import('./tolerant-splitter.ts');
  const splitter = new TolerantSplitter({
    ignoreEmbedded: true,
    maxHeadSize: MAX_HEAD_BYTES,
    maxChildNodes: maxParts,
  });
  const input = Readable.from(source, { objectMode: false });
  input.once('error', (error) => splitter.destroy(error));
  input.pipe(splitter);
  // Only the ancestors of a part are still needed.
  const heads = new WeakMap<MimeNode, PartHead>();
  let offset = 0;
  let current: {
    readonly node: MimeNode;
    readonly piece: PartPiece;
    readonly decoder: TransferDecoder;
  } | null = null;
  try {
    for await (const chunk of splitter as AsyncIterable<SplitterChunk>) {
      // All chunks together are the message.
      offset += (chunk.type === 'node' ? chunk.getHeaders() : chunk.value).length;
      if (chunk.type === 'node') {
        if (current) yield { ...current.piece, content: current.decoder.end() };
        const part = headOfPart(chunk);
        heads.set(chunk, part);
        const parent = (chunk.parentNode && heads.get(chunk.parentNode)) || null;
        const encoding = chunk.encoding || '';
        const piece: PartPiece = { part, parent, content: null, encoding, bodyStart: offset };
        current = { node: chunk, piece, decoder: transferDecoder(isMultipart(part) ? '' : encoding) };
        yield piece;
      } else if (current && chunk.node === current.node)
        yield { ...current.piece, content: current.decoder.decode(chunk.value) };
    }
    if (current) yield { ...current.piece, content: current.decoder.end() };
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== 'EMAXLEN') throw cause;
    throw new MimeError('it has too many parts, or too long a header', { cause });
  } finally {
    input.destroy();
    splitter.destroy();
  }
}

export const isMultipart = ({ type }: PartHead): boolean => type.startsWith('multipart/');

/** The parts that have content, in the order of the message. */
export const leavesOf = (part: MimePart): readonly MimePart[] =>
  part.children.length === 0 ? [part] : part.children.flatMap(leavesOf);

/** `refuse` suits mail whose author receives the error; `keep` suits mail from strangers: a part in an unknown encoding is left as
 * it is, because any other may be the one that matters, and beyond a bound the parts before it are all that is read. */
type Beyond = 'refuse' | 'keep';

interface Growing extends PartHead {
  readonly pieces: Buffer[];
  readonly children: Growing[];
  readonly bodyStart: number;
}

const grown = ({ pieces, children, bodyStart, ...head }: Growing, message: Buffer): MimePart => {
  const boundary = head.parameters.find(([name]) => name === 'boundary')?.[1];
  const isSigned = head.type === 'multipart/signed' && boundary !== undefined;
  return {
    ...head,
    content: isSigned ? delimited(message, bodyStart, boundary) : Buffer.concat(pieces),
    children: children.map((child) => grown(child, message)),
  };
};

/** @throws MimeError */
export const parseMessage = async (message: Buffer, beyond: Beyond = 'refuse'): Promise<ParsedMessage> => {
  const parts = new Map<PartHead, Growing>();
  const read = async (): Promise<void> => {
    for await (const { part, parent, content, encoding, bodyStart } of partsOf(message)) {
      if (content !== null) {
        if (!isMultipart(part)) parts.get(part)?.pieces.push(content);
        continue;
      }
      if (beyond === 'refuse' && !isMultipart(part) && !ENCODINGS.has(encoding))
        throw new MimeError('a part has the unknown transfer encoding {}', {
          value: JSON.stringify(encoding.slice(0, 40)),
        });
      const growing = { ...part, pieces: [], children: [], bodyStart };
      parts.set(part, growing);
      if (parent !== null) parts.get(parent)?.children.push(growing);
    }
  };
  await read().catch((error: unknown) => {
    if (beyond === 'refuse' || !(error instanceof MimeError)) throw error;
  });
  const [root] = parts.values();
  if (root === undefined) throw new MimeError('it has no header');
  return { fields: root.fields, root: grown(root, message) };
};

const LONG_BLANKS = /[\t ]{20,}/g;

/** Shortens long runs of blanks, for which mailparser needs quadratic time. It changes the layout of the text. */
export const calmSource = (source: Buffer): Buffer =>
  Buffer.from(source.toString('latin1').replace(LONG_BLANKS, ' '), 'latin1');
