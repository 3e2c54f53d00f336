// What the listeners say of themselves in numbers.
import type { z } from 'zod';
import { type Metric, type Reading, readMetric, SHORT_SECONDS, timed } from '#src/kernel/metrics.ts';
import type { inboundSchema } from './health.ts';

type InboundStats = NonNullable<z.output<typeof inboundSchema>>;
type Counts = Readonly<Record<string, number>>;

export const commandDuration = () =>
  timed(
    {
      name: 'sendwerk_smtp_command_duration_seconds',
      help: 'From a command of a client to our reply, by listener; data: from the end of the content to the reply, when the message is on the disk.',
      buckets: SHORT_SECONDS,
    },
    {
      listener: ['inbound', 'submission', 'submissions'],
      command: ['auth', 'mail', 'rcpt', 'data'],
    },
  );
export type CommandDuration = ReturnType<typeof commandDuration>;

const named = (counts: Counts, nameOf: (name: string) => string): [string, number][] =>
  Object.entries(counts).map(([name, count]) => [nameOf(name), count]);

/** Null where nothing is received from the world. */
export const inboundMetrics = (stats: () => InboundStats | null): Metric[] => {
  const readEach =
    (label: string, of: (stats: InboundStats) => readonly (readonly [string, number])[]) => (): Reading[] => {
      const all = stats();
      return all === null ? [] : of(all).map(([name, count]) => [count, { [label]: name }]);
    };
  return [
    readMetric({
      kind: 'counter',
      name: 'sendwerk_inbound_mails_total',
      help: 'Mails from the world by what became of them: received (for mailboxes), report_… (bounces and complaints, by whether they changed anything), domain_report_… (DMARC and TLS), simulated, to_operator, handed_on, or refused_… behind their content.',
      labels: ['outcome'],
      read: readEach('outcome', (all) => [
        ['received', all.received],
        ...named(all.reports, (name) => `report_${name}`),
        ...named(all.domain_reports, (name) => `domain_report_${name}`),
        ['simulated', all.simulated],
        ['to_operator', all.to_operator],
        ['handed_on', all.handed_on],
        ...named(all.refused_content, (name) => `refused_${name}`),
      ]),
    }),
    readMetric({
      kind: 'counter',
      name: 'sendwerk_inbound_recipients_refused_total',
      help: 'Recipients of mail from the world that were refused, by the reason.',
      labels: ['reason'],
      read: readEach('reason', (all) => Object.entries(all.refused)),
    }),
  ];
};
