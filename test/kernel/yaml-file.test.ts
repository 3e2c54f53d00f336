import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkedText } from '#src/kernel/expected.ts';
import { ConfigError, formatProblem, readYaml } from '#src/kernel/yaml-file.ts';

const schema = z.strictObject({
  name: z.string().min(1).max(9),
  size: z.int().min(1).max(5).prefault(2),
  inner: z
    .strictObject({
      flag: z.boolean().optional(),
      hosts: z
        .array(checkedText('a host', (t) => t !== 'bad'))
        .max(3)
        .prefault([]),
    })
    .prefault({}),
  either: z
    .union([
      z.literal(false),
      z.int().min(1).max(2),
      z.array(checkedText('a net', (t) => t === 'net')).max(2),
    ])
    .prefault(false),
});

const problems = (text: string): string[] => readYaml('f.yaml', text, schema).problems.map(formatProblem);
const bomb = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  'b: &b [*a,*a,*a,*a,*a,*a]',
  'c: &c [*b,*b,*b,*b,*b,*b]',
  'd: [*c,*c,*c,*c]',
].join('\n');

describe('a good file', () => {
  test.each([
    [
      'defaults stand where a key is absent',
      'name: a',
      { name: 'a', size: 2, inner: { hosts: [] }, either: false },
    ],
    [
      'or has nothing behind it',
      'name: a\nsize:\ninner:\n  flag:\neither: ~',
      { size: 2, inner: { hosts: [] }, either: false },
    ],
    [
      'anchors may be used',
      'name: &n a\ninner: { hosts: [*n, *n] }',
      { name: 'a', inner: { hosts: ['a', 'a'] } },
    ],
  ])('%s', (_name, text, value) => {
    const file = readYaml('f.yaml', text, schema);
    expect(file.problems).toEqual([]);
    expect(file.value).toMatchObject(value);
  });
});

describe('a bad file', () => {
  test.each<[string, string, string[]]>([
    ['nothing in it', '', ['f.yaml:1:1: name: expected text of 1 to 9 characters, got nothing']],
    ['a list', '- a', ['f.yaml:1:1: expected a mapping, got a list']],
    ['a key twice', 'name: a\nname: b', ['f.yaml:2:1: expected each key once, got name again']],
    ['two documents', 'name: a\n---\nname: b', ['f.yaml:2:1: expected one YAML document, got several']],
    [
      'an unknown tag',
      'name: !!js/function x',
      ['f.yaml:1:7: expected valid YAML, got Unresolved tag: tag:yaml.org,2002:js/function'],
    ],
    [
      'tabs for indentation',
      'inner:\n\tflag: true',
      ['f.yaml:2:1: expected valid YAML, got Tabs are not allowed as indentation'],
    ],
    [
      'an alias bomb',
      bomb,
      [
        'f.yaml:1:1: expected YAML of sensible size, got Excessive alias count indicates a resource exhaustion attack',
      ],
    ],
    [
      'a prototype as key',
      'name: a\n__proto__: { x: 1 }',
      ['f.yaml:2:1: __proto__: expected a known key: name, size, inner or either'],
    ],
    ['a mistyped key', 'nmae: a\nname: b', ['f.yaml:1:1: nmae: expected a known key, the nearest is name']],
    [
      'a mistyped key without value',
      'name: a\ninner:\n  falg:',
      ['f.yaml:3:3: inner.falg: expected a known key, the nearest is flag'],
    ],
    [
      'an entry of a list',
      'name: a\ninner:\n  hosts:\n    - good\n    - bad',
      ['f.yaml:5:7: inner.hosts[1]: expected a host, got "bad"'],
    ],
    [
      'nothing in a list',
      'name: a\ninner: { hosts: [~] }',
      ['f.yaml:2:18: inner.hosts[0]: expected a host, got nothing'],
    ],
    [
      'no branch of a union',
      'name: a\neither: x',
      [
        'f.yaml:2:1: either: expected false, a whole number from 1 to 2 or a list of at most 2 entries, each a net, got "x"',
      ],
    ],
    [
      'the branch of a union that was meant',
      'name: a\neither: [net, x]',
      ['f.yaml:2:15: either[1]: expected a net, got "x"'],
    ],
    [
      'a problem behind an alias',
      'name: a\ninner: &i { flag: 3 }\neither: 1',
      ['f.yaml:2:13: inner.flag: expected true or false, got 3'],
    ],
    [
      'several at once',
      'size: 9\ninner: 1',
      [
        'f.yaml:1:1: name: expected text of 1 to 9 characters, got nothing',
        'f.yaml:1:1: size: expected a whole number from 1 to 5, got 9',
        'f.yaml:2:1: inner: expected a mapping, got 1',
      ],
    ],
    [
      'a long value is cut',
      `name: ${'x'.repeat(999)}`,
      [`f.yaml:1:1: name: expected text of 1 to 9 characters, got "${'x'.repeat(79)}…`],
    ],
  ])('%s', (_name, text, expected) => expect(problems(text)).toEqual(expected));

  test.each([
    ['a file that is too long', `name: ${' '.repeat(300_000)}a`],
    ['nesting without end', '['.repeat(100_000)],
    ['an alias to itself', 'name: &a [*a]'],
  ])('%s is refused with few words', (_name, text) => {
    expect(problems(text).length).toBeGreaterThan(0);
    expect(problems(text).length).toBeLessThan(6);
  });

  test('its valid parts come back all the same', () => {
    expect(readYaml('f.yaml', 'size: 9\ninner: { flag: true }', schema).value).toEqual({
      inner: { flag: true, hosts: [] },
      either: false,
    });
  });

  test('the error has one line per problem', () => {
    const error = new ConfigError(readYaml('f.yaml', 'size: 9', schema).problems);
    expect(error.message.split('\n')).toHaveLength(2);
  });
});
