// What webhooks and chat alerts share: how each fares, and which events it gets, a box for each by name and by what it means.
import type { Webhook, WebhookEvent } from '#api';
import { moment } from '#dashboard/words.ts';
import { Lamp } from './basics.tsx';
import { partWords } from './words.ts';

/** How a webhook or an alert fares. */
export const FollowerState = ({
  follower: { status, disabled_reason, failing_since },
}: {
  readonly follower: Pick<Webhook, 'status' | 'disabled_reason' | 'failing_since'>;
}) => {
  const w = partWords().followerStates;
  if (status === 'disabled') return <Lamp tone="bad" text={w.off[disabled_reason ?? 'manual']} />;
  if (failing_since === null) return <Lamp tone="good" text={w.active} />;
  return <Lamp tone="warn" text={w.failing(moment(failing_since))} />;
};

/** What the service notes of an attempt that failed: the receiver's status, or why there was none. */
export const failureOf = (error: string): string => error.replace(/^answered /, 'HTTP ');

export const eventMeaning = (event: WebhookEvent): string => partWords().events.names[event];

export const EventChoice = <E extends WebhookEvent>({
  label,
  events,
  value,
  onValue,
}: {
  readonly label: string;
  readonly events: readonly E[];
  readonly value: readonly E[];
  readonly onValue: (value: readonly E[]) => void;
}) => (
  <fieldset class="field">
    <legend>{label}</legend>
    <label class="choice">
      <input
        type="checkbox"
        ref={(box) => box?.setCustomValidity(value.length === 0 ? partWords().events.chooseOne : '')}
        checked={value.length === events.length}
        onChange={(change) => onValue(change.currentTarget.checked ? events : [])}
      />
      {partWords().events.all}
    </label>
    <div class="eventchoices">
      {events.map((event) => (
        <label key={event} class="choice">
          <input
            type="checkbox"
            checked={value.includes(event)}
            onChange={(change) =>
              onValue(
                events.filter((one) => (one === event ? change.currentTarget.checked : value.includes(one))),
              )
            }
          />
          <span>
            {eventMeaning(event)} <code>{event}</code>
          </span>
        </label>
      ))}
    </div>
  </fieldset>
);
