// The API's reference for people: one HTML page without scripts, made from the same declarations as /openapi.yaml.
import { type Access, isPermission, type Permission } from '#src/kernel/access.ts';
import { errorTable } from '#src/kernel/errors.ts';
import { escapeHtml } from '#src/kernel/page.ts';
import type { Route } from '#src/kernel/route.ts';
import { createSchemaBook, type SchemaBook } from './json-schema.ts';
import { EVENTS_ANCHOR, eventsSection } from './reference-events.ts';
import { code, fieldTable, prose, table } from './reference-parts.ts';
import {
  bodyTypes,
  errorCodes,
  errorsOf,
  namesPracticeInHeader,
  operationId,
  type ServiceInfo,
  statusOf,
} from './route-facts.ts';

export const referenceStyle = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 0 auto; padding: 1rem; color: #1c1c1c; background: #fff }
code { font: 0.9em ui-monospace, monospace } h3 code { font-size: 1em }
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

/** What the door does with every request of the route. */
const termsOf = (route: Route): string => {
  const { audit, rate, stability, body } = route;
  const terms = [
    `Access: ${accessText(route)}.`,
    ...(namesPracticeInHeader(route)
      ? [`Without a token of a practice, ${code('X-Service-Practice')} names the practice it is for.`]
      : []),
    ...(rate === undefined ? [] : ['Under the tight rate limit of sign-in and public forms.']),
    ...(body && bodyTypes(route).length > 1 ? [`Takes ${bodyTypes(route).map(code).join(', ')}.`] : []),
    ...(typeof audit === 'string' ? [`In the audit as ${code(audit)}.`] : []),
    `Stability: ${stability}.`,
  ];
  return `<p>${terms.join(' ')}</p>`;
};

const anchor = (route: Route): string => operationId(route);

const routeSection = (route: Route, book: SchemaBook): string => {
  const place = anchor(route);
  const responses = Object.entries(route.responses).map(([status, { description, body, otherwise }]) => {
    const schema = typeof body === 'object' ? body : undefined;
    const other = otherwise === undefined ? '' : `; or ${code(otherwise)}, by Accept`;
    const kind = (typeof body === 'string' ? `, ${code(body)}` : '') + other;
    const fields = fieldTable('Fields of the answer', schema, 'output', `${place}.${status}`, book);
    return `<p><strong>${status}</strong> ${prose(description)}${kind}</p>${fields}`;
  });
  const errors = errorsOf(route).map((name) => `<a href="#error-${name}">${name}</a> (${statusOf(name)})`);
  return `<section id="${place}"><h3>${code(`${route.method.toUpperCase()} ${route.path}`)}</h3>
<p>${prose(route.summary)}</p>${route.description ? `<p>${prose(route.description)}</p>` : ''}
${termsOf(route)}
${fieldTable('Path', route.params, 'input', `${place}.params`, book)}
${fieldTable('Query', route.query, 'input', `${place}.query`, book)}
${fieldTable('Headers', route.headers, 'input', `${place}.headers`, book)}
${fieldTable('Body', route.body, 'input', `${place}.body`, book)}
${responses.join('\n')}
<p>Errors: ${errors.join(', ')}.</p></section>`;
};

const errorRows = (): string[][] =>
  errorCodes.map((name) => {
    const declaration = errorTable[name];
    const extra = 'extra' in declaration ? Object.keys(declaration.extra).map(code).join(', ') : '';
    const again = 'temporary' in declaration ? 'yes' : '';
    return [
      `<code id="error-${name}">${name}</code>`,
      String(declaration.status),
      prose(declaration.hint),
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
      (route) =>
        `<li><a href="#${anchor(route)}">${code(`${route.method.toUpperCase()} ${route.path}`)}</a></li>`,
    );
    return `<h2>${escapeHtml(tag)}</h2><ul>${links.join('')}</ul>`;
  });
  const sections = [...groups].map(
    ([tag, members]) =>
      `<h2>${escapeHtml(tag)}</h2>${members.map((route) => routeSection(route, book)).join('\n')}`,
  );
  const title = `${escapeHtml(info.name)} API reference`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${referenceStyle}</style></head><body>
<h1>${title}</h1><p>Version ${escapeHtml(info.version)} at ${code(info.origin)}. For machines: <a href="/openapi.yaml">/openapi.yaml</a>.</p>
<nav aria-label="Routes">${contents.join('\n')}
<h2><a href="#${EVENTS_ANCHOR}">Webhook events</a></h2></nav>
<main>${sections.join('\n')}
${eventsSection(book)}
<h2 id="errors">Errors</h2>
<p>An error is a JSON object with ${code('code')}, ${code('error')} (what happened), ${code('hint')} (what to do) and the fields named here.</p>
${table('Codes', ['Code', 'Status', 'What to do', 'Fields', 'May succeed later'], errorRows())}</main></body></html>
`;
};
