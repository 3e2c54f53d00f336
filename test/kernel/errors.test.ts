import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { errorTable } from '#src/kernel/error-table.ts';
import { AppError, type ErrorCode } from '#src/kernel/errors.ts';
import { toAppError } from '#src/kernel/route.ts';
import { inEnglish, say } from '#src/kernel/say.ts';

const codes = Object.keys(errorTable) as ErrorCode[];

describe('the table of codes', () => {
  test.each(codes)('%s has a status, a hint that is a sentence, and a name in snake case', (code) => {
    const { status, cause, hint, de } = errorTable[code];
    for (const text of [inEnglish(cause), de.cause]) expect(text).toMatch(/^[A-ZÄÖÜ].{15,}\.$/s);
    expect(inEnglish(cause)).not.toBe(inEnglish(hint));
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(inEnglish(hint)).toMatch(/^[A-Z`/].*\.$/);
  });

  test('no extra field hides code, error or hint', () => {
    const taken = codes.flatMap((code) => {
      const row = errorTable[code];
      return 'extra' in row ? Object.keys(row.extra) : [];
    });
    expect(taken).not.toContain('code');
    expect(taken).not.toContain('error');
    expect(taken).not.toContain('hint');
  });

  test('what is the service’s own fault is temporary', () => {
    const permanent = codes.filter(
      (code) => errorTable[code].status >= 500 && !('temporary' in errorTable[code]),
    );
    expect(permanent).toEqual([]);
  });
});

describe('an error', () => {
  test('shows code, message, hint and its extra fields, and nothing of its cause', () => {
    const error = new AppError('body_too_large', say`The body is too large.`, {
      extra: { limit_bytes: 10 },
      cause: new Error('secret path /var/lib'),
    });
    expect(error.status).toBe(413);
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: 'body_too_large',
      error: 'The body is too large.',
      hint: inEnglish(errorTable.body_too_large.hint),
      limit_bytes: 10,
    });
    expect(z.strictObject(errorTable.body_too_large.extra).safeParse(error.extra).success).toBe(true);
  });

  test('may bring a better hint', () => {
    expect(new AppError('not_found', say`No such route.`, { hint: say`List them.` }).toJSON()).toEqual({
      code: 'not_found',
      error: 'No such route.',
      hint: 'List them.',
    });
  });

  test('of ours passes as it is', () => {
    const error = new AppError('conflict', say`Taken.`);
    expect(toAppError(error)).toBe(error);
  });

  test.each([
    ['an Error', new TypeError('cannot read x of undefined')],
    ['a string', 'boom'],
    ['nothing', undefined],
  ])('that is %s becomes an internal error which keeps it as its cause only', (_, thrown) => {
    const error = toAppError(thrown);
    expect(error.code).toBe('internal_error');
    expect(error.status).toBe(500);
    expect(error.cause).toBe(thrown);
    expect(JSON.stringify(error)).not.toMatch(/boom|undefined|TypeError/);
  });
});
