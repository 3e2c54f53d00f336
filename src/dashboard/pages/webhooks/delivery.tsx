// One delivery: what was sent, what was answered, when it is tried again.
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer } from '#dashboard/data.ts';
import { Badge, Button, Code, Facts, Time, type Tone } from '#dashboard/parts/basics.tsx';
import { Dialog } from '#dashboard/parts/dialog.tsx';
import { ErrorNote, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { failureOf } from '#dashboard/parts/followers.tsx';
import { may } from '#dashboard/session.ts';
import { number, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';
const tones: Readonly<Record<DeliveryStatus, Tone>> = { pending: 'busy', delivered: 'good', failed: 'bad' };
export const deliveryStatuses: readonly DeliveryStatus[] = ['pending', 'delivered', 'failed'];

export const DeliveryBadge = ({ status }: { readonly status: DeliveryStatus }) => (
  <Badge tone={tones[status]}>{translated(words).statuses[status]}</Badge>
);

const pretty = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
};

interface DeliveryProps {
  readonly id: string;
  readonly webhookID: string;
  readonly deliveryID: string;
  readonly onClose: () => void;
  /** Called after a replay. */
  readonly onChange: () => void;
}

export const DeliveryDialog = ({ id, webhookID, deliveryID, onClose, onChange }: DeliveryProps) => {
  const w = translated(words);
  const at = { id, webhookID, deliveryID };
  const data = useAnswer('GET /api/practices/{id}/webhooks/{webhookID}/deliveries/{deliveryID}', at);
  const replay = useAction(async () => {
    await call('POST /api/practices/{id}/webhooks/{webhookID}/deliveries/{deliveryID}/replay', at);
    toast(w.replayed);
    onChange();
    onClose();
  });
  return (
    <Dialog title={w.delivery} isOpen onClose={onClose} wide>
      <Loaded data={data}>
        {(delivery) => (
          <div class="stack">
            <Facts
              facts={[
                [w.event, <code key="event">{delivery.event}</code>],
                [w.state, <DeliveryBadge key="status" status={delivery.status} />],
                [w.attempts, number(delivery.attempts)],
                [w.answer, delivery.response_status ?? w.none],
                [w.error, delivery.error && <span lang="en">{failureOf(delivery.error)}</span>],
                [w.next, delivery.next_attempt_at && <Time at={delivery.next_attempt_at} seconds />],
                [w.last, <Time key="last" at={delivery.updated_at} seconds />],
                [
                  w.message,
                  delivery.message_id && <a href={`/app/${id}/post/${delivery.message_id}`}>{w.look}</a>,
                ],
                [
                  w.pages.requests,
                  delivery.message_id && may('tokens.manage') && (
                    <a href={`/app/${id}/requests?message=${delivery.message_id}`}>{w.requestOf}</a>
                  ),
                ],
                [w.id, <code key="id">{delivery.id}</code>],
              ]}
            />
            <ErrorNote error={replay.error} />
            {delivery.status !== 'pending' && (
              <Button
                text={w.replay}
                kind="primary"
                disabled={replay.isRunning}
                onClick={() => void replay.run()}
              />
            )}
            {delivery.response_excerpt && (
              <>
                <h3>{w.excerpt}</h3>
                <Code text={delivery.response_excerpt} label={w.excerpt} />
              </>
            )}
            <h3>{w.sent}</h3>
            {delivery.body === null ? (
              <p class="quiet">{w.noBody}</p>
            ) : (
              <Code text={pretty(delivery.body)} label={w.sent} />
            )}
          </div>
        )}
      </Loaded>
    </Dialog>
  );
};
