// The page of error codes: what each means, what to do, and which calls answer with it.
import { z } from 'zod';
import { errorTable } from '#src/kernel/error-table.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import type { Route } from '#src/kernel/route.ts';
import { inEnglish } from '#src/kernel/say.ts';
import { errorCodes, errorsOf } from '../api-facts.ts';
import type { SchemaBook } from '../json-schema.ts';
import { fieldBlocks } from './call-section.ts';
import { causes } from './causes.ts';
import { inJson } from './literals.ts';
import { addressOf, type Block, type Page, type PageLink, type Section } from './model.ts';
import { sampleOf } from './sample-value.ts';
import type { CallPage } from './subjects.ts';

export const errorsLink: PageLink = {
  name: 'errors',
  title: 'Errors',
  summary: 'Every error code: its status, its cause, what to do, and whether trying again helps.',
};

/** A list of more calls says nothing. */
const MAX_CALLS = 60;

const callsBlock = (code: ErrorCode, pages: readonly CallPage[]): Block => {
  const calls = pages.flatMap(({ name, routes }) =>
    routes
      .filter((route) => errorsOf(route).includes(code))
      .map(({ id }: Route) => `[${id}](${addressOf(name)}#${id})`),
  );
  if (calls.length === 0)
    return {
      kind: 'prose',
      text: 'Calls: none by itself; it stands in the answers of calls that take many entries.',
    };
  if (calls.length > MAX_CALLS)
    return { kind: 'prose', text: `Calls: ${calls.length}, among them most that are alike.` };
  const list: Block = { kind: 'prose', text: `${calls.join(', ')}.` };
  const summary = calls.length === 1 ? 'One call answers with it' : `${calls.length} calls answer with it`;
  return { kind: 'folded', summary, blocks: [list] };
};

const errorSection = (code: ErrorCode, pages: readonly CallPage[], book: SchemaBook): Section => {
  const declaration = errorTable[code];
  const extra = 'extra' in declaration ? z.object(declaration.extra) : undefined;
  const sample = {
    code,
    error: causes[code].split('. ')[0]?.replaceAll('`', ''),
    hint: inEnglish(declaration.hint),
    ...(extra === undefined
      ? {}
      : (sampleOf(book.describe(extra, 'output', `error.${code}`), book) as object)),
  };
  const isTemporary = 'temporary' in declaration;
  return {
    id: code,
    title: code,
    blocks: [
      {
        kind: 'terms',
        caption: '',
        rows: [
          ['Status', String(declaration.status)],
          ['Cause', causes[code]],
          ['What to do', inEnglish(declaration.hint)],
          [
            'Trying again',
            isTemporary
              ? 'Helps: the same request may succeed later.'
              : 'Does not help: the same request fails again until something is changed.',
          ],
        ],
      },
      ...(extra === undefined ? [] : fieldBlocks('Own fields', extra, 'output', `error.${code}`, book)),
      callsBlock(code, pages),
    ],
    aside: [{ kind: 'code', caption: 'Answer', language: 'json', text: inJson(sample) }],
  };
};

export const errorsPage = (pages: readonly CallPage[], book: SchemaBook): Page => ({
  ...errorsLink,
  blocks: [
    {
      kind: 'prose',
      text: 'An error is a JSON object with `code` (this page lists them), `error` (what happened), `hint` (what to do) and the own fields of the code. Programs decide by `code`; `error` and `hint` are for people, in German where `Accept-Language` asks for it. The header field `Link` of the answer leads to the code on this page.',
    },
    {
      kind: 'list',
      items: errorCodes.map((code) => `[${code}](/reference/errors#${code}) (${errorTable[code].status})`),
    },
  ],
  sections: errorCodes.map((code) => errorSection(code, pages, book)),
});
