import { describe, expect, test } from 'vitest';
import { type Outcome, outcomeOf, statusOf } from '#src/intake/many.ts';
import { AppError } from '#src/kernel/errors.ts';
import { createLog } from '#src/kernel/log.ts';
import { inEnglish, said, say } from '#src/kernel/say.ts';

const silent = createLog('error', { write: () => undefined });

describe('the outcome of an item', () => {
  const outcome = (thrown: unknown) =>
    outcomeOf('body[3]', { log: silent, speak: inEnglish }, () => Promise.reject(thrown));

  test('names its place in the whole request', async () => {
    const fields = [
      { path: 'body.to', message: said('is required') },
      { path: 'body', message: said('x') },
      { path: 'body[3].cc', message: said('y') },
      { path: 'header.X', message: said('z') },
      { path: 'bodyguard', message: said('z') },
    ];
    expect(await outcome(new AppError('invalid_request', say`a`, { extra: { fields } }))).toMatchObject({
      refusal: {
        status_code: 400,
        code: 'invalid_request',
        fields: ['body[3].to', 'body[3]', 'body[3].cc', 'header.X', 'bodyguard'].map((path) => ({ path })),
      },
    });
  });

  test('of a defect shows no detail, which is only in the log', async () => {
    const lines: string[] = [];
    const log = createLog('error', { write: (line) => lines.push(line) });
    const refused = await outcomeOf('body[3]', { log, speak: inEnglish }, () =>
      Promise.reject(new TypeError('secret detail')),
    );
    expect(refused).toMatchObject({ refusal: { status_code: 500, code: 'internal_error' } });
    expect(JSON.stringify(refused)).not.toContain('secret detail');
    expect(lines.join()).toContain('secret detail');
  });

  const temporary: readonly (readonly [error: unknown, mayPass: boolean])[] = [
    [new AppError('unavailable', say`a`, { extra: { retry_after: 1 } }), true],
    [new AppError('idempotency_in_progress', say`a`), true],
    [new TypeError('a'), true],
    [new AppError('warmup_cap_reached', say`a`, { extra: { cap: 1 } }), false],
    [new AppError('idempotency_conflict', say`a`), false],
    [new AppError('not_found', say`a`), false],
  ];
  test.each(temporary)('%s: whether another try may pass: %s', async (error, mayPass) => {
    expect(await outcome(error)).toMatchObject({ mayPass });
  });

  test('makes a 202 of the whole where one was accepted', () => {
    const accepted = { kind: 'accepted' } as Outcome;
    const refused = { kind: 'refused' } as Outcome;
    expect([[], [refused], [refused, accepted]].map(statusOf)).toEqual([422, 422, 202]);
  });
});
