// What a page must have to be used with a keyboard, by ear, and on a telephone, as far as its source says it (WCAG 2.2: 1.1.1, 1.3.1,
// 1.3.5, 2.4.2, 2.4.6, 3.1.1, 3.3.1, 3.3.2, 4.1.2). Empty where nothing is wrong.
import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

const isElement = (node: Node): node is Element => 'tagName' in node;
const elementsIn = (node: Node): Element[] => [
  ...(isElement(node) ? [node] : []),
  ...('childNodes' in node ? node.childNodes.flatMap(elementsIn) : []),
];
const textIn = (node: Node): string =>
  'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(textIn).join('') : '';
const attributeOf = (element: Element, name: string): string | undefined =>
  element.attrs.find((one) => one.name === name)?.value;
const isHidden = (element: Element): boolean =>
  attributeOf(element, 'type') === 'hidden' ||
  attributeOf(element, 'aria-hidden') === 'true' ||
  (element.parentNode !== null && isElement(element.parentNode) && isHidden(element.parentNode));

export const pageFaults = (html: string): string[] => {
  const errors: string[] = [];
  const all = elementsIn(parse(html, { onParseError: ({ code }) => errors.push(`syntax: ${code}`) }));
  const named = (...tags: readonly string[]): Element[] =>
    all.filter(({ tagName }) => tags.includes(tagName));
  const ids = all.flatMap((element) => attributeOf(element, 'id') ?? []);
  const labels = named('label');
  const shown = (element: Element): string =>
    `${element.tagName} ${attributeOf(element, 'name') ?? ''}`.trim();
  const hasLabel = (field: Element): boolean => {
    const label = labels.find((one) => attributeOf(one, 'for') === attributeOf(field, 'id'));
    return attributeOf(field, 'id') !== undefined && label !== undefined && textIn(label).trim() !== '';
  };
  const fields = named('input', 'select', 'textarea').filter((field) => !isHidden(field));
  const levels = named('h1', 'h2', 'h3').map(({ tagName }) => Number(tagName[1]));
  const references = all.flatMap((element) =>
    ['aria-describedby', 'aria-labelledby', 'for'].flatMap(
      (name) => attributeOf(element, name)?.split(' ') ?? [],
    ),
  );
  const jumps = named('a').flatMap((link) => /^#(.+)/.exec(attributeOf(link, 'href') ?? '')?.[1] ?? []);
  const rules: readonly (readonly [fault: string, found: readonly unknown[]])[] = [
    ['has no language', attributeOf(named('html')[0] as Element, 'lang') ? [] : ['html']],
    ['has no title', named('title').some((title) => textIn(title).trim() !== '') ? [] : ['title']],
    ['has not one main part', named('main').length === 1 ? [] : ['main']],
    [
      'has not one heading of the first level',
      levels.filter((level) => level === 1).length === 1 ? [] : ['h1'],
    ],
    ['leaves out a level of headings', levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1)],
    [
      'has no width for telephones',
      named('meta').some((meta) => attributeOf(meta, 'name') === 'viewport') ? [] : ['meta'],
    ],
    ['has an id twice', ids.filter((id, at) => ids.indexOf(id) !== at)],
    ['refers to nothing', [...references, ...jumps].filter((id) => !ids.includes(id))],
    ['has a field without a label', fields.filter((field) => !hasLabel(field)).map(shown)],
    [
      'has a field of a person without its purpose',
      fields
        .filter(
          (field) =>
            ['email', 'name'].includes(attributeOf(field, 'name') ?? '') &&
            attributeOf(field, 'autocomplete') !== attributeOf(field, 'name'),
        )
        .map(shown),
    ],
    [
      'has a hidden field that takes the focus',
      named('input')
        .filter(
          (field) =>
            isHidden(field) &&
            attributeOf(field, 'type') !== 'hidden' &&
            attributeOf(field, 'tabindex') !== '-1',
        )
        .map(shown),
    ],
    [
      'has boxes without a legend',
      named('fieldset')
        .filter((set) => !elementsIn(set).some(({ tagName }) => tagName === 'legend'))
        .map(shown),
    ],
    [
      'has a button or link without words',
      named('a', 'button')
        .filter((one) => textIn(one).trim() === '')
        .map(shown),
    ],
    [
      'has an image without an alternative',
      named('img')
        .filter((image) => attributeOf(image, 'alt') === undefined)
        .map(shown),
    ],
    ['needs a script', named('script').map(shown)],
  ];
  return [
    ...errors,
    ...rules.flatMap(([fault, found]) => (found.length === 0 ? [] : [`${fault}: ${found.join(', ')}`])),
  ];
};
