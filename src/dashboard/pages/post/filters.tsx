// What narrows the list: statuses with how many there are of each, the period, and the rest folded away. All of it is in the address.
import { useState } from 'preact/hooks';
import type { MessageKind, MessageStatus } from '#api';
import type { Filters } from '#dashboard/address.ts';
import { addressOf, call } from '#dashboard/api/call.ts';
import { useAnswer, useData } from '#dashboard/data.ts';
import { inWords } from '#dashboard/given-names.ts';
import { Button, LinkButton } from '#dashboard/parts/basics.tsx';
import { named, type Options, SelectField, TextField } from '#dashboard/parts/form.tsx';
import { may, practice } from '#dashboard/session.ts';
import { kindNames, statusList, statusNames } from '#dashboard/statuses.ts';
import { language, number, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export interface Count {
  readonly status: MessageStatus;
  readonly count: number;
  readonly at_least: boolean;
}

/** Those that are asked for, without what the address holds besides. */
export const filterIn = ({ q, from, to, tag, route, kind, template_id, campaign_id }: Filters['values']) => ({
  q,
  from,
  to,
  tag,
  route,
  kind: kind as MessageKind | undefined,
  template_id,
  campaign_id,
});

export const statusesIn = ({ status = '' }: Filters['values']): readonly MessageStatus[] =>
  statusList.filter((one) => status.split(',').includes(one));

/** The API takes one or several; its description lists how many at most. */
export const statusQuery = (statuses: readonly MessageStatus[]) => ({
  status: statuses as MessageStatus[] & [],
});

export const StatusChips = ({
  counts,
  filters: { values, set },
}: {
  readonly counts: readonly Count[] | undefined;
  readonly filters: Filters;
}) => {
  const w = translated(words);
  const chosen = statusesIn(values);
  const shown = (counts ?? []).filter(({ status, count }) => count > 0 || chosen.includes(status));
  const toggle = (status: MessageStatus): void => {
    const next = chosen.includes(status) ? chosen.filter((one) => one !== status) : [...chosen, status];
    set({ status: next.join(',') });
  };
  if (shown.length === 0) return null;
  return (
    <fieldset class="chips">
      <legend class="hidden">{w.status}</legend>
      <Button
        text={w.all}
        kind="small"
        aria-pressed={chosen.length === 0}
        onClick={() => set({ status: '' })}
      />
      {shown.map(({ status, count, at_least }) => (
        <button
          key={status}
          type="button"
          class="small"
          aria-pressed={chosen.includes(status)}
          onClick={() => toggle(status)}
        >
          {statusNames()[status]}{' '}
          <span class="count">
            {number(count)}
            {at_least && '+'}
          </span>
        </button>
      ))}
    </fieldset>
  );
};

const MAX_NAMED = 100;

const Further = ({ filters: { values, set } }: { readonly filters: Filters }) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const routes = useAnswer('GET /api/practices/{id}/routes', { id, limit: MAX_NAMED });
  const templates = useData(
    async (abort) =>
      may('messages.send')
        ? call('GET /api/practices/{id}/templates', { id, limit: MAX_NAMED }, { abort })
        : undefined,
    [id],
  );
  const select = (label: string, name: string, options: Options) =>
    Object.keys(options).length > 0 && (
      <SelectField
        label={label}
        value={values[name] ?? ''}
        onValue={(value) => set({ [name]: value })}
        options={{ '': w.all, ...options }}
      />
    );
  return (
    <div class="further">
      {select(w.kind, 'kind', kindNames())}
      {select(w.route, 'route', named(inWords(routes.value?.data ?? [])))}
      {select(w.template, 'template_id', named(templates.value?.data ?? []))}
      <TextField label={w.tag} value={values.tag ?? ''} onValue={(tag) => set({ tag }, 'replace')} />
    </div>
  );
};

export const MoreFilters = ({ filters }: { readonly filters: Filters }) => {
  const w = translated(words);
  const isUsed = ['tag', 'route', 'kind', 'template_id'].some((name) => filters.values[name]);
  const [isOpen, setOpen] = useState(isUsed);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{w.more}</summary>
      {isOpen && <Further filters={filters} />}
    </details>
  );
};

export const ExportLink = ({ values }: Pick<Filters, 'values'>) => (
  <LinkButton
    text={translated(words).asCsv}
    download
    href={addressOf('GET /api/practices/{id}/messages/search/export', {
      id: practice.value?.id ?? '',
      language: language.value,
      ...filterIn(values),
      ...statusQuery(statusesIn(values)),
    })}
  />
);
