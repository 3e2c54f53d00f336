import { describe, expect, test } from 'vitest';
import { readRspamdAnswer } from '#src/intake/content/scanners/rspamd-answer.ts';

const read = (answer: unknown) => readRspamdAnswer(JSON.stringify(answer));
const usual = { is_skipped: false, score: 1.2, required_score: 15, action: 'no action', symbols: {} };

test('an answer of rspamd 3.4 to an ordinary message', () => {
  const text =
    '{"is_skipped":false,"score":1.200000,"required_score":15.0,"action":"no action","symbols":{"FROM_HAS_DN":{"name":"FROM_HAS_DN","score":0.0,"metric_score":0.0,"description":"From header has a display name"},"FORGED_SENDER":{"name":"FORGED_SENDER","score":0.300000,"metric_score":0.300000,"options":["praxis@send.example.com","a@send.example.com"]},"MIME_GOOD":{"name":"MIME_GOOD","score":-0.100000,"metric_score":-0.100000,"options":["text/plain"]},"DATE_IN_PAST":{"name":"DATE_IN_PAST","score":1.0,"metric_score":1.0,"options":["32"]}},"messages":{},"message-id":"preview@send.example.com","time_real":0.003004,"milter":{"remove_headers":{"X-Spam":0}}}';
  expect(readRspamdAnswer(text)).toEqual({
    state: 'ok',
    action: 'no action',
    score: 1.2,
    required: 15,
    symbols: ['DATE_IN_PAST', 'FORGED_SENDER'],
  });
});

test('its answer to the test string of spam filters: decided before it looked', () => {
  const text =
    '{"is_skipped":true,"score":15.0,"required_score":15.0,"action":"reject","symbols":{"GTUBE":{"name":"GTUBE","score":0.0,"metric_score":0.0}},"messages":{"smtp_message":"Gtube pattern"},"message-id":"preview@send.example.com","time_real":0.084576}';
  expect(readRspamdAnswer(text)).toMatchObject({ state: 'ok', action: 'reject', score: 15 });
});

describe('what is read', () => {
  const skipped = { state: 'skipped', action: null, score: null, required: null, symbols: [] };
  const symbols = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`RULE_${index}`, { score: index }]),
  );
  test.each<[says: string, answer: object, expected: object]>([
    ['a message it skipped', { is_skipped: true }, skipped],
    ['one it skipped, with its score', { ...usual, is_skipped: true }, skipped],
    ['actions of two words', { ...usual, action: 'rewrite subject' }, { action: 'rewrite subject' }],
    ['no threshold', { ...usual, required_score: undefined }, { required: null }],
    ['no symbols', { ...usual, symbols: undefined }, { symbols: [] }],
    [
      'the ten strongest symbols',
      { ...usual, symbols },
      { symbols: [29, 28, 27, 26, 25, 24, 23, 22, 21, 20].map((index) => `RULE_${index}`) },
    ],
    [
      'names of symbols that are such',
      { ...usual, symbols: { 'erika@example.org': { score: 3 }, '<b>': { score: 2 }, OK_1: { score: 1 } } },
      { symbols: ['OK_1'] },
    ],
  ])('%s', (_, answer, expected) => {
    expect(read(answer)).toMatchObject(expected);
  });
});

test.each<[says: string, text: string]>([
  ['no JSON', 'Bad request'],
  ['a list', '[]'],
  ['nothing in it', '{}'],
  ['no action', JSON.stringify({ ...usual, action: undefined })],
  ['no score', JSON.stringify({ ...usual, score: undefined })],
  ['a score that is text', JSON.stringify({ ...usual, score: '1' })],
  ['an action with an address', JSON.stringify({ ...usual, action: 'reject erika@example.org' })],
  ['an error', '{"error":"cannot find worker"}'],
])('%s is no answer', (_, text) => {
  expect(() => readRspamdAnswer(text)).toThrow();
});
