// What is held of a person (Art. 15, 20 GDPR), written as it is read, as JSON or as a page. What is left out is named in it. Copies that the service keeps for its own working (answers under idempotency
// keys, deliveries of webhooks, the search index) say nothing else and are left out.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { AudienceContext } from '#src/audience/context.ts';
import { peopleWordsIn } from '#src/audience/words.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { PersonPage, Reading } from '#src/kernel/personal-data.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { DAY, toIso } from '#src/kernel/time.ts';
import { isPaged, notShown, partsOf } from './parts.ts';

type Parts = ReturnType<typeof partsOf>;

/** Read at once: each has its content. */
const ROWS_AT_ONCE = 10;

interface Wish extends Omit<Reading, 'files'> {
  readonly language: Language;
}

type Head = Readonly<Record<string, unknown>>;
type Held = { readonly part: string; readonly value: unknown };

const headOf = (
  db: TenantDb,
  { config, clock, personalData }: AudienceContext,
  { person, caller, language }: Wish,
): Head => {
  const practice = tenantStore(db).practice();
  const periods = personalData.flatMap((room) =>
    Object.entries(room.periods?.(db, config().retention) ?? {}),
  );
  return {
    format: 'sendwerk person export 1',
    made_at: toIso(clock.now()),
    practice: { id: practice.id, name: practice.name },
    address: person.address,
    retention_days: Object.fromEntries(periods.map(([name, ms]) => [name, Math.floor(ms / DAY)])),
    left_out: peopleWordsIn(language).leftOut,
    not_shown: [
      ...notShown(partsOf(personalData), caller),
      ...(caller.permissions.has('messages.view_content') ? [] : ['content']),
    ],
  };
};

async function* heldOf(context: AudienceContext, wish: Wish, parts: Parts): AsyncGenerator<Held> {
  const { files } = context;
  const { tenantId, person } = wish;
  for (const [name, part] of parts) {
    if (!isPaged(part)) {
      for (const value of await files.read(tenantId, (db) => part.all(db, person)))
        yield { part: name, value };
      continue;
    }
    let page: PersonPage<unknown> = { rows: [], before: null };
    do {
      const { before } = page;
      page = await files.read(tenantId, (db) => part.find(db, person, before, ROWS_AT_ONCE));
      for await (const value of part.whole({ ...wish, files }, page.rows)) yield { part: name, value };
    } while (page.before !== null);
  }
}

/** An object with an array for each part that is shown; empty ones are at its end. */
async function* asJson(head: Head, held: AsyncIterable<Held>, parts: Parts): AsyncGenerator<string> {
  yield JSON.stringify(head).slice(0, -1);
  const empty = new Set(parts.map(([name]) => name));
  let current: string | null = null;
  for await (const { part, value } of held) {
    if (part === current) yield `,\n${JSON.stringify(value)}`;
    else yield `${current === null ? '' : ']'},\n"${part}":[${JSON.stringify(value)}`;
    current = part;
    empty.delete(part);
  }
  if (current !== null) yield ']';
  for (const part of empty) yield `,\n"${part}":[]`;
  yield '}\n';
}

const BODY = '\0';

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);

/** Their inner names are those that the practice has chosen. */
const hasFreeNames: ReadonlySet<string> = new Set(['data', 'metadata']);

/** Fields without a label are of the service's own working; `isFree`: their names are the practice's. */
const htmlOf = (value: unknown, language: Language, isFree = false): string => {
  if (Array.isArray(value))
    return `<ul>${value.map((one) => `<li>${htmlOf(one, language, isFree)}</li>`).join('')}</ul>`;
  if (typeof value !== 'object' || value === null) return escapeHtml(String(value)).replaceAll('\n', '<br>');
  const { labels } = peopleWordsIn(language);
  const rows = Object.entries(value)
    .filter(([name, inner]) => !isEmpty(inner) && (isFree || Object.hasOwn(labels, name)))
    .map(([name, inner]) => {
      const label = isFree ? name : labels[name as keyof typeof labels];
      return `<dt>${escapeHtml(label)}</dt><dd>${htmlOf(inner, language, isFree || hasFreeNames.has(name))}</dd>`;
    });
  return `<dl>${rows.join('')}</dl>`;
};

async function* asPage(
  head: Head,
  held: AsyncIterable<Held>,
  [before = '', after = '']: readonly string[],
  language: Language,
  titles: Readonly<Record<string, string>>,
): AsyncGenerator<string> {
  yield before + htmlOf(head, language);
  let current: string | null = null;
  for await (const { part, value } of held) {
    if (part !== current) yield `<h2>${escapeHtml(titles[part] ?? part)}</h2>\n`;
    current = part;
    yield `${htmlOf(value, language)}<hr>\n`;
  }
  yield after;
}

export const exportPerson = async (
  context: AudienceContext,
  wish: Wish,
  format: 'json' | 'html',
): Promise<RouteResult> => {
  const { language } = wish;
  const { head, name } = await context.files.read(wish.tenantId, (db) => ({
    head: headOf(db, context, wish),
    name: tenantStore(db).practice().name,
  }));
  const all = partsOf(context.personalData);
  const hidden = new Set(notShown(all, wish.caller));
  const parts = all.filter(([name]) => !hidden.has(name));
  const held = heldOf(context, wish, parts);
  if (format === 'json')
    return {
      status: 200,
      contentType: 'application/json',
      headers: { 'Content-Disposition': 'attachment; filename="person.json"' },
      body: asJson(head, held, parts),
    };
  const titles = Object.assign({}, ...context.personalData.map(({ words }) => words?.(language).titles));
  const frame = page({
    language,
    title: peopleWordsIn(language).labels.title,
    serviceName: name,
    body: BODY,
  });
  return {
    ...frame,
    body: asPage(head, held, String(frame.body).split(BODY), language, titles),
  };
};
