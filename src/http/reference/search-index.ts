// What the search on the pages looks through: every call with its fields, every error code, every event. Fetched when the search is
// used first.
import type { z } from 'zod';
import { errorTable } from '#src/kernel/error-table.ts';
import type { Route } from '#src/kernel/route.ts';
import { inEnglish } from '#src/kernel/say.ts';
import { errorCodes, type ServiceInfo } from '../api-facts.ts';
import { createSchemaBook, type SchemaBook } from '../json-schema.ts';
import { fieldsOf } from './fields.ts';
import { addressOf, type Field } from './model.ts';
import type { Reference } from './pages.ts';

/** `title` is found first, then what is said of it, then the names of fields. */
interface Entry {
  readonly kind: 'call' | 'event' | 'error' | 'page';
  readonly href: string;
  readonly title: string;
  readonly text: string;
  readonly fields: string;
}

const namesOf = (fields: readonly Field[]): string[] =>
  fields.flatMap(({ name, fields: inner }) => [name, ...namesOf(inner)]);

const fieldNames = (schemas: readonly unknown[], book: SchemaBook, place: string): string => {
  const described = schemas.flatMap((schema, index) =>
    typeof schema === 'object' && schema !== null
      ? namesOf(fieldsOf(book.describe(schema as z.ZodType, 'input', `${place}.${index}`), book))
      : [],
  );
  return [...new Set(described)].join(' ');
};

const callEntry = (route: Route, name: string, book: SchemaBook): Entry => ({
  kind: 'call',
  href: `${addressOf(name)}#${route.id}`,
  title: `${route.method.toUpperCase()} ${route.path}`,
  text: `${route.summary} ${route.id}`,
  fields: fieldNames([route.params, route.query, route.headers, route.body], book, route.id),
});

export const searchIndex = ({ calls, links }: Reference, { events }: ServiceInfo): readonly Entry[] => {
  const book = createSchemaBook();
  return [
    ...links.map(
      ({ name, title, summary }): Entry => ({
        kind: 'page',
        href: addressOf(name),
        title,
        text: summary,
        fields: '',
      }),
    ),
    ...calls.flatMap(({ name, routes }) => routes.map((route) => callEntry(route, name, book))),
    ...events.events().map(
      ({ name, firedBy, data }): Entry => ({
        kind: 'event',
        href: `/reference/events#event-${name}`,
        title: name,
        text: firedBy,
        fields: Object.keys(data.shape).join(' '),
      }),
    ),
    ...errorCodes.map(
      (code): Entry => ({
        kind: 'error',
        href: `/reference/errors#${code}`,
        title: code,
        text: inEnglish(errorTable[code].hint),
        fields: '',
      }),
    ),
  ];
};
