// What a person needs who looks into a case: what the servers replied, all events, what the gates decided and why, header
// fields, ids, the source.
import type { ComponentChildren } from 'preact';
import type { Decision, Event } from '#api';
import { addressOf } from '#dashboard/api/call.ts';
import { Badge, Copy, Facts, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { verdictTones } from '#dashboard/parts/gates.tsx';
import { type Column, Table } from '#dashboard/parts/table.tsx';
import { may, practice } from '#dashboard/session.ts';
import { bytes, translated } from '#dashboard/words.ts';
import type { Held } from './held.ts';
import { words } from './words/de.ts';

const replyText = (reply: {
  readonly smtp_code: number | null;
  readonly enhanced_code: string | null;
  readonly diagnostic: string | null;
}): string =>
  [reply.smtp_code, reply.enhanced_code, reply.diagnostic].filter((one) => one !== null).join(' ');

const Id = ({ text }: { readonly text: string }) => (
  <>
    <code>{text}</code> <Copy text={text} />
  </>
);

const pairs = (record: Readonly<Record<string, string>>): readonly (readonly [string, ComponentChildren])[] =>
  Object.entries(record);

export const Technical = ({ held: { message, events } }: { readonly held: Held }) => {
  const w = translated(words);
  /** Who makes programs send: they know the names of the API. */
  const isDeveloper = may('tokens.manage');
  const target = { id: practice.value?.id ?? '', messageID: message.id };
  const eventColumns: readonly Column<Event>[] = [
    { head: w.what, cell: ({ type }) => <code>{type}</code>, isMain: true },
    { head: w.time, cell: ({ at }) => <Time at={at} seconds /> },
    { head: w.recipients, cell: ({ recipient }) => recipient ?? w.message },
    {
      head: w.details,
      cell: (event) =>
        [
          event.bot ? w.machine : '',
          replyText(event),
          event.rule,
          event.upstream,
          event.url,
          event.ip,
          event.user_agent,
        ]
          .filter(Boolean)
          .join(' · '),
    },
  ];
  const decisionColumns: readonly Column<Decision>[] = [
    {
      head: w.check,
      isMain: true,
      cell: ({ gate }) => (
        <>
          {w.gates[gate] ?? gate} {isDeveloper && <code>{gate}</code>}
        </>
      ),
    },
    {
      head: w.verdict,
      cell: ({ verdict }) => <Badge tone={verdictTones[verdict]}>{w.verdicts[verdict]}</Badge>,
    },
    ...(isDeveloper
      ? [{ head: w.facts, cell: ({ facts }: Decision) => <code>{JSON.stringify(facts)}</code> }]
      : []),
  ];
  return (
    <details class="card technical">
      <summary>
        <h2>{w.technical}</h2>
      </summary>
      <div class="stack">
        <h3>{w.replies}</h3>
        <Facts
          facts={message.recipients.map((one) => [
            one.address,
            <>
              <p>{replyText(one) || w.noReply}</p>
              <p class="quiet">
                {w.attempts}: {one.attempts}
                {one.upstream && ` · ${one.upstream}`}
                {one.next_attempt_at && (
                  <>
                    {' '}
                    · {w.next}: <Time at={one.next_attempt_at} seconds />
                  </>
                )}
              </p>
            </>,
          ])}
        />
        <h3>{w.events}</h3>
        <Table caption={w.events} columns={eventColumns} rows={events} rowKey={({ id }) => id} />
        <h3>{w.decisions}</h3>
        <Table
          caption={w.decisions}
          columns={decisionColumns}
          rows={message.decisions}
          rowKey={({ gate }) => gate}
        />
        {Object.keys(message.headers ?? {}).length > 0 && (
          <>
            <h3>{w.headers}</h3>
            <Facts facts={pairs(message.headers ?? {})} />
          </>
        )}
        {Object.keys(message.metadata).length > 0 && (
          <>
            <h3>{w.metadata}</h3>
            <Facts facts={pairs(message.metadata)} />
          </>
        )}
        <h3>{w.ids}</h3>
        <Facts
          facts={[
            [w.message, <Id key="id" text={message.id} />],
            [w.internetId, <Id key="internet" text={message.internet_message_id} />],
            [w.route, message.route.slug],
            [w.origin, message.source],
            [w.template, message.template_id && <Id text={message.template_id} />],
            [w.size, bytes(message.size_bytes)],
          ]}
        />
        {isDeveloper && (
          <LinkButton text={w.requestOf} href={`/app/${target.id}/requests?message=${message.id}`} />
        )}
        {may('messages.view_content') && !message.content_removed && message.source !== 'system' && (
          <LinkButton
            text={w.source}
            download
            href={addressOf('GET /api/practices/{id}/messages/{messageID}/source', target)}
          />
        )}
      </div>
    </details>
  );
};
