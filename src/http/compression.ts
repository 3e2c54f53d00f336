// Compresses answers as the client takes them (RFC 9110 §12.5.3), on the thread pool. The length of a compressed answer shows
// what repeats in it: where something that a stranger has chosen is beside a secret, each guess that is right makes it shorter
// (BREACH). So only answers to GET are compressed, and none of those in `UNCOMPRESSED`, nor what anyone may ask for, but
// documents that are the same for everyone. Streams are sent as they come, files of the dashboard as they were built.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import Negotiator from 'negotiator';
import type { Route } from '#src/kernel/route.ts';

/** Best first, of those that the client takes equally. */
const ENCODINGS = ['zstd', 'br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];
const IDENTITY = 'identity';

/** What fits into a packet does not come sooner. */
const MIN_BYTES = 1_400;
const TEXT = /^(?:text\/|application\/(?:json|yaml))/;

/**
 * The tags of routes whose answers hold one of these: mail, which strangers write and which holds links and codes; people and
 * what they consented to, who write their own names; credentials; what is sent to other systems, with its secrets; reports of
 * abuse; and the same in the forms of other services.
 */
const UNCOMPRESSED: ReadonlySet<string> = new Set([
  'Inbound mail',
  'Inbound hooks',
  'Captured mail',
  'Messages',
  'Events',
  'Subscribers',
  'Imports',
  'Consent',
  'People',
  'Sign-in',
  'Tokens',
  'Members and roles',
  'Webhooks',
  'Alerts',
  'Abuse',
]);

/** Whether no answer of the route brings a secret and something that a stranger has chosen together. */
export const mayCompress = ({ method, access, tag, isFixed = false }: Route): boolean =>
  method === 'get' &&
  (access === 'public'
    ? isFixed
    : access !== 'session' &&
      access !== 'authenticated' &&
      !UNCOMPRESSED.has(tag) &&
      !tag.startsWith('Compatibility'));

/** The declared types are those of a version before `preferred`. */
interface PreferringNegotiator {
  encodings(available: readonly string[], options?: { readonly preferred: readonly string[] }): string[];
}

/** Null: as it is. Also where the client takes nothing that there is (RFC 9110 §12.5.3 allows it). */
const encodingFor = (accepted: string | undefined, bytes: number): Encoding | null => {
  if (accepted === undefined) return null;
  const negotiator: PreferringNegotiator = new Negotiator({ headers: { 'accept-encoding': accepted } });
  const [first, second] = negotiator.encodings([...ENCODINGS, IDENTITY], { preferred: [...ENCODINGS] });
  const takesPlain = negotiator.encodings([IDENTITY]).length > 0;
  if (bytes < MIN_BYTES && takesPlain) return null;
  const best = first === IDENTITY && !takesPlain ? second : first;
  return ENCODINGS.find((one) => one === best) ?? null;
};

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, ZSTD_c_compressionLevel } = constants;
const zstd = promisify<Buffer, object, Buffer>(zstdCompress);
const brotli = promisify<Buffer, object, Buffer>(brotliCompress);
const gzipped = promisify<Buffer, object, Buffer>(gzip);

/** Fixed documents are compressed once, as well as can be; else it must not take longer than sending does. */
const compress = (body: Buffer, encoding: Encoding, isFixed: boolean): Promise<Buffer> => {
  switch (encoding) {
    case 'zstd':
      return zstd(body, { params: { [ZSTD_c_compressionLevel]: isFixed ? 19 : 3 } });
    case 'br':
      return brotli(body, {
        params: { [BROTLI_PARAM_QUALITY]: isFixed ? 11 : 4, [BROTLI_PARAM_SIZE_HINT]: body.length },
      });
    case 'gzip':
      return gzipped(body, { level: isFixed ? 9 : 6 });
    default:
      return encoding satisfies never;
  }
};

export interface Compressed {
  readonly body: Buffer;
  readonly encoding: Encoding;
}
export type Compress = (
  route: Route,
  accepted: string | undefined,
  contentType: string,
  body: string | Uint8Array,
) => Promise<Compressed | null>;

/** Resolves with null where the answer is to be sent as it is. */
export const createCompress = (): Compress => {
  /** The compressed forms of fixed documents, by what they are: a route may have several. */
  const keptIn: Readonly<Record<Encoding, Map<string | Uint8Array, Promise<Buffer>>>> = {
    zstd: new Map(),
    br: new Map(),
    gzip: new Map(),
  };
  return async (route, accepted, contentType, given) => {
    if (!mayCompress(route) || !TEXT.test(contentType)) return null;
    const encoding = encodingFor(
      accepted,
      typeof given === 'string' ? Buffer.byteLength(given) : given.length,
    );
    if (encoding === null) return null;
    const make = () => compress(Buffer.from(given as string), encoding, route.isFixed === true);
    if (route.isFixed !== true) return { body: await make(), encoding };
    const kept = keptIn[encoding];
    const made = kept.get(given) ?? make();
    kept.set(given, made);
    // One that failed is tried again with the next request.
    made.catch(() => kept.delete(given));
    return { body: await made, encoding };
  };
};
