// The status transitions of a message's recipients, and the replies to it, computed from the log in its order. Signals that changed
// no status (late or repeated ones, and opens by machines) are in the events only. Pure.
import type { z } from 'zod';
import type { EventData, EventRow } from '#src/events/store.ts';
import { toIso } from '#src/kernel/time.ts';
import { after, firstSignal, type Signal, signalOf, statusOf } from './rules.ts';
import type { timelineSchema } from './schema.ts';
import type { MessageRow } from './store.ts';

type Entry = z.infer<typeof timelineSchema>['data'][number];

/** The reply of the other server, or the reason of the decision. */
const detailOf = ({ diagnostic, suppression, rule }: EventData): string | null =>
  diagnostic ?? suppression?.reason ?? rule ?? null;

export const presentTimeline = (
  message: Pick<MessageRow, 'created_at' | 'scheduled_at'>,
  events: readonly EventRow[],
): z.infer<typeof timelineSchema> => {
  const first = firstSignal(message);
  /** The current signal by address; null is the key of the message as a whole. */
  const current = new Map<string | null, Signal>();
  const entryOf = ({ at, type, recipient, inbound_id, data_json }: EventRow): Entry[] => {
    const entry = { at: toIso(at), status: null, recipient, inbound_id, detail: null };
    if (type === 'inbound.received') return [entry];
    if (type === 'message.created') return [{ ...entry, status: statusOf(first) }];
    const data: EventData = data_json === null ? {} : JSON.parse(data_json);
    const signal = data.bot === true ? null : signalOf({ type, own: data.attempt !== undefined });
    if (signal === null) return [];
    const before = current.get(recipient) ?? first;
    const next = after(before, signal);
    current.set(recipient, next);
    if (statusOf(next) === statusOf(before)) return [];
    return [{ ...entry, status: statusOf(next), detail: detailOf(data) }];
  };
  return { data: events.flatMap(entryOf) };
};
