import { expect, test } from 'vitest';
import {
  ASKED_FOR,
  applicableSuppression,
  type SuppressionFacts,
  type SuppressionReason,
  suppressionReasons,
} from '#src/messages/suppression-rules.ts';

const suppression = (fields: Partial<SuppressionFacts>): SuppressionFacts => ({
  id: 'a',
  scope: 'team',
  project_id: null,
  route_id: null,
  reason: 'unsubscribe_all',
  ...fields,
});
const mail = { project_id: 'p1', route_id: 'r1', channel: 'newsletter', source: 'api' } as const;

const wishes: readonly SuppressionReason[] = ['unsubscribe', 'unsubscribe_all', 'erasure'];

test.each(suppressionReasons)('mail that the person asked for passes only their own wish: %s', (reason) => {
  const rows = [suppression({ reason })];
  expect(applicableSuppression(rows, mail)).toBe(rows[0]);
  const asked = { ...mail, source: ASKED_FOR };
  expect(applicableSuppression(rows, asked)).toBe(wishes.includes(reason) ? null : rows[0]);
});

test.each<[string, Partial<SuppressionFacts>, boolean]>([
  ['of the practice', {}, true],
  ['of its project', { scope: 'project', project_id: 'p1' }, true],
  ['of another project', { scope: 'project', project_id: 'p2' }, false],
  ['of its route', { scope: 'route', route_id: 'r1' }, true],
  ['of another route', { scope: 'route', route_id: 'r2' }, false],
  ['lifted for its channel', { lifted_json: '[{"channel":"newsletter","entry":"e","at":"x"}]' }, false],
  [
    'lifted for another channel',
    { lifted_json: '[{"channel":"product_updates","entry":"e","at":"x"}]' },
    true,
  ],
])('a suppression %s', (_, fields, stops) => {
  expect(applicableSuppression([suppression(fields)], mail) !== null).toBe(stops);
});

test('the widest one is named', () => {
  const rows = [
    suppression({ id: 'route', scope: 'route', route_id: 'r1' }),
    suppression({ id: 'project', scope: 'project', project_id: 'p1' }),
    suppression({ id: 'team' }),
  ];
  expect(applicableSuppression(rows, mail)?.id).toBe('team');
  expect(applicableSuppression(rows.slice(0, 2), mail)?.id).toBe('project');
});
