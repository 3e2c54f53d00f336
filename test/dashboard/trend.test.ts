// The overview says that more or less mail was accepted than before only where the numbers carry it.
import { expect, test } from 'vitest';
import { compared, type DayCounts, trendOf } from '#src/dashboard/pages/overview/trend.ts';

test.each([
  ['too few mails now', [19, 19], [900, 1_000], 'unknown', 0],
  ['too few mails before', [900, 1_000], [19, 19], 'unknown', 0],
  ['nothing at all', [0, 0], [0, 0], 'unknown', 0],
  ['one mail of twenty, which chance makes', [19, 20], [20, 20], 'same', 0],
  ['ten points of forty mails, which chance makes', [34, 40], [38, 40], 'same', 0],
  ['ten points of four hundred', [340, 400], [380, 400], 'less', 10],
  ['two points of ten thousand', [9_800, 10_000], [9_600, 10_000], 'more', 2],
  ['no chance, and no half point', [99_900, 100_000], [99_500, 100_000], 'same', 0],
  ['all, both times', [50, 50], [50, 50], 'same', 0],
] as const)('%s', (_, [part, whole], [partBefore, wholeBefore], kind, points) => {
  expect(trendOf({ part, whole }, { part: partBefore, whole: wholeBefore })).toEqual({ kind, points });
});

test('the last days are summed apart from those before, and no more is delivered than was sent', () => {
  const day = (fields: Partial<DayCounts>): DayCounts => ({
    ...{ sent: 0, refused: 0, delivered: 0, hard_bounced: 0, soft_bounced: 0, complaints: 0, opens: 0 },
    ...fields,
  });
  const days = [
    day({ sent: 1_000 }),
    day({ sent: 8, delivered: 8 }),
    day({ sent: 2, delivered: 1, soft_bounced: 1 }),
    day({ sent: 3, refused: 1, delivered: 2, hard_bounced: 1, opens: 1 }),
    day({ delivered: 9, complaints: 1 }),
  ];
  expect(compared(days, 2)).toEqual({
    now: { sent: 4, delivered: 4, hard: 1, bounced: 1, complaints: 1, opens: 1 },
    before: { sent: 10, delivered: 9, hard: 0, bounced: 1, complaints: 0, opens: 0 },
  });
});
