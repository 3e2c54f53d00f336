// The API's reference for people: one HTML page without scripts, made from the same declarations as /openapi.yaml.

import { z } from 'zod';
import { type Access, isPermission, type Permission } from '#src/kernel/access.ts';
import { errorTable } from '#src/kernel/error-table.ts';
import type { DescribedEvent, EventsDescription } from '#src/kernel/events-description.ts';
import { escapeHtml } from '#src/kernel/page.ts';
import type { Route } from '#src/kernel/route.ts';
import { inEnglish } from '#src/kernel/say.ts';
import { bodyTypes, errorCodes, errorsOf, type ServiceInfo, statusFor } from './api-facts.ts';
import { curlOf } from './examples.ts';
import { createSchemaBook, type SchemaBook } from './json-schema.ts';
import { code, fieldTable, prose, table } from './reference-parts.ts';
import { namesPracticeInHeader } from './routing.ts';

export const referenceStyle = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 0 auto; padding: 1rem; color: #1c1c1c; background: #fff }
code { font: 0.9em ui-monospace, monospace } h3 code { font-size: 1em } pre { overflow-x: auto }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem } caption { text-align: left; font-weight: 600 }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #ddd }
section { border-top: 1px solid #bbb; margin-top: 1.5rem } nav ul { columns: 2; padding-left: 1rem }
@media (prefers-color-scheme: dark) { body { color: #e8e8e8; background: #161616 } a { color: #8ab4f8 } th, td { border-color: #444 } }
`;

const openAccessText: Readonly<Record<Exclude<Access, Permission>, string>> = {
  public: 'public',
  authenticated: 'any live credential',
  session: 'a signed-in member’s session',
  practice_creator: 'the operator’s token, or the session of an Owner or Admin of any practice',
  operator: 'the operator’s token',
};

const accessText = ({ access }: Route): string =>
  isPermission(access) ? `permission ${code(access)}` : openAccessText[access];

/** What the server does with every request of the route. */
const termsOf = (route: Route): string => {
  const { audit, rate, stability, body, usedBy } = route;
  const terms = [
    `Access: ${accessText(route)}.`,
    ...(namesPracticeInHeader(route)
      ? [
          `Without a token of a practice, ${code('project_id')} or ${code('X-Service-Practice')} names the practice it is for.`,
        ]
      : []),
    ...(usedBy === undefined ? [] : [`Used by ${usedBy}.`]),
    ...(rate === undefined ? [] : ['Under the tight rate limit of sign-in and public forms.']),
    ...(body && bodyTypes(route).length > 1 ? [`Takes ${bodyTypes(route).map(code).join(', ')}.`] : []),
    ...(typeof audit === 'string' ? [`In the audit as ${code(audit)}.`] : []),
    `Stability: ${stability}.`,
  ];
  return `<p>${terms.join(' ')}</p>`;
};

const routeSection = (route: Route, book: SchemaBook, origin: string): string => {
  const place = route.id;
  const responses = Object.entries(route.responses).map(([status, { description, body, otherwise }]) => {
    const schema = typeof body === 'object' ? body : undefined;
    const other = otherwise === undefined ? '' : `; or ${code(otherwise)}, by Accept`;
    const kind = (typeof body === 'string' ? `, ${code(body)}` : '') + other;
    const fields = fieldTable('Fields of the answer', schema, 'output', `${place}.${status}`, book);
    return `<p><strong>${status}</strong> ${prose(description)}${kind}</p>${fields}`;
  });
  const errors = errorsOf(route).map(
    (name) => `<a href="#error-${name}">${name}</a> (${statusFor(route, name)})`,
  );
  return `<section id="${place}"><h3>${code(`${route.method.toUpperCase()} ${route.path}`)}</h3>
<p>${prose(route.summary)}</p>${(route.description?.split('\n\n') ?? []).map((part) => `<p>${prose(part)}</p>`).join('')}
${termsOf(route)}
<pre>${code(curlOf(route, origin))}</pre>
${fieldTable('Path', route.params, 'input', `${place}.params`, book)}
${fieldTable('Query', route.query, 'input', `${place}.query`, book)}
${fieldTable('Headers', route.headers, 'input', `${place}.headers`, book)}
${fieldTable('Body', route.body, 'input', `${place}.body`, book)}
${responses.join('\n')}
<p>Errors: ${errors.join(', ')}.</p></section>`;
};

const EVENTS_ANCHOR = 'events';

const eventAnchor = (name: string): string => `event-${name}`;
const mark = (holds: boolean): string => (holds ? 'yes' : '');

const isOfMessage = ({ name }: DescribedEvent): boolean => name.startsWith('message.');

/** The fields of an event; of a message only those that not every event of a message has. */
const ownFields = (event: DescribedEvent, { messageData }: EventsDescription): z.ZodObject => {
  if (!isOfMessage(event)) return event.data;
  const own = Object.entries(event.data.shape).filter(([name]) => !(name in messageData.shape));
  return z.strictObject(Object.fromEntries(own));
};

const eventSection = (event: DescribedEvent, description: EventsDescription, book: SchemaBook): string => {
  const own = ownFields(event, description);
  const hasOwn = Object.keys(own.shape).length > 0;
  const shared = isOfMessage(event)
    ? `<p>${prose(`The fields of every event of a message${hasOwn ? ', and:' : '.'}`)}</p>`
    : '';
  const fields = hasOwn
    ? fieldTable(`Fields of ${code('data')}`, own, 'output', eventAnchor(event.name), book)
    : '';
  return `<section id="${eventAnchor(event.name)}"><h3>${code(event.name)}</h3>
<p>${prose(event.firedBy)}</p>
${shared}${fields}</section>`;
};

const COMPRESSION =
  'Answers to `GET` are compressed as `Accept-Encoding` asks (`zstd`, `br`, `gzip`), but for those in which a secret and something that a stranger has chosen may stand together: mail and events, people and their consent, sign-in, members, tokens, webhooks, alerts, imports, reports of abuse, public pages, and the forms of other services.';

const RULES = [
  'Each event is sent to all webhooks of the practice that have chosen it, as a `POST` with a JSON body.',
  'What becomes of a recipient is sent when it is first known; opens and clicks are sent each time.',
  'Events that need tracking are sent only for messages whose opens or clicks are tracked, by the route or the message’s `settings`.',
  'A delivery may come more than once: it has the same `id` then. Those of one message come in their order.',
  '`data` always has all fields of its event, null where nothing is known; fields may be added. They never hold the subject or the content of a message.',
  'Of a mail received they hold links; only a webhook with `inbound_mail: whole` gets subject and content, in `data.mail`. A receiver that does not want the mail answers 403: it is not sent again, and says nothing about the webhook.',
];

const eventsSection = (description: EventsDescription, book: SchemaBook): string => {
  const events = description.events();
  const rows = events.map(({ name, firedBy, needsTracking, alerts }) => [
    `<a href="#${eventAnchor(name)}">${code(name)}</a>`,
    prose(firedBy),
    mark(needsTracking),
    mark(alerts),
  ]);
  const envelope = description.envelope('message.sent', z.record(z.string(), z.unknown()));
  const around = z.strictObject({
    ...envelope.shape,
    event: z.string().describe('name of the event'),
    data: envelope.shape.data.describe('what the event says'),
  });
  const headers = Object.entries(description.headers).map(([name, text]) => [code(name), prose(text)]);
  return `<h2 id="${EVENTS_ANCHOR}">Webhook events</h2>
<ul>${RULES.map((rule) => `<li>${prose(rule)}</li>`).join('')}</ul>
${table('Which operation fires which', ['Event', 'Fired by', 'Needs tracking', 'Chat alerts by default'], rows)}
${fieldTable('Body of a delivery', around, 'output', 'event-envelope', book)}
${table('Header fields of a delivery', ['Name', 'Value'], headers)}
${fieldTable(`Fields of ${code('data')} in every event of a message`, description.messageData, 'output', 'event-message', book)}
${events.map((event) => eventSection(event, description, book)).join('\n')}`;
};

const errorRows = (): string[][] =>
  errorCodes.map((name) => {
    const declaration = errorTable[name];
    const extra = 'extra' in declaration ? Object.keys(declaration.extra).map(code).join(', ') : '';
    const again = 'temporary' in declaration ? 'yes' : '';
    return [
      `<code id="error-${name}">${name}</code>`,
      String(declaration.status),
      prose(inEnglish(declaration.hint)),
      extra,
      again,
    ];
  });

/** The whole page, in UTF-8. */
export const referencePage = (routes: readonly Route[], info: ServiceInfo): string => {
  const book = createSchemaBook();
  const groups = Map.groupBy(routes, ({ tag }) => tag);
  const contents = [...groups].map(([tag, members]) => {
    const links = members.map(
      (route) => `<li><a href="#${route.id}">${code(`${route.method.toUpperCase()} ${route.path}`)}</a></li>`,
    );
    return `<h2>${escapeHtml(tag)}</h2><ul>${links.join('')}</ul>`;
  });
  const sections = [...groups].map(
    ([tag, members]) =>
      `<h2>${escapeHtml(tag)}</h2>${members.map((route) => routeSection(route, book, info.origin)).join('\n')}`,
  );
  const title = `${escapeHtml(info.name)} API reference`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${referenceStyle}</style></head><body>
<h1>${title}</h1><p>Version ${escapeHtml(info.version)} at ${code(info.origin)}. For machines: <a href="/openapi.yaml">/openapi.yaml</a>, and
<a href="/openapi-compat.yaml">/openapi-compat.yaml</a> with the forms of other services.</p>
<p>${prose(COMPRESSION)}</p>
<nav aria-label="Routes">${contents.join('\n')}
<h2><a href="#${EVENTS_ANCHOR}">Webhook events</a></h2></nav>
<main>${sections.join('\n')}
${eventsSection(info.events, book)}
<h2 id="errors">Errors</h2>
<p>An error is a JSON object with ${code('code')}, ${code('error')} (what happened), ${code('hint')} (what to do) and the fields named here.</p>
${table('Codes', ['Code', 'Status', 'What to do', 'Fields', 'May succeed later'], errorRows())}</main></body></html>
`;
};
