// The webhooks of the practice, and how each fares.
import { useState } from 'preact/hooks';
import type { Webhook, WebhookWithSecret } from '#api';
import { call } from '#dashboard/api/call.ts';
import { hasRows, useList } from '#dashboard/data.ts';
import type { PageProps } from '#dashboard/page-entry.ts';
import { Head, Time } from '#dashboard/parts/basics.tsx';
import { curlOf, Empty } from '#dashboard/parts/feedback.tsx';
import { FollowerState } from '#dashboard/parts/followers.tsx';
import { FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { Secret } from '#dashboard/parts/secret.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { practice } from '#dashboard/session.ts';
import { number, translated } from '#dashboard/words.ts';
import { WebhookForm } from './form.tsx';
import { WebhookPage } from './webhook.tsx';
import { words } from './words/de.ts';

const columns = (): readonly Column<Webhook>[] => {
  const w = translated(words);
  return [
    { head: w.name, cell: ({ name }) => name, isMain: true },
    { head: w.state, cell: (webhook) => <FollowerState follower={webhook} /> },
    { head: w.address, cell: ({ url }) => <code>{url}</code> },
    { head: w.events, cell: ({ events }) => number(events.length), align: 'end' },
    { head: w.created, cell: ({ created_at }) => <Time at={created_at} />, align: 'end' },
  ];
};

const List = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const [created, setCreated] = useState<WebhookWithSecret>();
  const pages = useList('GET /api/practices/{id}/webhooks', { id });
  const create = (
    <FormDialog button={w.create} kind="primary" wide>
      {(close) => (
        <WebhookForm
          submit={w.create}
          onSubmit={async (body) => {
            setCreated(await call('POST /api/practices/{id}/webhooks', { id, body }));
            close();
            pages.reload();
          }}
        />
      )}
    </FormDialog>
  );
  return (
    <>
      <Head
        title={w.pages.webhooks}
        intro={
          <>
            {w.intro} <a href="/reference/events">{w.reference}</a>
          </>
        }
        actions={hasRows(pages) && create}
      />
      <PagedTable
        caption={w.webhooks}
        columns={columns()}
        pages={pages}
        href={(row) => `/app/${id}/webhooks/${row.id}`}
        empty={
          <Empty
            title={w.noneYet}
            text={w.noneYetText}
            action={create}
            curl={curlOf(
              `practices/${id}/webhooks`,
              '{"name": "Programm", "url": "https://example.org/hooks/mail", "events": ["message.delivered"]}',
            )}
          />
        }
      />
      <Secret title={w.newSecret} secret={created?.secret} onClose={() => setCreated(undefined)} />
    </>
  );
};

const Webhooks = ({ item }: PageProps) => (item === undefined ? <List /> : <WebhookPage webhookID={item} />);

export default Webhooks;
