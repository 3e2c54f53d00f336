// Reads a message (RFC 2045, RFC 2046) into its header fields and the tree of its parts, each with its decoded content.
// Malformed mail is read as mail programs read it; only a message that exceeds a bound is refused. Attached messages stay
// whole.
//
// mailsplit, which mailparser is built on, splits the message. mailparser itself loses the order of text parts, which
// reports need, and decodes quoted-printable in quadratic time: 80 kB of blanks take 23 s.
import { type MimeNode, Splitter, type SplitterChunk } from '@zone-eu/mailsplit';
import { decodeQuotedPrintable } from './quoted-printable.ts';

/** Bytes of each part's header, far more than honest programs write. */
const MAX_HEAD_BYTES = 131_072;
const MAX_PARTS = 200;
const ENCODINGS: ReadonlySet<string> = new Set(['', '7bit', '8bit', 'binary', 'base64', 'quoted-printable']);

type Fields = readonly (readonly [name: string, value: string])[];

export interface MimePart {
  /** `type/subtype` in lower case. */
  readonly type: string;
  /** Of Content-Type and of Content-Disposition: names in lower case, values decoded. */
  readonly parameters: Fields;
  readonly dispositionParameters: Fields;
  /** In the order of the part's header. Values are unfolded and otherwise unchanged. */
  readonly fields: Fields;
  readonly charset: string | null;
  readonly disposition: 'inline' | 'attachment' | null;
  /** Decoded. */
  readonly filename: string | null;
  /** Without angle brackets. */
  readonly contentId: string | null;
  readonly flowed: { readonly delSp: boolean } | null;
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
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Header lines come as octets. Those beyond ASCII are UTF-8 (RFC 6532), or come from a program that ignores RFC 2047. */
const readLine = (line: string): string => {
  const bytes = Buffer.from(line, 'latin1');
  try {
    return utf8.decode(bytes);
  } catch {
    return line;
  }
};

const fieldsOf = ({ headers }: MimeNode): Fields =>
  (headers ? headers.getList() : []).map(({ line }) => {
    const text = readLine(line).replace(/\r?\n(?=[ \t])/g, '');
    const colon = text.indexOf(':');
    return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  });

/** mailsplit keeps them under names of its own. */
interface Structured {
  readonly _parsedContentType: { readonly params: Readonly<Record<string, string>> };
  readonly _parsedContentDisposition: { readonly params: Readonly<Record<string, string>> };
}

/** What to do with a part whose transfer encoding is unknown. `refuse` suits mail whose author receives the error, `keep` mail
 * from strangers, in which any other part may be the one that matters. */
type UnknownEncoding = 'refuse' | 'keep';

const decode = async (
  node: MimeNode,
  pieces: readonly Buffer[],
  unknown: UnknownEncoding,
): Promise<Buffer> => {
  const encoding = node.encoding || '';
  if (!ENCODINGS.has(encoding) && unknown === 'refuse')
    throw new MimeError(`a part has the unknown transfer encoding ${JSON.stringify(encoding.slice(0, 40))}`);
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(Buffer.concat(pieces));
  if (encoding !== 'base64') return Buffer.concat(pieces);
  const decoder = node.getDecoder();
  const decoded: Buffer[] = [];
  decoder.on('data', (piece: Buffer) => decoded.push(piece));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  decoder.once('end', resolve).once('error', reject);
  decoder.end(Buffer.concat(pieces));
  await promise;
  return Buffer.concat(decoded);
};

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

/** A message as it was split. */
interface Split {
  readonly message: Buffer;
  readonly bodies: ReadonlyMap<MimeNode, readonly Buffer[]>;
  /** Where the body of each part begins. */
  readonly bodyStarts: ReadonlyMap<MimeNode, number>;
  readonly childrenOf: ReadonlyMap<MimeNode, readonly MimeNode[]>;
  readonly unknown: UnknownEncoding;
}

const contentOf = async (node: MimeNode, parameters: Fields, split: Split): Promise<Buffer> => {
  const { message, bodies, bodyStarts, unknown } = split;
  if (!node.multipart) return decode(node, bodies.get(node) ?? [], unknown);
  const boundary = parameters.find(([name]) => name === 'boundary')?.[1];
  if (node.contentType !== 'multipart/signed' || boundary === undefined) return Buffer.alloc(0);
  return delimited(message, bodyStarts.get(node) ?? message.length, boundary);
};

const toPart = async (node: MimeNode, split: Split): Promise<MimePart> => {
  const children: MimePart[] = [];
  for (const child of split.childrenOf.get(node) ?? []) children.push(await toPart(child, split));
  const id = node.headers ? node.headers.getFirst('Content-ID').replace(/^<|>$/g, '').trim() : '';
  const { _parsedContentType, _parsedContentDisposition } = node as unknown as Structured;
  const parameters = Object.entries(_parsedContentType.params);
  return {
    type: node.contentType || 'text/plain',
    parameters,
    dispositionParameters: Object.entries(_parsedContentDisposition.params),
    fields: fieldsOf(node),
    charset: node.charset || null,
    disposition: dispositionOf(node),
    filename: node.filename || null,
    contentId: id || null,
    flowed: node.flowed ? { delSp: node.delSp } : null,
    content: await contentOf(node, parameters, split),
    children,
  };
};

/** The parts that have content, in the order of the message. */
export const leavesOf = (part: MimePart): readonly MimePart[] =>
  part.children.length === 0 ? [part] : part.children.flatMap(leavesOf);

/** @throws MimeError */
export const parseMessage = async (
  message: Buffer,
  unknownEncoding: UnknownEncoding = 'refuse',
): Promise<ParsedMessage> => {
  const splitter = new Splitter({
    ignoreEmbedded: true,
    maxHeadSize: MAX_HEAD_BYTES,
    maxChildNodes: MAX_PARTS,
  });
  const bodies = new Map<MimeNode, Buffer[]>();
  const bodyStarts = new Map<MimeNode, number>();
  const childrenOf = new Map<MimeNode, MimeNode[]>();
  let root: MimeNode | null = null;
  let offset = 0;
  const add = <T>(map: Map<MimeNode, T[]>, node: MimeNode, value: T): void => {
    const list = map.get(node);
    if (list) list.push(value);
    else map.set(node, [value]);
  };
  splitter.end(message);
  try {
    for await (const chunk of splitter as AsyncIterable<SplitterChunk>) {
      // All chunks together are the message.
      offset += (chunk.type === 'node' ? chunk.getHeaders() : chunk.value).length;
      if (chunk.type === 'node') bodyStarts.set(chunk, offset);
      if (chunk.type === 'body') add(bodies, chunk.node, chunk.value);
      else if (chunk.type === 'node' && chunk.parentNode) add(childrenOf, chunk.parentNode, chunk);
      else if (chunk.type === 'node') root = chunk;
    }
  } catch (cause) {
    throw new MimeError('it has too many parts, or too long a header', { cause });
  }
  if (root === null) throw new MimeError('it has no header');
  const split = { message, bodies, bodyStarts, childrenOf, unknown: unknownEncoding };
  const part = await toPart(root, split);
  return { fields: part.fields, root: part };
};

const LONG_BLANKS = /[\t ]{20,}/g;

/** Shortens long runs of blanks, for which mailparser needs quadratic time. It changes the layout of the text. */
export const calmSource = (source: Buffer): Buffer =>
  Buffer.from(source.toString('latin1').replace(LONG_BLANKS, ' '), 'latin1');
