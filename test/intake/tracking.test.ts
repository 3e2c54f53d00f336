import { describe, expect, test } from 'vitest';
import { isDelicate, trackingOf } from '#src/intake/gate.ts';
import type { Kind } from '#src/messages/kinds.ts';

const ROUTES = { on: { track_opens: 1, track_clicks: 1 }, off: { track_opens: 0, track_clicks: 0 } } as const;

describe('opens and clicks are tracked', () => {
  type Row = readonly [
    kind: Kind,
    route: keyof typeof ROUTES,
    says: boolean | undefined,
    source: string,
    tracked: boolean,
  ];
  const clinical = ['termin', 'recall', 'doi', 'quality', 'test'] as const;
  const others = ['transactional', 'newsletter', 'custom'] as const;
  const all = [...clinical, ...others];
  const rows: readonly Row[] = [
    ...clinical.map((kind): Row => [kind, 'on', undefined, 'api', false]),
    ...clinical.map((kind): Row => [kind, 'off', undefined, 'api', false]),
    ...others.map((kind): Row => [kind, 'on', undefined, 'api', true]),
    ...others.map((kind): Row => [kind, 'off', undefined, 'api', false]),
    ...all.map((kind): Row => [kind, 'off', true, 'api', true]),
    ...all.map((kind): Row => [kind, 'on', false, 'api', false]),
    ['newsletter', 'on', undefined, 'bulk', true],
    ['transactional', 'on', undefined, 'smtp', true],
    ['transactional', 'on', undefined, 'system', false],
    ['transactional', 'on', true, 'system', false],
  ];
  test.each(rows)('a %s over a route that has it %s, where the message says %s, by %s: %s', (...row) => {
    const [kind, route, says, source, tracked] = row;
    const settings = says === undefined ? {} : { track_opens: says, track_clicks: says };
    const expected = { track_opens: tracked, track_clicks: tracked };
    expect(trackingOf(settings, kind, ROUTES[route], source)).toEqual(expected);
  });

  test('each by itself', () => {
    expect(trackingOf({ track_opens: false }, 'newsletter', ROUTES.on, 'api')).toEqual({
      track_opens: false,
      track_clicks: true,
    });
    expect(trackingOf({}, 'newsletter', { track_opens: 1, track_clicks: 0 }, 'api')).toEqual({
      track_opens: true,
      track_clicks: false,
    });
  });
});

describe('is delicate', () => {
  const rows: readonly (readonly [kind: Kind, expected: boolean])[] = [
    ['termin', true],
    ['recall', true],
    ['doi', true],
    ['transactional', false],
    ['newsletter', false],
    ['quality', false],
  ];
  test.each(rows)('of kind %s: %s', (kind, expected) => {
    expect(isDelicate({ track_opens: true }, kind)).toBe(expected);
    expect(isDelicate({ track_opens: false, track_clicks: true }, kind)).toBe(expected);
    expect(isDelicate({ track_opens: false, track_clicks: false }, kind)).toBe(false);
    expect(isDelicate({}, kind)).toBe(false);
  });
});
