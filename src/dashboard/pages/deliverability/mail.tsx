// What goes out, to which mailboxes, and how its subjects read.
import type { ChannelMix, Placement, SubjectRisk } from '#api';
import { Card, Meter } from '#dashboard/parts/basics.tsx';
import { type Column, Table } from '#dashboard/parts/table.tsx';
import { number, percent, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export const Mix = ({ mix }: { readonly mix: ChannelMix }) => {
  const w = translated(words);
  const used = mix.channels.filter(({ mails }) => mails > 0);
  if (used.length === 0) return null;
  return (
    <Card title={w.mix}>
      <div class="stack">
        {used.map(({ channel, mails }) => (
          <Meter key={channel} label={w.channels[channel]} value={mails} max={mix.mails} />
        ))}
      </div>
    </Card>
  );
};

type Provider = Placement['providers'][number];

const providerColumns = (): readonly Column<Provider>[] => {
  const w = translated(words);
  const count = (_id: string, head: string, value: (row: Provider) => number): Column<Provider> => ({
    head,
    align: 'end',
    cell: (row) => number(value(row)),
  });
  return [
    { head: w.provider, isMain: true, cell: ({ provider }) => w.providers[provider] },
    count('recipients', w.recipients, ({ recipients }) => recipients),
    count('delivered', w.delivered, ({ delivered }) => delivered),
    count('processed', w.handedOver, ({ processed }) => processed),
    count('waiting', w.waiting, ({ waiting, delayed }) => waiting + delayed),
    count('bounced', w.refused, ({ bounced, failed }) => bounced + failed),
    count('complaints', w.reportedAsSpam, ({ complaints }) => complaints),
  ];
};

const Subjects = ({ placement, risk }: { readonly placement: Placement; readonly risk: SubjectRisk }) => {
  const w = translated(words);
  const worst = placement.worst_subjects?.filter(({ level }) => level !== 'low') ?? [];
  return (
    <>
      <h3>{w.subjects}</h3>
      <p class="quiet">
        {w.levels(number(risk.levels.low), number(risk.levels.medium), number(risk.levels.high))}
      </p>
      {worst.length > 0 && (
        <Table
          caption={w.subjects}
          rows={worst}
          rowKey={({ subject }) => subject}
          columns={[
            { head: w.subject, isMain: true, cell: ({ subject }) => subject },
            { head: w.messages, align: 'end', cell: ({ messages }) => number(messages) },
            { head: w.score, align: 'end', cell: ({ score }) => number(score) },
          ]}
        />
      )}
      {risk.rules.length > 0 && (
        <details>
          <summary>{w.why}</summary>
          <ul>
            {risk.rules.map(({ id, why, advice, share }) => (
              <li key={id}>
                {why} {advice} ({percent(share)})
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
};

export const PlacementCard = ({
  placement,
  risk,
}: {
  readonly placement: Placement;
  readonly risk: SubjectRisk;
}) => {
  const w = translated(words);
  const providers = placement.providers.filter(({ recipients }) => recipients > 0);
  if (providers.length === 0) return null;
  return (
    <Card title={w.placement}>
      <p class="quiet">{w.placementText(number(placement.recipients_sampled), placement.days)}</p>
      <Table
        caption={w.placement}
        columns={providerColumns()}
        rows={providers}
        rowKey={({ provider }) => provider}
      />
      <Subjects placement={placement} risk={risk} />
    </Card>
  );
};
