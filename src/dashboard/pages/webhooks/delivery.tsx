// One delivery: what was sent, what was answered, when it is tried again.
import { call } from '#dashboard/api/call.ts';
import { useAction, useData } from '#dashboard/data.ts';
import { Badge, Code, Facts, Time, type Tone } from '#dashboard/parts/basics.tsx';
import { Dialog } from '#dashboard/parts/dialog.tsx';
import { ErrorNote, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { failureOf } from '#dashboard/parts/followers.tsx';
import { number } from '#dashboard/words.ts';
import { webhookWords } from './words.ts';

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';
const tones: Readonly<Record<DeliveryStatus, Tone>> = { pending: 'busy', delivered: 'good', failed: 'bad' };
export const deliveryStatuses: readonly DeliveryStatus[] = ['pending', 'delivered', 'failed'];

export const DeliveryBadge = ({ status }: { readonly status: DeliveryStatus }) => (
  <Badge tone={tones[status]}>{webhookWords().statuses[status]}</Badge>
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
  /** It was replayed. */
  readonly onChange: () => void;
}

export const DeliveryDialog = ({ id, webhookID, deliveryID, onClose, onChange }: DeliveryProps) => {
  const w = webhookWords();
  const at = { id, webhookID, deliveryID };
  const data = useData(
    (abort) => call('GET /api/practices/{id}/webhooks/{webhookID}/deliveries/{deliveryID}', at, { abort }),
    [id, webhookID, deliveryID],
  );
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
                [w.status, <DeliveryBadge key="status" status={delivery.status} />],
                [w.attempts, number(delivery.attempts)],
                [w.answer, delivery.response_status ?? w.noAnswer],
                [w.error, delivery.error && <span lang="en">{failureOf(delivery.error)}</span>],
                [w.next, delivery.next_attempt_at && <Time at={delivery.next_attempt_at} seconds />],
                [w.last, <Time key="last" at={delivery.updated_at} seconds />],
                [
                  w.message,
                  delivery.message_id && <a href={`/app/${id}/post/${delivery.message_id}`}>{w.look}</a>,
                ],
                [w.id, <code key="id">{delivery.id}</code>],
              ]}
            />
            <ErrorNote error={replay.error} />
            {delivery.status !== 'pending' && (
              <button
                type="button"
                class="primary"
                disabled={replay.isRunning}
                onClick={() => void replay.run()}
              >
                {w.replay}
              </button>
            )}
            {delivery.response_excerpt && (
              <>
                <h3>{w.excerpt}</h3>
                <Code text={delivery.response_excerpt} label={w.excerpt} />
              </>
            )}
            <h3>{w.request}</h3>
            {delivery.body === null ? (
              <p class="quiet">{w.noBody}</p>
            ) : (
              <Code text={pretty(delivery.body)} label={w.request} />
            )}
          </div>
        )}
      </Loaded>
    </Dialog>
  );
};
