// A call as a section of a page.
import type { z } from 'zod';
import { type Access, isPermission, type Permission } from '#src/kernel/access.ts';
import type { Route } from '#src/kernel/route.ts';
import { bodyTypes, errorsOf, statusFor } from '../api-facts.ts';
import { sampleCallOf } from '../examples.ts';
import type { SchemaBook } from '../json-schema.ts';
import { namesPracticeInHeader } from '../routing.ts';
import { boundsOf, fieldsOf, typeOf } from './fields.ts';
import { inJson } from './literals.ts';
import type { Block, Field, Section } from './model.ts';
import { sampleOf } from './sample-value.ts';
import { samplesOf } from './samples.ts';

const openAccessText: Readonly<Record<Exclude<Access, Permission>, string>> = {
  public: 'public',
  authenticated: 'any live credential',
  session: 'a signed-in member’s session',
  practice_creator: 'the operator’s token, or the session of an Owner or Admin of any practice',
  operator: 'the operator’s token',
};

const accessText = ({ access }: Route): string =>
  isPermission(access) ? `permission \`${access}\`` : openAccessText[access];

/** What the server does with every request of the route. */
const termsOf = (route: Route): string => {
  const { audit, rate, stability, body, usedBy } = route;
  return [
    `Access: ${accessText(route)}.`,
    ...(namesPracticeInHeader(route)
      ? ['Without a token of a practice, `project_id` or `X-Service-Practice` names the practice it is for.']
      : []),
    ...(usedBy === undefined ? [] : [`Used by ${usedBy}.`]),
    ...(rate === undefined ? [] : ['Under the tight rate limit of sign-in and public forms.']),
    ...(body && bodyTypes(route).length > 1
      ? [
          `Takes ${bodyTypes(route)
            .map((type) => `\`${type}\``)
            .join(', ')}.`,
        ]
      : []),
    ...(typeof audit === 'string' ? [`In the audit as \`${audit}\`.`] : []),
    `Stability: ${stability}.`,
  ].join(' ');
};

/** Names that other APIs have for the same. */
const isAlias = ({ text, fields }: Field): boolean => fields.length === 0 && /^alias of \S+$/.test(text);

export const fieldBlocks = (
  caption: string,
  schema: z.ZodType | undefined,
  direction: 'input' | 'output',
  place: string,
  book: SchemaBook,
): readonly Block[] => {
  if (!schema) return [];
  const described = book.describe(schema, direction, place);
  const fields = fieldsOf(described, book);
  if (fields.length === 0)
    // What is no object has no fields: its type says what there is to say.
    return [{ kind: 'prose', text: `${caption}: \`${typeOf(described, book)}\` ${boundsOf(described)}` }];
  const [others = [], own = []] = [true, false].map((is) => fields.filter((one) => isAlias(one) === is));
  return [
    { kind: 'fields', caption, fields: own },
    ...(others.length === 0
      ? []
      : [
          {
            kind: 'folded',
            summary: `${others.length} other names for these fields`,
            blocks: [{ kind: 'fields', caption: '', fields: others }],
          } as const,
        ]),
  ];
};

const answersOf = (route: Route, book: SchemaBook): readonly Block[] =>
  Object.entries(route.responses).flatMap(([status, { description, body, otherwise }]): readonly Block[] => {
    const schema = typeof body === 'object' ? body : undefined;
    const other = otherwise === undefined ? '' : `; or \`${otherwise}\`, by Accept`;
    const kind = (typeof body === 'string' ? `, \`${body}\`` : '') + other;
    const fields = fieldBlocks('', schema, 'output', `${route.id}.${status}`, book);
    const text = `Answer ${status}: ${description}${kind}`;
    return [
      { kind: 'prose', text },
      ...(fields.length > 0
        ? [{ kind: 'folded', summary: 'Fields of the answer', blocks: fields } as const]
        : []),
    ];
  });

/** Undefined where the answer is no JSON. */
export const sampleAnswerOf = (
  route: Route,
  book: SchemaBook,
): { readonly status: string; readonly value: unknown } | undefined => {
  const [found] = Object.entries(route.responses).filter(
    ([status, { body }]) => status < '300' && typeof body === 'object',
  );
  if (found === undefined) return undefined;
  const [status, { body }] = found;
  const described = book.describe(body as z.ZodType, 'output', `${route.id}.${status}`);
  return { status, value: sampleOf(described, book) };
};

export const callSection = (route: Route, book: SchemaBook): Section => {
  const place = route.id;
  const errors = errorsOf(route).map(
    (code) => `[${code}](/reference/errors#${code}) (${statusFor(route, code)})`,
  );
  const answer = sampleAnswerOf(route, book);
  return {
    id: place,
    title: route.summary,
    call: {
      method: route.method.toUpperCase(),
      path: route.path,
      isDeprecated: route.stability === 'deprecated',
    },
    blocks: [
      ...(route.description?.split('\n\n') ?? []).map((text): Block => ({ kind: 'prose', text })),
      { kind: 'prose', text: termsOf(route) },
      ...fieldBlocks('Path', route.params, 'input', `${place}.params`, book),
      ...fieldBlocks('Query', route.query, 'input', `${place}.query`, book),
      ...fieldBlocks('Headers', route.headers, 'input', `${place}.headers`, book),
      ...fieldBlocks('Body', route.body, 'input', `${place}.body`, book),
      ...answersOf(route, book),
      ...(errors.length === 0
        ? []
        : [
            {
              kind: 'folded',
              summary: `Errors: ${errors.length} codes`,
              blocks: [{ kind: 'prose', text: `${errors.join(', ')}.` }],
            } as const,
          ]),
    ],
    aside: [
      { kind: 'samples', caption: 'Call', samples: samplesOf(sampleCallOf(route)) },
      ...(answer === undefined
        ? []
        : [
            {
              kind: 'code',
              caption: `Answer ${answer.status}`,
              language: 'json',
              text: inJson(answer.value),
            } as const,
          ]),
    ],
  };
};
