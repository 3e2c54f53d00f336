// One upstream: whether it works, what it last said, a look at it with its conversation, and its reset.
import { useState } from 'preact/hooks';
import type { Queues, UpstreamOutcomes, UpstreamProbe } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { Card, Code, Facts, Lamp, Time } from '#dashboard/parts/basics.tsx';
import { Confirm, Dialog } from '#dashboard/parts/dialog.tsx';
import { ErrorNote, Note, toast } from '#dashboard/parts/feedback.tsx';
import { number, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

type Upstream = Queues['upstreams'][number];

const tones = { closed: 'good', half_open: 'warn', open: 'bad' } as const;

const Probed = ({ probe }: { readonly probe: UpstreamProbe }) => {
  const w = translated(words);
  const { ok, failed_at, error, duration_ms, tls, transcript } = probe;
  return (
    <>
      <Note kind={ok ? 'good' : 'bad'}>
        <p>
          <strong>{ok ? w.probeOk : w.probeFailed(failed_at ?? '')}</strong>
        </p>
        {error && <p>{error}</p>}
      </Note>
      <Facts
        facts={[
          [w.duration, w.milliseconds(number(duration_ms))],
          [
            w.tls,
            tls
              ? [tls.protocol, tls.verified ? w.verified : w.unverified, tls.problem, tls.subject]
                  .filter(Boolean)
                  .join(', ')
              : w.none,
          ],
        ]}
      />
      {transcript.length > 0 && (
        <div>
          <Code label={w.transcript} text={transcript.join('\n')} />
        </div>
      )}
    </>
  );
};

const audienceOf = ({ for: wanted }: Upstream): string => {
  const w = translated(words);
  if (wanted === null) return w.everything;
  return [...(wanted.streams ?? []).map((one) => w.streams[one]), ...(wanted.practices ?? [])].join(', ');
};

const outcomeKinds = ['accepted', 'deferred', 'bounced', 'failed'] as const;

const outcomesText = (counts: UpstreamOutcomes): string => {
  const w = translated(words);
  const some = outcomeKinds.filter((kind) => counts[kind] > 0);
  return some.map((kind) => `${number(counts[kind])} ${w.outcomeNames[kind]}`).join(', ') || w.none;
};

export const UpstreamCard = ({
  upstream,
  onChange,
}: {
  readonly upstream: Upstream;
  readonly onChange: () => void;
}) => {
  const w = translated(words);
  const { name, kind, state, address, last_failure, never_delivered } = upstream;
  const [probe, setProbe] = useState<UpstreamProbe>();
  const look = useAction(async () =>
    setProbe(await call('POST /api/admin/upstreams/{name}/probe', { name })),
  );
  const reset = async (): Promise<void> => {
    await call('POST /api/admin/upstreams/{name}/reset', { name });
    toast(w.resetDone(name));
    onChange();
  };
  return (
    <Card
      title={name}
      actions={
        <>
          <Lamp tone={tones[state]} text={w.states[state]} />
          <button type="button" class="small" disabled={look.isRunning} onClick={() => void look.run()}>
            {look.isRunning ? w.checking : w.probe}
          </button>
          {state !== 'closed' && (
            <Confirm small button={w.reset} title={w.resetTitle(name)} text={w.resetText} onConfirm={reset} />
          )}
        </>
      }
    >
      <ErrorNote error={look.error} />
      <Facts
        facts={[
          [w.address, address ?? (kind === 'capture' ? w.capture : null)],
          [w.for, audienceOf(upstream)],
          [w.since, upstream.set_aside_since && <Time at={upstream.set_aside_since} relative />],
          [w.retry, upstream.retry_at && <Time at={upstream.retry_at} seconds />],
          [
            w.failure,
            last_failure && (
              <>
                <code>{last_failure.reply}</code> <Time at={last_failure.at} seconds />
              </>
            ),
          ],
          [w.delivery, never_delivered && w.neverDelivered[never_delivered]],
          [w.flight, w.of(number(upstream.in_flight), number(upstream.places))],
          [w.waiting, number(upstream.waiting_practices)],
          [w.oldestMail, upstream.oldest_since && <Time at={upstream.oldest_since} relative />],
          [w.lastHour, outcomesText(upstream.outcomes_last_hour)],
          [w.outcomes, outcomesText(upstream.outcomes)],
        ]}
      />
      <Dialog
        wide
        title={w.probeTitle(name)}
        isOpen={probe !== undefined}
        onClose={() => setProbe(undefined)}
      >
        {probe && <Probed probe={probe} />}
      </Dialog>
    </Card>
  );
};
