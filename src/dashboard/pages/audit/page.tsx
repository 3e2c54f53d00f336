// Who did what when, with what was before and what is after it: in a practice, or outside of all.
import type { AuditEntry } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { usePages } from '#dashboard/data.ts';
import { Badge, Card, Facts, Head, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty } from '#dashboard/parts/feedback.tsx';
import { FilterDay, FilterSelect, ShowAll } from '#dashboard/parts/filters.tsx';
import { Paged, Table } from '#dashboard/parts/table.tsx';
import { may, practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { type Difference, differences } from './diff.ts';
import { words } from './words/de.ts';

/** `member.update` as `Mitglied geändert`; what has no words yet is shown as it is. */
const actionName = (action: string): string => {
  const w = translated(words);
  const [noun = '', verb = ''] = action.split('.');
  const names: Readonly<Record<string, string>> = w.nouns;
  const verbs: Readonly<Record<string, string>> = w.verbs;
  return `${names[noun] ?? noun}: ${verbs[verb] ?? verb.replaceAll('_', ' ')}`;
};

/** What names a record; the first of them that it has. */
const NAMES = ['name', 'email', 'address', 'subject', 'title', 'domain', 'host', 'url', 'slug'];

const nameIn = (record: AuditEntry['before']): string | undefined => {
  const found = NAMES.map((key) => record?.[key]).find((value) => typeof value === 'string' && value !== '');
  return typeof found === 'string' ? found : undefined;
};

const Side = ({ value }: { readonly value: string | null }) =>
  value === null ? <span class="quiet">–</span> : <span class="value">{value}</span>;

const Changes = ({ entry }: { readonly entry: AuditEntry }) => {
  const w = translated(words);
  const rows = differences(entry.before, entry.after);
  if (rows.length === 0) return <p class="quiet">{w.noChange}</p>;
  return (
    <Table<Difference>
      caption={w.changes}
      rows={rows}
      rowKey={({ path }) => path}
      columns={[
        { head: w.field, isMain: true, cell: ({ path }) => <code>{path}</code> },
        { head: w.before, cell: ({ before }) => <Side value={before} /> },
        { head: w.after, cell: ({ after }) => <Side value={after} /> },
      ]}
    />
  );
};

const Entry = ({ entry }: { readonly entry: AuditEntry }) => {
  const w = translated(words);
  const { href } = useFilters();
  const { at, action, actor, target, client_address, request_id } = entry;
  const name = nameIn(entry.after) ?? nameIn(entry.before);
  const actorName = actor.name === actor.kind ? w.actors[actor.kind] : actor.name;
  const isToken = actor.kind.endsWith('_token');
  return (
    <li>
      <details>
        <summary>
          <Time at={at} seconds />
          <strong>{actionName(action)}</strong>
          <span>{name}</span>
          <span class="quiet">{isToken ? `${w.actors.team_token} ${actorName}` : actorName}</span>
        </summary>
        <Changes entry={entry} />
        {entry.personal_data_removed && <p class="quiet">{w.removed}</p>}
        <Facts
          facts={[
            [
              w.who,
              <>
                {actorName} <Badge tone="plain">{w.actors[actor.kind]}</Badge>
              </>,
            ],
            [w.what, <code key="what">{action}</code>],
            [
              w.target,
              <>
                {target.type} <code>{target.id}</code>
              </>,
            ],
            [w.from, client_address],
            [
              w.requestId,
              request_id && isToken && may('tokens.manage') ? (
                <a href={`/app/${practice.value?.id}/requests?request=${request_id}`}>
                  <code>{request_id}</code>
                </a>
              ) : (
                request_id && <code>{request_id}</code>
              ),
            ],
          ]}
        />
        <p class="actions">
          <a class="button small" href={href({ actor: actor.id, action: '', target: '' })}>
            {w.onlyActor}
          </a>
          <a class="button small" href={href({ target: target.id, actor: '', action: '' })}>
            {w.onlyTarget}
          </a>
        </p>
      </details>
    </li>
  );
};

const Audit = () => {
  const w = translated(words);
  const id = practice.value?.id;
  const filters = useFilters();
  const { values } = filters;
  const { action = '', actor = '', target = '', from = '', to = '' } = values;
  const pages = usePages(
    (cursor, abort) => {
      const filter = { cursor, action, actor_id: actor, target_id: target, from, to };
      return id === undefined
        ? call('GET /api/admin/audit', filter, { abort })
        : call('GET /api/practices/{id}/audit', { id, ...filter }, { abort });
    },
    [id, action, actor, target, from, to],
  );
  const isFiltered = [action, actor, target, from, to].some((one) => one !== '');
  const all = <ShowAll filters={filters} names={['action', 'actor', 'target', 'from', 'to']} />;
  return (
    <>
      <Head title={w.pages['operator/audit']} intro={w.intro} />
      <search class="filters">
        <FilterSelect filters={filters} name="action" label={w.about} all={w.everything} options={w.nouns} />
        <FilterDay filters={filters} name="from" label={w.since} />
        <FilterDay filters={filters} name="to" label={w.until} />
        {isFiltered && all}
      </search>
      <Paged
        pages={pages}
        empty={
          <Empty
            title={isFiltered ? w.nothingFound : w.empty}
            text={w.emptyText}
            curl={curlOf(id === undefined ? 'admin/audit' : `practices/${id}/audit`)}
          />
        }
      >
        {(entries) => (
          <Card>
            <ul class="records log">
              {entries.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </ul>
          </Card>
        )}
      </Paged>
    </>
  );
};

export default Audit;
