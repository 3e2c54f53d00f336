import { expect, test } from 'vitest';
import { laneOf, lanes, streams } from '#src/kernel/stream.ts';
import { channels, defaultKind, kindNames, kinds } from '#src/messages/kinds.ts';

test.each([
  { kind: 'termin', stream: 'transactional', legalBasis: 'contract' },
  { kind: 'recall', stream: 'transactional', legalBasis: 'contract' },
  { kind: 'transactional', stream: 'transactional', legalBasis: 'contract' },
  { kind: 'doi', stream: 'transactional', legalBasis: 'consent' },
  { kind: 'newsletter', stream: 'marketing', legalBasis: 'consent' },
  { kind: 'custom', stream: 'marketing', legalBasis: 'consent' },
  { kind: 'quality', stream: 'transactional', legalBasis: 'contract' },
  { kind: 'test', stream: 'transactional', legalBasis: 'contract' },
] as const)('$kind is $stream mail by $legalBasis', ({ kind, stream, legalBasis }) => {
  expect(kinds[kind]).toMatchObject({ stream, legalBasis });
});

test('every kind is in the table above and has a known channel', () => {
  expect(kindNames).toHaveLength(8);
  expect(kindNames.filter((kind) => !channels.includes(kinds[kind].channel))).toEqual([]);
});

test('the default kind of a stream belongs to it', () => {
  for (const stream of streams) expect(kinds[defaultKind[stream]].stream).toBe(stream);
});

test('transactional mail is sent before marketing mail', () => {
  expect(laneOf.transactional).toBeLessThan(laneOf.marketing);
  expect(lanes).toEqual([laneOf.transactional, laneOf.marketing]);
});
