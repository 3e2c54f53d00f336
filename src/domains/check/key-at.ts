// Whether the TXT at a name holds a certain DKIM key. More than one key record at a name is undefined for verifiers
// (RFC 6376 §3.6.2.2).
import type { DnsLookup } from '#src/kernel/dns-lookup.ts';
import type { RecordStatus } from '../records/host-check.ts';
import { createAsking, type Texts } from './asking.ts';
import { readDkimRecord } from './dkim-record.ts';
import { bounded, type Judgement, unknown } from './judgement.ts';

export interface KeyAt {
  readonly status: Exclude<RecordStatus, 'proxied'>;
  readonly found: readonly string[];
  /** What is wrong; empty where all is well, or advice. */
  readonly hint: string;
}

const judged = (status: KeyAt['status'], found: readonly string[], hint = ''): KeyAt => ({
  status,
  found: bounded(found),
  hint,
});

/** `record` is the text that should stand there; one without a key (`p=`) is matched by one without. */
export const judgeKey = (name: string, { answer, aliases }: Texts, record: string): KeyAt => {
  if (answer.kind === 'failed') return { ...unknown(name, answer.reason), status: 'error' };
  const all = answer.kind === 'found' ? answer.records.map((strings) => strings.join('')) : [];
  const keys = all.filter((text) => readDkimRecord(text).kind !== 'other');
  const [text] = keys;
  if (text === undefined) {
    const leads = aliases.length > 0 ? ` ${name} is an alias that leads to ${aliases.at(-1)}.` : '';
    const others = all.length > 0 ? ' What stands there is no DKIM key.' : '';
    return judged('missing', all, `No key is published at ${name}.${others}${leads}`);
  }
  if (keys.length > 1)
    return judged(
      'multiple',
      keys,
      `There are ${keys.length} key records at ${name}; verifiers may take either. Leave only one.`,
    );
  const wanted = readDkimRecord(record);
  const found = readDkimRecord(text);
  switch (found.kind) {
    case 'malformed':
      return judged(
        'mismatch',
        keys,
        `The key record at ${name} cannot be used: the record ${found.problem}.`,
      );
    case 'withdrawn':
      return wanted.kind === 'withdrawn'
        ? judged('ok', keys)
        : judged(
            'mismatch',
            keys,
            `The key at ${name} is withdrawn (empty p=): nothing signed with it verifies.`,
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
            ? `The record at ${name} says t=y (testing): receivers may treat the mail as unsigned. Remove that.`
            : '',
        );
      return judged(
        'mismatch',
        keys,
        wanted.kind === 'withdrawn'
          ? `A key is still published at ${name} although it is withdrawn.`
          : `Another key is published at ${name}.`,
      );
    case 'other':
      return judged('missing', all, `No key is published at ${name}.`);
  }
};

/** Whether the DNS shows the key of `record` at `name` now. Rejects never. */
export const checkKeyAt = async (lookup: DnsLookup, name: string, record: string): Promise<KeyAt> =>
  judgeKey(name, await createAsking(lookup).texts(name), record);

/** An imported key: the tenant's own record, of which it is told how it should be. */
export const judgeImportedKey = (name: string, texts: Texts, record: string): Judgement => {
  const key = judgeKey(name, texts, record);
  const wanted = readDkimRecord(record);
  if (wanted.kind === 'withdrawn' && key.status === 'missing')
    return { status: 'ok', found: [], hint: 'The key is withdrawn and no longer published.' };
  if (key.status === 'missing' || key.status === 'mismatch')
    return { ...key, hint: `${key.hint} Publish the TXT record as shown.` };
  return key;
};
