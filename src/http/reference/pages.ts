// All pages of the reference, made from the declared routes, events and errors. Pure: the same routes make the same pages.

import type { Route } from '#src/kernel/route.ts';
import type { ServiceInfo } from '../api-facts.ts';
import { createSchemaBook, type SchemaBook } from '../json-schema.ts';
import { callSection } from './call-section.ts';
import { errorsLink, errorsPage } from './errors-page.ts';
import { eventsLink, eventsPage } from './events-page.ts';
import type { Page, PageLink } from './model.ts';
import { type Samples, setupOf } from './samples.ts';
import { startLink, startPage } from './start-page.ts';
import { type CallPage, callPages } from './subjects.ts';

const callPage = ({ routes, ...link }: CallPage, book: SchemaBook): Page => ({
  ...link,
  blocks: [],
  sections: routes.map((route) => callSection(route, book)),
});

/** Events stand behind the webhooks that bring them. */
const EVENTS_AFTER = 'webhooks';

export interface Reference {
  readonly links: readonly PageLink[];
  /** Undefined where there is none of that name. */
  readonly page: (name: string) => Page | undefined;
  /** What the samples of the page begin with, in the languages that they are in. */
  readonly setup: (page: Page) => Samples;
  readonly calls: readonly CallPage[];
}

export const referenceOf = (routes: readonly Route[], info: ServiceInfo): Reference => {
  const calls = callPages(routes);
  const makers = new Map<string, { readonly link: PageLink; readonly make: (book: SchemaBook) => Page }>();
  const add = (link: PageLink, make: (book: SchemaBook) => Page): void =>
    void makers.set(link.name, { link, make });
  add(startLink, () => startPage(calls, info));
  add(errorsLink, (book) => errorsPage(calls, book));
  for (const one of calls) {
    add(one, (book) => callPage(one, book));
    if (one.name === EVENTS_AFTER) add(eventsLink, (book) => eventsPage(info.events, book));
  }
  if (!makers.has(eventsLink.name)) add(eventsLink, (book) => eventsPage(info.events, book));
  const isForOperators = ({ name }: Page): boolean =>
    calls.some((one) => one.name === name && one.routes.some(({ access }) => access === 'operator'));
  const isForeign = ({ name }: Page): boolean =>
    calls.some((one) => one.name === name && one.routes.every(({ shape }) => shape !== undefined));
  return {
    calls,
    links: [...makers.values()].map(({ link: { name, title, summary } }) => ({ name, title, summary })),
    page: (name) => makers.get(name)?.make(createSchemaBook({ hasExamples: true })),
    setup: (page) => {
      const { node, python, ...others } = setupOf(info.origin, isForOperators(page));
      return isForeign(page) ? others : { node, python, ...others };
    },
  };
};
