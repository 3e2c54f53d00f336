// A token that is slowed, because it left its usual range: what is known of that, and what a person does about it.
import type { ApiToken } from '#api';
import { call } from '#dashboard/api/call.ts';
import { number, percent } from '#dashboard/words.ts';
import { Badge, Time } from './basics.tsx';
import { Confirm } from './dialog.tsx';
import { toast } from './feedback.tsx';
import { partWords } from './words.ts';

type Brake = Pick<ApiToken, 'slowed' | 'lifted_until'>;

/** Nothing where the token is as usual. */
export const SlowedState = ({ slowed, lifted_until }: Brake) => {
  const w = partWords().brake;
  if (slowed === null)
    return lifted_until === null ? null : (
      <span class="hint">
        {w.liftedUntil} <Time at={lifted_until} />
      </span>
    );
  const { reason, per_hour, waiting, until } = slowed;
  const isShare = reason.whole !== null;
  return (
    <div>
      <Badge tone="bad">{w.slowed}</Badge>{' '}
      <span class="hint">
        {w.measures[reason.measure]}
        {reason.measure !== 'by_hand' &&
          `: ${isShare ? w.ofWhole(number(reason.count), number(reason.whole ?? 0)) : number(reason.count)} (${w.usual} ${isShare ? percent(reason.usual) : number(reason.usual)})`}
        {reason.note !== null && ` ${reason.note}`} {w.pace(number(per_hour), number(waiting))} {w.until}{' '}
        <Time at={until} />
      </span>
    </div>
  );
};

/** `isOperator`: who may slow it by hand from here. */
export const SlowedActions = ({
  id,
  tokenID,
  name,
  brake,
  isRevoked = false,
  isOperator = false,
  onDone,
}: {
  readonly id: string;
  readonly tokenID: string;
  readonly name: string;
  readonly brake: Brake;
  readonly isRevoked?: boolean;
  readonly isOperator?: boolean;
  readonly onDone: () => void;
}) => {
  const w = partWords().brake;
  const then = async (work: Promise<unknown>, said: string): Promise<void> => {
    await work;
    toast(said);
    onDone();
  };
  const path = { id, tokenID };
  return (
    <>
      {brake.slowed !== null && !isRevoked && (
        <Confirm
          button={w.lift}
          text={w.liftText(name)}
          small
          onConfirm={() =>
            then(call('POST /api/practices/{id}/api-tokens/{tokenID}/lift', { ...path, body: {} }), w.lifted)
          }
        />
      )}
      {isOperator && brake.slowed === null && !isRevoked && (
        <Confirm
          button={w.slow}
          text={w.slowText(name)}
          small
          onConfirm={() =>
            then(
              call('POST /api/practices/{id}/api-tokens/{tokenID}/slow', { ...path, body: {} }),
              w.isSlowed,
            )
          }
        />
      )}
      {(isOperator || brake.slowed !== null) && !isRevoked && (
        <Confirm
          button={w.stop}
          text={w.stopText(name)}
          kind="danger"
          small
          onConfirm={async () => {
            await call('DELETE /api/practices/{id}/api-tokens/{tokenID}', path);
            await then(call('POST /api/practices/{id}/api-tokens/{tokenID}/discard', path), w.stopped);
          }}
        />
      )}
    </>
  );
};
