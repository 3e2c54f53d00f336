// The message that a report is about, and the token by which it was sent.
import type { AbuseTicket } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer } from '#dashboard/data.ts';
import { Button, Card, Facts, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { ErrorNote, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { SlowedActions, SlowedState } from '#dashboard/parts/slowed.tsx';
import { number, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export const Reported = ({
  ticket: { id: ticketID, practice_id },
  onChange,
}: {
  readonly ticket: AbuseTicket;
  readonly onChange: () => void;
}) => {
  const w = translated(words);
  const found = useAnswer('GET /api/admin/abuse-tickets/{ticketID}/message', { ticketID });
  const assign = useAction(async (chosen: string) => {
    await call('PATCH /api/admin/abuse-tickets/{ticketID}', { ticketID, body: { practice_id: chosen } });
    toast(w.saved);
    onChange();
  });
  return (
    <Card title={w.message}>
      <Loaded data={found} lines={3}>
        {({ message }) =>
          message === null ? (
            <p class="hint">{w.notFound}</p>
          ) : (
            <>
              <Facts
                facts={[
                  [w.about, message.practice.name],
                  [w.subject, message.subject],
                  [w.sentAt, <Time key="at" at={message.created_at} />],
                  [w.recipients, number(message.recipients)],
                  [w.token, message.token === null ? w.noToken : (message.token.name ?? w.revokedToken)],
                ]}
              />
              <p class="hint">{w.foundBy[message.found_by]}</p>
              {message.token && <SlowedState {...message.token} />}
              <ErrorNote error={assign.error} />
              <p class="actions">
                <LinkButton text={w.openMessage} href={`/app/${message.practice.id}/post/${message.id}`} />
                {practice_id !== message.practice.id && (
                  <Button
                    text={w.assign}
                    disabled={assign.isRunning}
                    onClick={() => void assign.run(message.practice.id)}
                  />
                )}
                {message.token && (
                  <SlowedActions
                    id={message.practice.id}
                    tokenID={message.token.id}
                    name={message.token.name ?? message.token.id}
                    brake={message.token}
                    isRevoked={message.token.name === null}
                    isOperator
                    onDone={found.reload}
                  />
                )}
              </p>
            </>
          )
        }
      </Loaded>
    </Card>
  );
};
