import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AppError } from '#src/kernel/errors.ts';
import { nearest } from '#src/kernel/nearest.ts';
import { inEnglish } from '#src/kernel/say.ts';
import { check, validate } from '#src/kernel/validate.ts';

const address = z.union([z.string(), z.strictObject({ email: z.string(), name: z.string().optional() })]);
const schema = z.strictObject({
  to: z.union([z.string(), z.array(address).min(1).max(3)]),
  subject: z.string().min(1).max(10),
  message_kind: z.enum(['termin', 'recall', 'newsletter']).optional(),
  priority: z.int().min(1).max(5).optional(),
  tracking: z.boolean().optional(),
  url: z.url().optional(),
  when: z.iso.datetime().optional(),
  project: z.uuid().optional(),
  metadata: z.record(z.string().max(5), z.string()).optional(),
  route: z
    .string()
    .refine((slug) => slug !== 'x', 'the route x is closed')
    .optional(),
  part: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text'), text: z.string() }),
      z.strictObject({ type: z.literal('html'), html: z.string() }),
    ])
    .optional(),
});
const good = { to: 'a', subject: 'b' };

const problems = (value: unknown): unknown => {
  try {
    validate(schema, value, 'body');
  } catch (thrown) {
    return (thrown as AppError).extra.fields;
  }
  return [];
};

describe('what does not fit', () => {
  test.each<[string, unknown, [path: string, message: string][]]>([
    ['a missing field', { to: 'a' }, [['body.subject', 'is required']]],
    ['a wrong type', { ...good, subject: 5 }, [['body.subject', 'must be a string, not a number']]],
    ['no number', { ...good, subject: Number.NaN }, [['body.subject', 'must be a string']]],
    ['null', { ...good, subject: null }, [['body.subject', 'must be a string, not null']]],
    ['not even an object', [], [['body', 'must be an object, not an array']]],
    ['an empty string', { ...good, subject: '' }, [['body.subject', 'must not be empty']]],
    [
      'a long string',
      { ...good, subject: 'x'.repeat(11) },
      [['body.subject', 'must have at most 10 characters']],
    ],
    ['too many items', { ...good, to: ['a', 'b', 'c', 'd'] }, [['body.to', 'must have at most 3 items']]],
    ['a fraction', { ...good, priority: 1.5 }, [['body.priority', 'must be a whole number']]],
    ['a number out of bounds', { ...good, priority: 9 }, [['body.priority', 'must be at most 5']]],
    [
      'an unknown word',
      { ...good, message_kind: 'x' },
      [['body.message_kind', 'must be `termin`, `recall` or `newsletter`']],
    ],
    [
      'a string for a flag',
      { ...good, tracking: 'yes' },
      [['body.tracking', 'must be true or false, not a string']],
    ],
    ['no URL', { ...good, url: 'x' }, [['body.url', 'must be a URL']]],
    ['no time', { ...good, when: 'x' }, [['body.when', 'must be a date and time (2026-01-31T12:00:00Z)']]],
    ['no UUID', { ...good, project: '4711' }, [['body.project', 'must be a UUID']]],
    [
      'a slug',
      { ...good, project: 'default' },
      [['body.project', 'must be the id, a UUID, not a slug or name']],
    ],
    [
      'a key of a record',
      { ...good, metadata: { toolong: 'x' } },
      [['body.metadata.toolong', 'must have at most 5 characters']],
    ],
    [
      'a value of a record',
      { ...good, metadata: { a: 1 } },
      [['body.metadata.a', 'must be a string, not a number']],
    ],
    ["a schema's own words", { ...good, route: 'x' }, [['body.route', 'the route x is closed']]],
    [
      'a misspelt field',
      { ...good, sujbect: 1 },
      [['body.sujbect', 'unknown field `sujbect`; did you mean `subject`?']],
    ],
    [
      'another spelling',
      { ...good, messageKind: 1 },
      [['body.messageKind', 'unknown field `messageKind`; did you mean `message_kind`?']],
    ],
    ['a field like no other', { ...good, zzz: 1 }, [['body.zzz', 'unknown field `zzz`']]],
    [
      'two unknown fields',
      { ...good, zzz: 1, prio: 1 },
      [
        ['body.zzz', 'unknown field `zzz`'],
        ['body.prio', 'unknown field `prio`'],
      ],
    ],
    [
      'a name with a line break',
      { ...good, 'a\nb': 1, tag: 1 },
      [
        ['body["a\\nb"]', 'unknown field `a b`'],
        ['body.tag', 'unknown field `tag`'],
      ],
    ],
    ['no form of a union', { ...good, to: 5 }, [['body.to', 'must be a string or an array']]],
    ['a missing union', { subject: 'b' }, [['body.to', 'is required']]],
    [
      'the likely form of a union',
      { ...good, to: ['a', { email: 'b' }, { emial: 'c' }] },
      [
        ['body.to[2].email', 'is required'],
        ['body.to[2].emial', 'unknown field `emial`; did you mean `email`?'],
      ],
    ],
    [
      'no form of a tagged union',
      { ...good, part: { type: 'x' } },
      [['body.part.type', 'must be `text` or `html`']],
    ],
    ['a field of a tagged union', { ...good, part: { type: 'text' } }, [['body.part.text', 'is required']]],
  ])('%s', (_, value, expected) => {
    expect(problems(value)).toEqual(expected.map(([path, message]) => ({ path, message })));
  });

  test('never says a long value or key back, and ends its list', () => {
    const secret = 's'.repeat(5000);
    const value = { ...good, subject: secret, message_kind: secret, [secret]: 1 };
    expect(JSON.stringify(problems(value))).not.toContain('s'.repeat(101));
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`zz${index}`, 1]));
    expect(problems({ ...good, ...many })).toHaveLength(20);
  });

  test('of tens of thousands of unknown fields, names the first and says so in one line', () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`zz${index}`, 1]));
    const fields = problems({ ...good, ...many });
    expect(fields).toHaveLength(20);
    expect(fields).toContainEqual({ path: 'body.zz19', message: 'unknown field `zz19`' });
    expect(() => validate(schema, { ...good, ...many }, 'body')).toThrow(
      '`body.zz0`: unknown field `zz0` (and 19 more)',
    );
  });

  test('names are suggested for the first unknown fields of a request, however many objects have some', () => {
    const list = z.array(z.strictObject({ subject: z.string().optional() }));
    const items = Array.from({ length: 1_000 }, () => ({ sujbect: '1', subjcet: '2' }));
    // Each request has its own.
    for (let request = 1; request <= 2; request++) {
      const { problems: found } = check(list, items, 'body');
      expect(found).toHaveLength(2_000);
      expect(found?.filter(({ message }) => inEnglish(message).includes('did you mean `subject`?'))).toEqual(
        found?.slice(0, 20),
      );
    }
  });

  test('the error names the first problem and counts the others', () => {
    expect(() => validate(schema, {}, 'body')).toThrow('`body.to`: is required (and 1 more)');
  });
});

test('what fits comes back parsed', () => {
  expect(validate(z.object({ limit: z.coerce.number().default(50) }), {}, 'query')).toEqual({ limit: 50 });
});

test.each<[string, string | undefined]>([
  ['sujbect', 'subject'],
  ['subjct', 'subject'],
  ['Subject', 'subject'],
  ['reply-to', 'reply_to'],
  ['too', 'to'],
  ['tags', 'tag'],
  ['recipients', undefined],
  ['s'.repeat(100), undefined],
])('the nearest of the known words to %s is %s', (word, expected) => {
  expect(nearest(word, ['to', 'tag', 'subject', 'reply_to'])).toBe(expected);
});
