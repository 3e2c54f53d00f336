// The transitions of a message's recipients, out of what was heard of them: the log holds all that was told, in the order
// it came, and here stands what of it changed a status. What came late or twice, and what machines opened, moved nothing:
// it is among the events. Pure.
import type { z } from 'zod';
import type { EventData, EventRow } from '#src/events/store.ts';
import { toIso } from '#src/kernel/time.ts';
import { after, firstSignal, type Signal, signalOf, statusOf } from './rules.ts';
import type { timelineSchema } from './schema.ts';
import type { MessageRow } from './store.ts';

type Entry = z.infer<typeof timelineSchema>['data'][number];

/** The other side's words, or what decided. */
const detailOf = ({ diagnostic, suppression, rule }: EventData): string | null =>
  diagnostic ?? suppression?.reason ?? rule ?? null;

export const presentTimeline = (
  message: Pick<MessageRow, 'created_at' | 'scheduled_at'>,
  events: readonly EventRow[],
): z.infer<typeof timelineSchema> => {
  const first = firstSignal(message);
  /** By address; null: of the message as a whole. */
  const standings = new Map<string | null, Signal>();
  const entryOf = ({ at, type, recipient, data_json }: EventRow): Entry[] => {
    if (type === 'message.created')
      return [{ at: toIso(at), status: statusOf(first), recipient, detail: null }];
    const data: EventData = data_json === null ? {} : JSON.parse(data_json);
    const signal = data.bot === true ? null : signalOf({ type, own: data.attempt !== undefined });
    if (signal === null) return [];
    const before = standings.get(recipient) ?? first;
    const standing = after(before, signal);
    standings.set(recipient, standing);
    if (statusOf(standing) === statusOf(before)) return [];
    return [{ at: toIso(at), status: statusOf(standing), recipient, detail: detailOf(data) }];
  };
  return { data: events.flatMap(entryOf) };
};
