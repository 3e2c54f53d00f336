// A campaign: written until it is sent, and its results from then on.

import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { campaignStatuses, campaignTones } from '#dashboard/campaign-statuses.ts';
import { useAction, useAnswer } from '#dashboard/data.ts';
import type { PageProps } from '#dashboard/page-entry.ts';
import { Badge, Button, Head, Tabs } from '#dashboard/parts/basics.tsx';
import { ContentPreview, contentOf } from '#dashboard/parts/content.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { ErrorNote, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { may, practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { Recipients, Results } from './results.tsx';
import { words } from './words/de.ts';
import { type CampaignProps, Writing } from './write.tsx';

/** While it is sent, and until all of its messages have left. */
const POLL_MS = 2_000;

const Actions = ({ id, campaign, onChanged }: CampaignProps) => {
  const w = translated(words);
  const { route } = useLocation();
  const { status, counts } = campaign;
  const at = { id, campaignID: campaign.id };
  const pause = useAction(async () => {
    onChanged(await call('POST /api/practices/{id}/campaigns/{campaignID}/pause', at));
  });
  const resume = useAction(async () => {
    onChanged(await call('POST /api/practices/{id}/campaigns/{campaignID}/resume', at));
  });
  const duplicate = useAction(async () => {
    const copy = await call('POST /api/practices/{id}/campaigns/{campaignID}/duplicate', { ...at, body: {} });
    toast(w.duplicated);
    route(`/app/${id}/campaigns/${copy.id}`);
  });
  const cancel = async (): Promise<void> => {
    onChanged(await call('POST /api/practices/{id}/campaigns/{campaignID}/cancel', at));
  };
  const remove = async (): Promise<void> => {
    await call('DELETE /api/practices/{id}/campaigns/{campaignID}', at);
    route(`/app/${id}/campaigns`, true);
  };
  const mayCancel =
    ['scheduled', 'sending', 'paused'].includes(status) || (status === 'sent' && counts.queued > 0);
  return (
    <>
      <div class="actions">
        {status === 'sending' && (
          <Button text={w.pause} disabled={pause.isRunning} onClick={() => void pause.run()} />
        )}
        {status === 'paused' && may('messages.send') && (
          <Button
            text={w.resume}
            kind="primary"
            disabled={resume.isRunning}
            onClick={() => void resume.run()}
          />
        )}
        {mayCancel && (
          <Confirm
            button={w.cancelIt}
            title={w.cancelTitle}
            text={w.cancelText}
            kind="danger"
            onConfirm={cancel}
          />
        )}
        <Button text={w.duplicate} disabled={duplicate.isRunning} onClick={() => void duplicate.run()} />
        {status === 'draft' && (
          <Confirm
            button={w.delete}
            title={w.removeTitle}
            text={w.removeText}
            kind="danger"
            onConfirm={remove}
          />
        )}
      </div>
      <ErrorNote error={pause.error ?? resume.error ?? duplicate.error} />
    </>
  );
};

const CampaignPage = ({ item = '' }: PageProps) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const { values, href } = useFilters();
  const data = useAnswer('GET /api/practices/{id}/campaigns/{campaignID}', { id, campaignID: item });
  const campaign = data.value;
  const isMoving = campaign !== undefined && (campaign.status === 'sending' || campaign.counts.queued > 0);
  useEffect(() => {
    if (!isMoving) return;
    const timer = setTimeout(data.reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [campaign]);
  const isWritten = campaign?.status === 'draft' || campaign?.status === 'scheduled';
  const { view = 'results' } = values;
  return (
    <>
      <Head
        title={campaign?.name ?? w.pages.campaigns}
        intro={
          campaign && (
            <Badge tone={campaignTones[campaign.status]}>{campaignStatuses()[campaign.status]}</Badge>
          )
        }
        back={{ href: `/app/${id}/campaigns`, text: w.pages.campaigns }}
        actions={campaign && <Actions id={id} campaign={campaign} onChanged={data.replace} />}
      />
      {campaign && !isWritten && (
        <Tabs
          label={w.views}
          present={view}
          tabs={[
            { id: 'results', text: w.results, href: href({ view: '', state: '' }) },
            {
              id: 'recipients',
              text: w.recipients,
              href: href({ view: 'recipients' }),
              count: campaign.counts.handed_over,
            },
            { id: 'content', text: w.content, href: href({ view: 'content', state: '' }) },
          ]}
        />
      )}
      <Loaded data={data} lines={10}>
        {(shown) => {
          if (isWritten) return <Writing key={shown.id} id={id} campaign={shown} onChanged={data.replace} />;
          if (view === 'recipients') return <Recipients id={id} campaign={shown} />;
          if (view === 'content') return <ContentPreview content={contentOf(shown)} />;
          return <Results id={id} campaign={shown} />;
        }}
      </Loaded>
    </>
  );
};

export default CampaignPage;
