// The log of events has no gap and gives no number twice.
import { broken, type Truth } from './truth.ts';

export const logHasNoGap: Truth = {
  name: 'the log has no gap, and no number twice',
  check: (_scene, _book, { news }) => {
    for (const { tenant, lastEvent, logEnd, events, isNew } of news) {
      if (isNew) continue;
      let last = lastEvent;
      for (const { seq, id, type } of events) {
        if (seq !== last + 1)
          broken(`${tenant.name}: after event ${last} comes ${type} ${id} with number ${seq}`);
        last = seq;
      }
      if (last !== logEnd)
        broken(
          `${tenant.name}: the log had ${lastEvent} events and has given ${logEnd} numbers, and its last event is ${last}`,
        );
    }
  },
};

/** What a receiver has got was durable before. */
export const publishedStays: Truth = {
  name: 'a published event stays in the log under its number',
  check: (_scene, _book, { news }) => {
    for (const { tenant, isNew, events } of news) {
      if (tenant.published.size === 0) continue;
      for (const { seq, id } of events) {
        const published = tenant.published.get(seq);
        if (published !== undefined && published !== id)
          broken(
            `${tenant.name}: number ${seq} was that of the published event ${published}, and is given again to ${id}`,
          );
      }
      if (!isNew || tenant.restoredAt > 0) continue;
      for (const [seq, id] of tenant.published)
        if (tenant.events.get(id)?.seq !== seq)
          broken(
            `${tenant.name}: event ${id} was published with number ${seq}, and is not in the log after a start`,
          );
    }
  },
};
