// A campaign that is being sent or was sent: how far it is, what became of it, its links and its recipients.
import type { Campaign, CampaignRecipient } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { addressOf, type Input } from '#dashboard/api/call.ts';
import { useAnswer, useList, useNewer } from '#dashboard/data.ts';
import { Badge, Card, LinkButton, Meter, Time } from '#dashboard/parts/basics.tsx';
import { Empty, Loaded, Note } from '#dashboard/parts/feedback.tsx';
import { FilterSelect } from '#dashboard/parts/filters.tsx';
import { ReplyText } from '#dashboard/parts/replies.tsx';
import { type Column, PagedTable, Table } from '#dashboard/parts/table.tsx';
import { statusNames, toneOf } from '#dashboard/statuses.ts';
import { language, moment, number, percent, translated } from '#dashboard/words.ts';
import { LeftOut, reasonText } from './left-out.tsx';
import { words } from './words/de.ts';

interface ResultProps {
  readonly id: string;
  readonly campaign: Campaign;
}

const Figures = ({ campaign: { counts, rates } }: Pick<ResultProps, 'campaign'>) => {
  const w = translated(words);
  const { soft_bounced, hard_bounced, refused } = counts;
  const figures = { ...counts, bounced: soft_bounced + hard_bounced + refused };
  const shares: Partial<Record<keyof typeof w.figures, number | null>> = {
    opened: rates.open_rate,
    clicked: rates.click_rate,
    unsubscribed: rates.unsubscribe_rate,
    bounced: rates.bounce_rate,
    complained: rates.complaint_rate,
  };
  return (
    <dl class="figures">
      {(Object.keys(w.figures) as (keyof typeof w.figures)[]).map((name) => (
        <div key={name}>
          <dt>{w.figures[name]}</dt>
          <dd>
            <strong>{number(figures[name])}</strong>{' '}
            {typeof shares[name] === 'number' && <span class="quiet">{percent(shares[name])}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
};

/** Why it waits, is paused or has failed, and what to do. */
const Cause = ({ reason, status, refusals }: Campaign & { readonly reason: string }) => {
  const w = translated(words);
  const said = refusals[reason];
  const [what, todo] = w.causes[reason] ?? (said ? [`${w.reason}: ${said.brief}`, said.hint] : []);
  return (
    <Note kind={status === 'failed' ? 'bad' : 'warn'}>
      <p>{what ?? w.anotherCause}</p>
      {todo && <p>{todo}</p>}
    </Note>
  );
};

export const Results = ({ id, campaign }: ResultProps) => {
  const w = translated(words);
  const { counts, left_out, refusals, reason, waiting, status } = campaign;
  const links = useAnswer('GET /api/practices/{id}/campaigns/{campaignID}/links', {
    id,
    campaignID: campaign.id,
  });
  useNewer(links, counts.clicked);
  return (
    <>
      <Card>
        <div class="stack" role="status">
          {(status === 'sending' || status === 'paused') && (
            <Meter label={w.progress} value={campaign.progress} max={1} />
          )}
          {waiting && <Note kind="warn">{w.waits(moment(waiting.until))}</Note>}
          {reason && <Cause {...campaign} reason={reason} />}
          <Figures campaign={campaign} />
          <LeftOut counts={left_out} refusals={refusals} />
        </div>
      </Card>
      <Card title={w.links}>
        <Loaded data={links} lines={3}>
          {({ data }) =>
            data.length === 0 ? (
              <p class="quiet">{w.noLinks}</p>
            ) : (
              <Table
                caption={w.links}
                rows={data}
                rowKey={(row) => row.url}
                columns={[
                  { head: w.link, cell: ({ url }) => url },
                  { head: w.recipients, align: 'end', cell: (row) => number(row.recipients) },
                  { head: w.clicks, align: 'end', cell: ({ clicks }) => number(clicks) },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
    </>
  );
};

type State = NonNullable<Input<'GET /api/practices/{id}/campaigns/{campaignID}/recipients'>['state']>;

const columns = (id: string, refusals: Campaign['refusals']): readonly Column<CampaignRecipient>[] => {
  const w = translated(words);
  return [
    {
      head: w.address,
      cell: ({ address, message_id }) =>
        message_id ? (
          <a href={`/app/${id}/post/${message_id}`}>{address ?? w.erasedMark}</a>
        ) : (
          (address ?? w.erasedMark)
        ),
    },
    {
      head: w.status,
      cell: ({ status, reason }) =>
        status ? (
          <Badge tone={toneOf(status)}>{statusNames()[status]}</Badge>
        ) : (
          <Badge tone="plain">{reasonText(reason ?? '', refusals)}</Badge>
        ),
    },
    {
      head: w.answer,
      cell: ({ status, diagnostic }) =>
        status && diagnostic ? <ReplyText status={status} diagnostic={diagnostic} /> : '–',
    },
    { head: w.changed, align: 'end', cell: ({ updated_at }) => <Time at={updated_at} /> },
  ];
};

export const Recipients = ({ id, campaign }: ResultProps) => {
  const w = translated(words);
  const filters = useFilters();
  const state = filters.values.state as State | undefined;
  const at = { id, campaignID: campaign.id, state };
  const pages = useList('GET /api/practices/{id}/campaigns/{campaignID}/recipients', { ...at });
  useNewer(pages, campaign.updated_at);
  return (
    <>
      <div class="filters">
        <FilterSelect filters={filters} name="state" label={w.state} options={w.states} />
        <LinkButton
          text={w.asCsv}
          download
          href={addressOf('GET /api/practices/{id}/campaigns/{campaignID}/recipients/export', {
            ...at,
            language: language.value,
          })}
        />
      </div>
      <PagedTable
        caption={w.recipients}
        columns={columns(id, campaign.refusals)}
        pages={pages}
        rowKey={(row) => row.message_id ?? row.subscriber_id ?? row.address ?? ''}
        empty={<Empty title={w.noRecipients} text={w.noRecipientsText} />}
      />
    </>
  );
};
