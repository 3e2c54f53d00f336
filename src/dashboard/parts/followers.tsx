// What webhooks and chat alerts share: how each fares, and which events it gets, a box for each by name and by what it means.
import type { Webhook, WebhookEvent } from '#api';
import { moment, words } from '#dashboard/words.ts';
import { Lamp } from './basics.tsx';

const stateWords = words({
  de: {
    active: 'Läuft',
    failing: (since: string) => `Fehlschläge seit ${since}`,
    off: {
      manual: 'Abgeschaltet',
      gone: 'Abgeschaltet: Die Adresse gibt es nicht mehr',
      failing: 'Abgeschaltet: Die Adresse nahm tagelang nichts an',
    },
  },
  en: {
    active: 'Running',
    failing: (since: string) => `Failing since ${since}`,
    off: {
      manual: 'Disabled',
      gone: 'Disabled: the address is gone',
      failing: 'Disabled: the address took nothing for days',
    },
  },
});

/** How a webhook or an alert fares. */
export const FollowerState = ({
  follower: { status, disabled_reason, failing_since },
}: {
  readonly follower: Pick<Webhook, 'status' | 'disabled_reason' | 'failing_since'>;
}) => {
  const w = stateWords();
  if (status === 'disabled') return <Lamp tone="bad" text={w.off[disabled_reason ?? 'manual']} />;
  if (failing_since === null) return <Lamp tone="good" text={w.active} />;
  return <Lamp tone="warn" text={w.failing(moment(failing_since))} />;
};

/** What the service notes of an attempt that failed: the receiver's status, or why there was none. */
export const failureOf = (error: string): string => error.replace(/^answered /, 'HTTP ');

const eventWords = words<{
  readonly all: string;
  readonly chooseOne: string;
  readonly names: Readonly<Record<WebhookEvent, string>>;
}>({
  de: {
    all: 'Alle',
    chooseOne: 'Wählen Sie mindestens ein Ereignis.',
    names: {
      'message.created': 'Angelegt',
      'message.sent': 'Abgegeben',
      'message.delivered': 'Angenommen',
      'message.opened': 'Geöffnet',
      'message.clicked': 'Link angeklickt',
      'message.hard_bounced': 'Abgewiesen',
      'message.soft_bounced': 'Vorerst abgewiesen',
      'message.auto_replied': 'Automatische Antwort',
      'message.spam_complaint': 'Als Spam gemeldet',
      'message.failed': 'Fehlgeschlagen',
      'message.content_blocked': 'Inhalt blockiert',
      'message.suppressed': 'Gesperrt',
      'message.unsubscribed': 'Abgemeldet',
      'message.delivery_delayed': 'Verzögert',
      'message.subscription': 'An- oder Abmeldung an einer Liste',
      'suppression.added': 'Adresse gesperrt',
      'suppression.removed': 'Sperre aufgehoben',
      'inbound.received': 'Mail empfangen',
      'webhook.test': 'Test',
    },
  },
  en: {
    all: 'All',
    chooseOne: 'Choose at least one event.',
    names: {
      'message.created': 'Created',
      'message.sent': 'Handed over',
      'message.delivered': 'Accepted',
      'message.opened': 'Opened',
      'message.clicked': 'Link clicked',
      'message.hard_bounced': 'Refused',
      'message.soft_bounced': 'Refused for now',
      'message.auto_replied': 'Automatic reply',
      'message.spam_complaint': 'Reported as spam',
      'message.failed': 'Failed',
      'message.content_blocked': 'Content blocked',
      'message.suppressed': 'Suppressed',
      'message.unsubscribed': 'Unsubscribed',
      'message.delivery_delayed': 'Delayed',
      'message.subscription': 'Subscribed to or left a list',
      'suppression.added': 'Address suppressed',
      'suppression.removed': 'Suppression removed',
      'inbound.received': 'Mail received',
      'webhook.test': 'Test',
    },
  },
});

export const eventMeaning = (event: WebhookEvent): string => eventWords().names[event];

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
        ref={(box) => box?.setCustomValidity(value.length === 0 ? eventWords().chooseOne : '')}
        checked={value.length === events.length}
        onChange={(change) => onValue(change.currentTarget.checked ? events : [])}
      />
      {eventWords().all}
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
