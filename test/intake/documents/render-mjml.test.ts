// MJML as people and strangers write it: what cannot be rendered is said, and never hurts what is rendered next.
import { expect, test } from 'vitest';
import { createRenderMjml } from '#src/intake/documents/render-mjml.ts';

const render = createRenderMjml();
const inText = (content: string) =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>${content}</mj-text></mj-column></mj-section></mj-body></mjml>`;
/** The library panics where it tells of a mistake behind a letter of two bytes. */
const PANICS =
  '<mjml><mj-body><mj-section><mj-column>é">a</mj-text></mj-column></mj-section></mj-body></mjml>';
const good = inText('Guten Tag');

test.each([
  ['no MJML', 'hello', /template/],
  ['an open element', inText('<b>x'), /./],
  ['a file to include', '<mjml><mj-body><mj-include path="/etc/passwd" /></mj-body></mjml>', /include/],
  [
    'a page to include',
    '<mjml><mj-body><mj-include path="http://127.0.0.1:1/" /></mj-body></mjml>',
    /include/,
  ],
  ['too many levels', inText('<div>'.repeat(5_000) + '</div>'.repeat(5_000)), /100 levels/],
  ['text in a column', PANICS, /./],
])('%s has a reason, and the next one is rendered', (_, mjml, reason) => {
  const { html, problem } = render(mjml);
  if (html === null) expect(problem).toMatch(reason);
  expect(render(good).html).toContain('Guten Tag');
});

test('panics leave it as it was', () => {
  const first = render(good);
  const panics = Array.from({ length: 5 }, () => render(PANICS));
  expect(panics.map(({ html }) => html)).toEqual(panics.map(() => null));
  expect(render(good)).toEqual(first);
});
