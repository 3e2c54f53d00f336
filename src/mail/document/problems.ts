// What is wrong with a document that has the right shape: links that lead nowhere, buttons without a text, typed braces that are no
// placeholder, images that are not there. Pure.
import { compileTemplate, type TemplateProblem } from '../merge-fields.ts';
import { targetOf } from './link-target.ts';
import type { Look } from './look.ts';
import type { Document } from './schema.ts';

export interface DocumentProblem {
  /** Keys and places from the document on. */
  readonly path: readonly (string | number)[];
  readonly message: TemplateProblem;
}

/** The first of them show the mistake. */
const MAX_PROBLEMS = 20;

const NO_TARGET = 'expected a link that begins with https://, http://, mailto: or tel:, or a placeholder';
const NO_LABEL = 'a button needs a text';
const NO_IMAGE = 'image_not_found: there is no such image';

const told = (key: string): TemplateProblem => ({ key, values: [] });

interface Node {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly attrs?: { readonly href?: unknown; readonly image?: unknown; readonly alt?: unknown };
  readonly content?: readonly Node[];
  readonly marks?: readonly Node[];
}

/** In the order of the document. */
export const problemsIn = (document: Document, imageOf: Look['imageOf']): DocumentProblem[] => {
  const problems: DocumentProblem[] = [];
  const judgeText = (text: unknown, path: DocumentProblem['path']): void => {
    if (typeof text !== 'string' || !text.includes('{{')) return;
    for (const message of compileTemplate(text, 'text').problems) problems.push({ path, message });
  };
  const judge = (
    { type, text, attrs = {}, marks = [], content = [] }: Node,
    path: DocumentProblem['path'],
  ) => {
    if (problems.length >= MAX_PROBLEMS) return;
    judgeText(text, [...path, 'text']);
    judgeText(attrs.alt, [...path, 'attrs', 'alt']);
    if (typeof attrs.href === 'string') {
      const place = [...path, 'attrs', 'href'];
      if (targetOf(attrs.href) === null) problems.push({ path: place, message: told(NO_TARGET) });
      else judgeText(attrs.href, place);
    }
    if (typeof attrs.image === 'string' && imageOf(attrs.image) === null)
      problems.push({ path: [...path, 'attrs', 'image'], message: told(NO_IMAGE) });
    if (type === 'button' && content.every((part) => part.type === 'text' && String(part.text).trim() === ''))
      problems.push({ path: [...path, 'content'], message: told(NO_LABEL) });
    for (const [index, mark] of marks.entries()) judge(mark, [...path, 'marks', index]);
    for (const [index, part] of content.entries()) judge(part, [...path, 'content', index]);
  };
  for (const [index, block] of document.content.entries()) judge(block as Node, ['content', index]);
  return problems.slice(0, MAX_PROBLEMS);
};
