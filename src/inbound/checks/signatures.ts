// What the signatures in a mail prove: DKIM (RFC 6376) and ARC (RFC 8617), by mailauth. Only mail that has some is read for it, and
// only as many and as large as honest mail has: what canonicalizes a header takes the square of its lines.
import type { DKIMResult } from 'mailauth';
import type { DnsResolver } from '#src/kernel/dns-resolver.ts';
import { domainName } from '#src/mail/address.ts';
import { type Field, headFieldsOf, headOf } from '#src/mail/field-block.ts';
import type { AuthResult, MailAuth } from '../mail.ts';
import { authResult } from './client.ts';
import { inTime } from './recent.ts';

/** Honest mail has one to three; each asks the DNS and may hash the whole body. */
const MAX_SIGNATURES = 8;
/** Sets of three fields; each asks the DNS. */
const MAX_ARC_FIELDS = 3 * 10;
const MAX_HEADER_BYTES = 131_072;
const MAX_HEADER_LINES = 3_000;

/** With all keys there, the largest mail takes some hundred milliseconds for a signature. */
const VERIFY_MS = 10_000;
const ARC_FIELD = /^arc-(?:seal|message-signature|authentication-results)$/;

export type Signatures = Pick<MailAuth, 'dkim' | 'arc'>;
type Signature = MailAuth['dkim'][number];

const tagOf = (value: string, name: string): string =>
  new RegExp(`(?:^|;)[ \\t]*${name}[ \\t]*=[ \\t]*([^; \\t]{1,253})`).exec(value)?.[1] ?? '';

const neutral = (value: string): Signature => ({
  result: 'neutral',
  domain: domainName(tagOf(value, 'd')) ?? '',
  selector: tagOf(value, 's'),
});

const readResult = ({ status, ...found }: DKIMResult): AuthResult => {
  // RFC 8601 §2.7.1 calls that a failure; the library, neutral.
  if (
    found.bodyHash !== undefined &&
    found.bodyHash !== found.bodyHashExpecting &&
    status.result === 'neutral'
  )
    return 'fail';
  // What is appended behind the part that `l=` signs is not the signer's (RFC 6376 §8.2).
  if (status.result === 'pass' && (status.underSized ?? 0) > 0) return 'policy';
  return authResult(status.result);
};

const isReadable = (head: string): boolean => {
  if (head.length > MAX_HEADER_BYTES) return false;
  let lines = 0;
  for (let at = head.indexOf('\n'); at !== -1; at = head.indexOf('\n', at + 1)) lines += 1;
  return lines <= MAX_HEADER_LINES;
};

const verify = async (content: Buffer, isChained: boolean, resolver: DnsResolver): Promise<Signatures> => {
  const { dkimVerify } = await import('mailauth/lib/dkim/verify.js');
  const verified = await dkimVerify(content, { resolver, rejectRsaSha1: true });
  const dkim = verified.results.flatMap((found): Signature[] => {
    const { signingDomain, selector = '' } = found;
    if (signingDomain === undefined) return [];
    return [{ result: readResult(found), domain: domainName(signingDomain) ?? '', selector }];
  });
  if (!isChained) return { dkim, arc: { result: 'none' } };
  const { arc } = await import('mailauth/lib/arc/index.js');
  // The declared types of the two functions differ, and the one takes what the other gives.
  const { status } = await arc(verified.arc as Parameters<typeof arc>[0], { resolver });
  return { dkim, arc: { result: authResult(status.result) } };
};

/** Never rejects. `head`: the header of `content`, one character for each octet, and `fields` what is in it. */
export const checkSignatures = async (
  content: Buffer,
  head: string,
  fields: readonly Field[],
  resolver: DnsResolver,
): Promise<Signatures> => {
  const signatures = fields.filter(({ name }) => name === 'dkim-signature').map(({ value }) => value);
  const chain = fields.filter(({ name }) => ARC_FIELD.test(name)).map(({ value }) => value);
  const isChained = chain.length > 0;
  if (signatures.length === 0 && !isChained) return { dkim: [], arc: { result: 'none' } };
  // The result is not a temporary error: by that, a mail could keep DMARC from failing.
  const unread: Signatures = {
    dkim: signatures.slice(0, MAX_SIGNATURES).map(neutral),
    arc: { result: isChained ? 'fail' : 'none' },
  };
  if (signatures.length > MAX_SIGNATURES || chain.length > MAX_ARC_FIELDS || !isReadable(head)) return unread;
  // All keys at once: the library asks for one after the other, so that a slow one would use up the time of the others.
  await Promise.allSettled(
    [...signatures, ...chain].map((value) => {
      const [domain, selector] = [tagOf(value, 'd'), tagOf(value, 's')];
      return domain && selector ? resolver(`${selector}._domainkey.${domain}`, 'TXT') : null;
    }),
  );
  return inTime(
    verify(content, isChained, resolver).catch(() => unread),
    VERIFY_MS,
    unread,
  );
};

/** The same of a mail that nothing is known of yet. */
export const signaturesIn = (content: Buffer, resolver: DnsResolver): Promise<Signatures> =>
  checkSignatures(content, headOf(content), headFieldsOf(content), resolver);
