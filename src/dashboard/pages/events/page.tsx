// The events of the practice, live.
import { useEffect, useState } from 'preact/hooks';
import type { Activity } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { useList } from '#dashboard/data.ts';
import { eventNames } from '#dashboard/event-names.ts';
import { useLive } from '#dashboard/live.ts';
import { Code, Head, Hidden, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { Empty, ErrorNote, Skeleton } from '#dashboard/parts/feedback.tsx';
import { FilterSelect } from '#dashboard/parts/filters.tsx';
import { eventMeaning } from '#dashboard/parts/followers.tsx';
import { named } from '#dashboard/parts/form.tsx';
import { More } from '#dashboard/parts/table.tsx';
import { may, practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

/** The bound for events that came while the page was open: a busy day must not fill the browser. */
const MAX_LIVE = 500;

interface About {
  readonly message_id?: string | null;
  readonly inbound_id?: string | null;
  readonly recipient?: string;
  readonly address?: string;
  readonly from?: { readonly address: string } | null;
  readonly subject?: string;
}

const pathOf = ({ message_id, inbound_id }: About): string | undefined => {
  if (message_id) return `post/${message_id}`;
  return inbound_id ? `inbox/${inbound_id}` : undefined;
};

const Row = ({
  event: { event, timestamp, data },
  base,
}: {
  readonly event: Activity;
  readonly base: string;
}) => {
  const about: About = data;
  const path = pathOf(about);
  const who = about.recipient ?? about.address ?? about.from?.address ?? about.message_id;
  return (
    <li>
      <details>
        <summary>
          <Time at={timestamp} seconds />
          <strong>{eventMeaning(event)}</strong>
          <code>{event}</code>
          <span class="quiet">{[who, about.subject].filter(Boolean).join(' · ')}</span>
        </summary>
        {path && (
          <p>
            <a class="button small" href={`${base}/${path}`}>
              {translated(words).look}
            </a>
            {about.message_id && may('tokens.manage') && (
              <>
                {' '}
                <a class="button small" href={`${base}/requests?message=${about.message_id}`}>
                  {translated(words).requestOf}
                </a>
              </>
            )}
          </p>
        )}
        <Code text={JSON.stringify(data, null, 2)} label={event} />
      </details>
    </li>
  );
};

const Events = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const base = `/app/${id}`;
  const filters = useFilters();
  const event = eventNames.find((name) => name === filters.values.event);
  const [live, setLive] = useState<readonly Activity[]>([]);
  /** Those that came after the pause began; null: it goes on. */
  const [held, setHeld] = useState<readonly Activity[] | null>(null);
  const pages = useList('GET /api/practices/{id}/events', { id, event });
  useEffect(() => {
    setLive([]);
    setHeld((before) => before && []);
  }, [id, event]);
  useLive(
    (one) => {
      if (event !== undefined && one.event !== event) return;
      const add = (before: readonly Activity[]) => [one, ...before].slice(0, MAX_LIVE);
      if (held === null) setLive(add);
      else setHeld((before) => before && add(before));
    },
    () => pages.reload(),
  );
  const resume = (): void => {
    setLive((before) => [...(held ?? []), ...before].slice(0, MAX_LIVE));
    setHeld(null);
  };
  // An event that came while the page was loaded is in both.
  const known = new Set(pages.value?.map((one) => one.id));
  const rows = [...live.filter((one) => !known.has(one.id)), ...(pages.value ?? [])];
  return (
    <>
      <Head
        title={w.pages.events}
        intro={w.intro}
        actions={
          <button
            type="button"
            aria-pressed={held !== null}
            onClick={held === null ? () => setHeld([]) : resume}
          >
            {held === null ? w.pause : w.resume}
          </button>
        }
      />
      <div class="filters">
        <FilterSelect
          filters={filters}
          name="event"
          label={w.event}
          options={{
            '': w.all,
            ...named(eventNames.map((name) => ({ id: name, name: `${name} – ${eventMeaning(name)}` }))),
          }}
        />
      </div>
      <p class="quiet" role="status">
        {held === null ? w.live : `${w.paused} ${held.length > 0 ? w.waiting(held.length) : ''}`}
        {live[0] && <Hidden> {eventMeaning(live[0].event)}</Hidden>}
      </p>
      <ErrorNote error={pages.error} onRetry={pages.reload} />
      {pages.value === undefined && pages.error === undefined && <Skeleton lines={10} />}
      {rows.length > 0 && (
        <ol class="events" aria-label={w.list} aria-busy={pages.isLoading}>
          {rows.map((one) => (
            <Row key={one.id} event={one} base={base} />
          ))}
        </ol>
      )}
      <More pages={pages} text={w.more} />
      {pages.value !== undefined && rows.length === 0 && (
        <Empty
          title={w.empty}
          text={w.emptyText}
          action={
            may('messages.send') && <LinkButton text={w.sendMessage} kind="primary" href={`${base}/send`} />
          }
          curl={`curl -N ${location.origin}/api/practices/${id}/events \\\n  -H "Authorization: Bearer $TOKEN" -H "Accept: text/event-stream"`}
        />
      )}
    </>
  );
};

export default Events;
