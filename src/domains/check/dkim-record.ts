// Reads a DKIM key record as a verifier does (RFC 6376 §3.6.1, RFC 8301, RFC 8463), and compares it with the wanted
// key. More than one key record at a name is undefined for verifiers (RFC 6376 §3.6.2.2). Own code, because the
// verifier's library reports a withdrawn key and a broken record with the same error, and takes the first of several
// records.

import { createPublicKey } from 'node:crypto';
import type { DnsLookup } from '#src/kernel/dns-lookup.ts';
import { nothing, say, type Text } from '#src/kernel/say.ts';
import { parseTagList } from '#src/mail/tag-list.ts';
import type { RecordStatus } from '../records/host-check.ts';
import { createCheckLookup, type Texts } from './check-lookup.ts';
import { bounded, type Judgement, sentences, unknown } from './judgement.ts';

export type DkimRecord =
  /** `publicKey` is base64 without white space: SubjectPublicKeyInfo for RSA, the 32 bytes for Ed25519. */
  | {
      readonly kind: 'key';
      readonly algorithm: 'rsa' | 'ed25519';
      readonly publicKey: string;
      /** `t=y`: verifiers may treat signed mail as unsigned. */
      readonly testing: boolean;
    }
  | { readonly kind: 'withdrawn' }
  /** The text was meant as a key record; `problem` completes "the record …". */
  | { readonly kind: 'malformed'; readonly problem: Text }
  | { readonly kind: 'other' };

const ED25519_BYTES = 32;
const WHITE_SPACE = /[ \t\r\n]+/g;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const listOf = (value: string): string[] => value.split(':').map((part) => part.trim().toLowerCase());

/** Brings both usual encodings, SubjectPublicKeyInfo and RSAPublicKey, into one. */
const canonicalRsa = (publicKey: string): string | null => {
  const der = Buffer.from(publicKey, 'base64');
  for (const type of ['spki', 'pkcs1'] as const)
    try {
      const key = createPublicKey({ key: der, format: 'der', type });
      if (key.asymmetricKeyType === 'rsa')
        return key.export({ type: 'spki', format: 'der' }).toString('base64');
    } catch {
      // The key has the other encoding, or is no key.
    }
  return null;
};

/** A text is meant as a key if it has the version, or a `p=` without any version. */
const isMeantAsKey = (text: string): boolean => {
  const { get } = parseTagList(text.replace(/^[\s"']+/, ''));
  const version = get('v') ?? get('V');
  return version === undefined ? get('p') !== undefined : /^DKIM1/i.test(version);
};

export const readDkimRecord = (text: string): DkimRecord => {
  if (!isMeantAsKey(text)) return { kind: 'other' };
  const malformed = (problem: Text): DkimRecord => ({ kind: 'malformed', problem });
  if (/^\s*["']/.test(text)) return malformed(say`has quotation marks as part of its text`);
  const { tags, problems, get } = parseTagList(text);
  const version = get('v');
  if (version !== undefined && (version !== 'DKIM1' || tags[0]?.name !== 'v'))
    return malformed(say`does not begin with "v=DKIM1;"`);
  const [problem] = problems;
  if (problem?.kind === 'duplicate') return malformed(say`has a tag twice (${problem.text.slice(0, 20)})`);
  if (problem)
    return malformed(say`has a piece that is no tag=value: a semicolon may be missing or too much`);
  const key = get('p')?.replace(WHITE_SPACE, '');
  if (key === undefined) return malformed(say`has no p=, so no key`);
  if (key === '') return { kind: 'withdrawn' };
  const algorithm = (get('k') ?? 'rsa').toLowerCase();
  if (algorithm !== 'rsa' && algorithm !== 'ed25519')
    return malformed(say`names an unknown kind of key (k=${algorithm.slice(0, 20)})`);
  if (!BASE64.test(key)) return malformed(say`has a key (p=) with characters that base64 does not have`);
  if (!listOf(get('h') ?? 'sha256').includes('sha256'))
    return malformed(say`allows only hashes that are no longer accepted (h= without sha256)`);
  if (!listOf(get('s') ?? '*').some((service) => service === '*' || service === 'email'))
    return malformed(say`is not for e-mail (s=)`);
  const publicKey = algorithm === 'rsa' ? canonicalRsa(key) : Buffer.from(key, 'base64').toString('base64');
  if (publicKey === null)
    return malformed(say`has a key (p=) that is not whole: a part of it may be missing`);
  if (algorithm === 'ed25519' && Buffer.from(publicKey, 'base64').length !== ED25519_BYTES)
    return malformed(say`has a key (p=) that is not an Ed25519 key of 32 bytes`);
  return { kind: 'key', algorithm, publicKey, testing: listOf(get('t') ?? '').includes('y') };
};

export interface KeyAt {
  readonly status: Exclude<RecordStatus, 'proxied'>;
  readonly found: readonly string[];
  /** What is wrong. If nothing is: advice, or nothing. */
  readonly hint: Text;
}

const judged = (status: KeyAt['status'], found: readonly string[], hint = nothing): KeyAt => ({
  status,
  found: bounded(found),
  hint,
});

/** `record` is the wanted text. A withdrawn record (empty `p=`) matches only a withdrawn one. */
export const judgeKey = (name: string, { answer, aliases }: Texts, record: string): KeyAt => {
  if (answer.kind === 'failed') return { ...unknown(name, answer.reason), status: 'error' };
  const all = answer.kind === 'found' ? answer.records.map((strings) => strings.join('')) : [];
  const keys = all.filter((text) => readDkimRecord(text).kind !== 'other');
  const [text] = keys;
  if (text === undefined) {
    const hint = sentences(
      say`No key is published at ${name}.`,
      all.length > 0 && say`The TXT record there is no DKIM key.`,
      aliases.length > 0 && say`${name} is an alias that leads to ${aliases.at(-1) ?? ''}.`,
    );
    return judged('missing', all, hint);
  }
  if (keys.length > 1)
    return judged(
      'multiple',
      keys,
      say`There are ${keys.length} key records at ${name}; verifiers may take either. Leave only one.`,
    );
  const wanted = readDkimRecord(record);
  const found = readDkimRecord(text);
  switch (found.kind) {
    case 'malformed':
      return judged(
        'mismatch',
        keys,
        say`The key record at ${name} cannot be used: the record ${found.problem}.`,
      );
    case 'withdrawn':
      return wanted.kind === 'withdrawn'
        ? judged('ok', keys)
        : judged(
            'mismatch',
            keys,
            say`The key at ${name} is withdrawn (empty p=): nothing signed with it verifies.`,
          );
    case 'key':
      if (
        wanted.kind === 'key' &&
        wanted.publicKey === found.publicKey &&
        wanted.algorithm === found.algorithm
      )
        return judged(
          'ok',
          keys,
          found.testing
            ? say`The record at ${name} says t=y (testing): receivers may treat the mail as unsigned. Remove that.`
            : nothing,
        );
      return judged(
        'mismatch',
        keys,
        wanted.kind === 'withdrawn'
          ? say`A key is still published at ${name} although it is withdrawn.`
          : say`Another key is published at ${name}.`,
      );
    case 'other':
      return judged('missing', all, say`No key is published at ${name}.`);
  }
};

/** Whether the DNS has the key of `record` at `name` now. Never rejects. */
export const checkKeyAt = async (lookup: DnsLookup, name: string, record: string): Promise<KeyAt> =>
  judgeKey(name, await createCheckLookup(lookup).texts(name), record);

/** The tenant publishes the record of an imported key itself, so the hint says what to publish. */
export const judgeImportedKey = (name: string, texts: Texts, record: string): Judgement => {
  const key = judgeKey(name, texts, record);
  const wanted = readDkimRecord(record);
  if (wanted.kind === 'withdrawn' && key.status === 'missing')
    return { status: 'ok', found: [], hint: say`The key is withdrawn and no longer published.` };
  if (key.status === 'missing' || key.status === 'mismatch')
    return { ...key, hint: sentences(key.hint, say`Publish the TXT record as shown.`) };
  return key;
};
