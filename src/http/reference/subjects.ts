// The pages of calls, in the order in which one needs them, and on which of them a route is.
import type { Route } from '#src/kernel/route.ts';
import type { PageLink } from './model.ts';
import { inReadingOrder } from './order.ts';

interface Subject extends PageLink {
  readonly tags: readonly string[];
  /** Only those of the routes with these tags; they go before subjects that have the whole tag. */
  readonly part?: RegExp;
}

export const subjects: readonly Subject[] = [
  {
    name: 'sending',
    title: 'Sending',
    summary: 'Send one message, a batch, or one message to many; check a message before it is sent.',
    tags: ['Send'],
  },
  {
    name: 'messages',
    title: 'Messages',
    summary: 'Look up what became of a message, cancel or move what is scheduled, release what is held.',
    tags: ['Messages'],
  },
  {
    name: 'templates',
    title: 'Templates and documents',
    summary: 'Keep texts with placeholders, and render documents made in the editor.',
    tags: ['Templates'],
  },
  {
    name: 'images',
    title: 'Images',
    summary: 'Upload the images that mail shows.',
    tags: ['Images'],
  },
  {
    name: 'content-checks',
    title: 'Checks of content',
    summary: 'Check whether a text fits the mail of a practice, and preview invitations to appointments.',
    tags: ['Practice mail'],
  },
  {
    name: 'captured-mail',
    title: 'Captured mail',
    summary: 'Read the mail that a test installation kept and did not send.',
    tags: ['Captured mail'],
  },
  {
    name: 'lists',
    title: 'Lists',
    summary: 'Lists of people who agreed to get mail, with their forms and pages.',
    tags: ['Lists'],
  },
  {
    name: 'subscribers',
    title: 'Subscribers and imports',
    summary: 'The people on a list: add, change, confirm, import and export them.',
    tags: ['Subscribers', 'Imports'],
  },
  {
    name: 'people',
    title: 'People and consent',
    summary: 'Everything about one person: look up, correct, export, erase, and prove consent.',
    tags: ['People', 'Consent'],
  },
  {
    name: 'segments',
    title: 'Segments',
    summary: 'Parts of lists, by what people are and do.',
    tags: ['Campaigns'],
    part: /\/segments(?:\/|$)/,
  },
  {
    name: 'campaigns',
    title: 'Campaigns',
    summary: 'Write a mail to lists, test it, send or schedule it, and see how it does.',
    tags: ['Campaigns'],
  },
  {
    name: 'suppressions',
    title: 'Suppressions and unsubscribing',
    summary: 'Addresses that get no mail, and why.',
    tags: ['Suppressions', 'Unsubscribe'],
  },
  {
    name: 'webhooks',
    title: 'Webhooks',
    summary: 'Be told what happens: create webhooks, test them, and look at deliveries.',
    tags: ['Webhooks'],
  },
  {
    name: 'alerts',
    title: 'Alerts and the event log',
    summary: 'Send alerts to a chat, and read or follow the log of events.',
    tags: ['Alerts', 'Events'],
  },
  {
    name: 'domains',
    title: 'Domains',
    summary: 'Set up a sending domain: records, checks, keys, and reports of receivers.',
    tags: ['DNS and deliverability'],
  },
  {
    name: 'inbound',
    title: 'Inbound mail',
    summary: 'Receive mail: settings, the mailbox, threads and notes.',
    tags: ['Inbound mail', 'Saved replies'],
  },
  {
    name: 'forms-and-hooks',
    title: 'Website forms and inbound hooks',
    summary: 'Forms on a website that arrive as mail, and addresses that other systems post to.',
    tags: ['Website forms', 'Inbound hooks'],
  },
  {
    name: 'practices',
    title: 'Practices, projects and routes',
    summary: 'The settings of a practice, its projects and its routes.',
    tags: ['Practices', 'Projects and routes'],
  },
  {
    name: 'overview',
    title: 'Overview and figures',
    summary: 'How a practice does: rates, deliverability, and the way to going live.',
    tags: ['Overview'],
  },
  {
    name: 'members',
    title: 'Members and roles',
    summary: 'Who may do what in a practice.',
    tags: ['Members and roles'],
  },
  {
    name: 'sign-in',
    title: 'Sign-in and accounts',
    summary: 'Sessions of people, their passwords and their account.',
    tags: ['Sign-in'],
  },
  {
    name: 'tokens',
    title: 'Tokens and the log of requests',
    summary: 'Create and revoke API tokens, and see what they were used for.',
    tags: ['Tokens'],
  },
  {
    name: 'audit',
    title: 'Audit and billing',
    summary: 'Who changed what, and what the plan of a practice costs.',
    tags: ['Audit', 'Billing'],
  },
  {
    name: 'operator',
    title: 'Operating the service',
    summary: 'For operators: practices, plans, queues, moves, abuse and health.',
    tags: ['Platform administration', 'Abuse', 'Waiting list', 'Upstreams'],
  },
  {
    name: 'public',
    title: 'Public pages and the service itself',
    summary:
      'What needs no sign-in: health, metrics, descriptions, and the pages that links in mails lead to.',
    tags: ['Public pages', 'Tracking', 'Service'],
  },
];

/** The forms of other services have one page for each. */
const FOREIGN = /^Compatibility: (.+)$/;

/** What no subject names. */
const rest: PageLink = { name: 'more', title: 'More calls', summary: 'Calls that are on no other page.' };

const subjectOf = (route: Route): PageLink => {
  const shape = FOREIGN.exec(route.tag)?.[1];
  if (shape !== undefined) {
    const name = `form-of-${shape
      .toLowerCase()
      .replace(/ shape$/, '')
      .replaceAll(' ', '-')}`;
    const title = `In the form of ${shape.replace(/ shape$/, '').replace(/^EU$/, 'the EU service')}`;
    return { name, title, summary: 'Calls for programs that were written for another service.' };
  }
  const found = subjects.find(
    ({ tags, part }) => tags.includes(route.tag) && (part === undefined || part.test(route.path)),
  );
  return found ?? rest;
};

export interface CallPage extends PageLink {
  readonly routes: readonly Route[];
}

/** Every route is on exactly one page; pages without routes are left out. */
export const callPages = (routes: readonly Route[]): readonly CallPage[] => {
  const bySubject = Map.groupBy(routes, (route) => subjectOf(route).name);
  const links = [...subjects, ...routes.map(subjectOf)];
  const names = [...new Set(links.map(({ name }) => name))];
  return names.flatMap((name) => {
    const link = links.find((one) => one.name === name);
    const found = bySubject.get(name);
    return link && found
      ? [{ name, title: link.title, summary: link.summary, routes: inReadingOrder(found) }]
      : [];
  });
};
