import { describe, expect, test } from 'vitest';
import { compileContent } from '#src/intake/templates/render.ts';
import { said } from '#src/kernel/say.ts';

const content = {
  subject: 'Termin am {{datum}}',
  text: 'Guten Tag {{name}},',
  html: '<p>{{name}}</p><a href="{{link}}">Termin</a>',
};
const data = { datum: 'Montag', name: 'Anna', link: 'https://a.example/', unused: 'x' };

describe('content with placeholders', () => {
  test('lists all placeholders, once', () => {
    expect(compileContent(content).fields).toEqual(['datum', 'name', 'link']);
  });

  test('keeps the values that text and HTML use', () => {
    const { dataOfBody } = compileContent(content);
    expect(dataOfBody(data)).toEqual({ name: 'Anna', link: 'https://a.example/' });
    expect(dataOfBody({ name: 'Anna' })).toEqual({ name: 'Anna' });
  });

  test('has text or HTML only where it was given', () => {
    expect(compileContent({ ...content, text: null }).render(data)).toMatchObject({
      text: null,
      html: expect.any(String),
    });
    expect(compileContent({ ...content, html: null }).fields).toEqual(['datum', 'name']);
  });

  test('names the part of each mistake', () => {
    const { problems } = compileContent({ subject: '{{#}}', text: '{{a b}}', html: '<a {{x}}>' });
    expect(problems.map(({ path }) => path)).toEqual(['subject', 'text', 'html']);
  });
});

describe('more placeholders than data can have values', () => {
  const names = (count: number, length = 4) =>
    Array.from({ length: count }, (_, index) => `{{${`a${index}`.padEnd(length, '_')}}}`).join(' ');
  const pathsOf = (text: string, html: string) =>
    compileContent({ subject: 'x', text, html }).problems.map(({ path }) => path);

  test('are refused, counted over all parts', () => {
    expect(pathsOf(names(400), names(400))).toEqual([]);
    expect(pathsOf(names(400), '{{other}}')).toEqual(['text', 'html']);
  });

  test('are refused too for names that no data can have', () => {
    expect(pathsOf(names(1, 100), '')).toEqual([]);
    expect(pathsOf(names(1, 101), '')).toEqual(['text']);
  });

  test('are reported in few lines, however many are wrong', () => {
    expect(pathsOf('{{a b}}'.repeat(100_000), '')).toHaveLength(5);
  });
});

describe('data that do not fit', () => {
  const rows: readonly (readonly [name: string, data: Record<string, string>, paths: readonly string[]])[] = [
    ['a missing value', { datum: 'x', link: 'https://a.example/' }, ['d.name']],
    ['several', {}, ['d.datum', 'd.name', 'd.link']],
    ['an inherited name', { datum: 'x', name: 'toString' }, ['d.link']],
    ['a link that is none', { ...data, link: 'a.example' }, ['d.link']],
    ['a subject that becomes too long', { ...data, datum: 'x'.repeat(990) }, ['d']],
    ['a value that makes it too long', { ...data, name: 'x'.repeat(1_000_000) }, ['d']],
    ['nothing: values may be empty', { ...data, name: '' }, []],
  ];
  test.each(rows)('%s', (_, given, paths) => {
    expect(
      compileContent(content)
        .problemsOf(given, 'd')
        .map(({ path }) => path),
    ).toEqual(paths);
  });

  test('values in very many places are refused without being put there', () => {
    const many = compileContent({
      subject: 'x',
      text: '{{a}}'.repeat(200_000),
      html: '{{a}}'.repeat(200_000),
    });
    expect(many.problemsOf({ a: '"'.repeat(10_000) }, 'd')).toHaveLength(1);
    expect(many.problemsOf({ a: '12345' }, 'd')).toEqual([]);
  });

  test.each(['', ' ', '\u200b', '\u202e\n'])('a subject of %j alone', (datum) => {
    const { problemsOf } = compileContent({ ...content, subject: '{{datum}}' });
    expect(problemsOf({ ...data, datum }, 'd')).toEqual([
      { path: 'd', message: said('leaves the subject empty') },
    ]);
  });
});
