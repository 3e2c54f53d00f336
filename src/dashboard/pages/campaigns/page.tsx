// Campaigns with what became of them, and a new one.

import { useLocation } from 'preact-iso/router';
import type { CampaignFields, CampaignSummary } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { type CampaignStatus, campaignStatuses, campaignTones } from '#dashboard/campaign-statuses.ts';
import { allPages, hasRows, useAction, useData, useList } from '#dashboard/data.ts';
import { Badge, Head, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { documentOf } from '#dashboard/parts/content.tsx';
import { Dialog } from '#dashboard/parts/dialog.tsx';
import { curlOf, Empty, Loaded } from '#dashboard/parts/feedback.tsx';
import { FilterSelect, ShowAll } from '#dashboard/parts/filters.tsx';
import { Form, named, SelectField, TextField, useFields } from '#dashboard/parts/form.tsx';
import { FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { may, practice } from '#dashboard/session.ts';
import { number, percent, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

/** A number with its share of what was sent, where anything was. */
const figure = (count: number, rate: number | null): string =>
  rate === null ? '–' : `${number(count)} (${percent(rate)})`;

const columns = (): readonly Column<CampaignSummary>[] => {
  const w = translated(words);
  return [
    { head: w.name, isMain: true, cell: ({ name }) => name },
    {
      head: w.status,
      cell: ({ status }) => <Badge tone={campaignTones[status]}>{campaignStatuses()[status]}</Badge>,
    },
    { head: w.sent, align: 'end', cell: ({ counts }) => number(counts.sent) },
    { head: w.opened, align: 'end', cell: ({ counts, rates }) => figure(counts.opened, rates.open_rate) },
    { head: w.clicked, align: 'end', cell: ({ counts, rates }) => figure(counts.clicked, rates.click_rate) },
    { head: w.changed, align: 'end', cell: ({ updated_at }) => <Time at={updated_at} /> },
  ];
};

/** `template`: the id of the one that it begins with. */
const NewCampaign = ({ id, template: first = '' }: { readonly id: string; readonly template?: string }) => {
  const w = translated(words);
  const { route } = useLocation();
  const { fields, field } = useFields({ list_id: '', subject: '', template: first });
  const choices = useData(
    async (abort) => {
      const lists = await allPages((page) =>
        call('GET /api/practices/{id}/lists', { id, ...page }, { abort }),
      );
      const templates = may('messages.send')
        ? await allPages((page) => call('GET /api/practices/{id}/templates', { id, ...page }, { abort }))
        : [];
      return { lists, templates };
    },
    [id],
  );
  const action = useAction(async () => {
    const { list_id, template, subject } = fields;
    const content = template ? { name: subject, template } : { subject, document: documentOf(w.firstText) };
    const { id: campaignId } = await call('POST /api/practices/{id}/campaigns', {
      id,
      body: { list_id: list_id || choices.value?.lists[0]?.id || '', ...content } as CampaignFields,
    });
    route(`/app/${id}/campaigns/${campaignId}`);
  });
  return (
    <Loaded data={choices}>
      {({ lists, templates }) =>
        lists.length === 0 ? (
          <Empty
            title={w.noList}
            text=""
            action={<LinkButton text={w.toLists} kind="primary" href={`/app/${id}/lists`} />}
          />
        ) : (
          <Form action={action} submit={w.createAndWrite}>
            <SelectField
              label={w.list}
              options={named(
                lists.map(({ id: listID, name, counts }) => ({
                  id: listID,
                  name: `${name} (${w.people(counts.active)})`,
                })),
              )}
              {...field('list_id')}
              value={fields.list_id || lists[0]?.id || ''}
            />
            <SelectField
              label={w.template}
              options={{ '': w.noTemplate, ...named(templates) }}
              {...field('template')}
            />
            <TextField
              label={fields.template ? w.name : w.subject}
              required
              {...field('subject')}
              path={fields.template ? 'name' : 'subject'}
            />
          </Form>
        )
      }
    </Loaded>
  );
};

const Campaigns = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const filters = useFilters();
  const { status = '', template = '' } = filters.values;
  const pages = useList('GET /api/practices/{id}/campaigns', { id, status: status as CampaignStatus });
  const create = (
    <FormDialog button={w.create} kind="primary">
      {() => <NewCampaign id={id} />}
    </FormDialog>
  );
  const isEmpty = pages.value?.length === 0 && status === '';
  return (
    <>
      <Head title={w.pages.campaigns} intro={w.intro} actions={(status !== '' || hasRows(pages)) && create} />
      <Dialog
        title={w.create}
        isOpen={template !== ''}
        onClose={() => filters.set({ template: '' }, 'replace')}
      >
        <NewCampaign id={id} template={template} />
      </Dialog>
      {!isEmpty && (
        <div class="filters">
          <FilterSelect
            filters={filters}
            name="status"
            label={w.status}
            all={w.all}
            options={campaignStatuses()}
          />
        </div>
      )}
      <PagedTable
        caption={w.found}
        columns={columns()}
        pages={pages}
        href={(row) => `/app/${id}/campaigns/${row.id}`}
        empty={
          status === '' ? (
            <Empty
              title={w.empty}
              text={w.emptyText}
              action={create}
              curl={curlOf(
                `practices/${id}/campaigns`,
                `{"list_id": "'$LIST'", "subject": "Urlaub", "text": "Guten Tag"}`,
              )}
            />
          ) : (
            <Empty title={w.nothingFound} text="" action={<ShowAll filters={filters} names={['status']} />} />
          )
        }
      />
    </>
  );
};

export default Campaigns;
