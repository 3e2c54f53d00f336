// Where others report failures of TLS to (RFC 8460 §3): one record; reports to others as well, or instead, are the
// tenant's choice.
import { parseTagList } from '#src/mail/tag-list.ts';
import type { WantedRecord } from '../records/host-check.ts';
import { type Judgement, quote, unknown } from './judgement.ts';
import { absentText, joined, type TextFacts } from './text-facts.ts';

export const isTlsReport = (text: string): boolean => /^v=TLSRPTv1\s*(?:;|$)/.test(text);

export const judgeTlsReport = (wanted: WantedRecord, facts: TextFacts): Judgement => {
  const { texts } = facts;
  if (texts.answer.kind === 'failed') return unknown(wanted.name, texts.answer.reason);
  const found = joined(texts).filter(isTlsReport);
  const [text] = found;
  if (text === undefined) return absentText(wanted, facts);
  if (found.length > 1)
    return {
      status: 'multiple',
      found,
      hint: `There are ${found.length} such records at ${wanted.name}, and senders ignore them all. Leave only one.`,
    };
  const reports = parseTagList(text).get('rua') ?? '';
  const addresses = reports.split(',').map((address) => address.trim());
  if (!addresses.every((address) => /^(?:mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/i.test(address)))
    return {
      status: 'mismatch',
      found,
      hint: `Reports cannot go to ${quote(`rua=${reports}`)}: name a mailto: or https: address.`,
    };
  const ours = parseTagList(wanted.value).get('rua') ?? '';
  return {
    status: 'ok',
    found,
    hint: addresses.includes(ours) ? '' : 'The reports go to others and are not seen here.',
    value: text,
  };
};
