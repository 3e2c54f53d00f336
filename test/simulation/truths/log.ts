// The log of events has no gap and gives no number twice.
import { rowIn } from './memory.ts';
import { broken, type Truth } from './truth.ts';

export const logHasNoGap: Truth = {
  name: 'the log has no gap, and no number twice',
  check: (_scene, _book, { news }) => {
    for (const { tenant, lastEvent, events, isNew } of news) {
      if (isNew) continue;
      let expected = lastEvent + 1;
      for (const { seq, id, type } of events) {
        if (seq !== expected)
          broken(
            `${tenant.name}: after event ${expected - 1} comes ${type} ${id} with number ${seq}, not ${expected}`,
          );
        expected += 1;
      }
      const [first] = events;
      // A log that has become shorter has no new events either.
      if (
        first === undefined &&
        lastEvent > 0 &&
        rowIn(tenant, 'SELECT 1 FROM events WHERE seq = ?', lastEvent) === undefined
      )
        broken(`${tenant.name}: event ${lastEvent} was in the log, and is gone though no process has ended`);
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
