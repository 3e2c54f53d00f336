// One message: what became of it in a sentence, then each recipient, what happened when, the content, and the technical rest.
import type { Message, MessageStatus } from '#api';
import { call, Refusal } from '#dashboard/api/call.ts';
import { useData } from '#dashboard/data.ts';
import { languages } from '#dashboard/languages.ts';
import { useLive } from '#dashboard/live.ts';
import type { PageProps } from '#dashboard/page-entry.ts';
import { Badge, Button, Card, Facts, Head, LinkButton, Time } from '#dashboard/parts/basics.tsx';
import { Empty, Loaded } from '#dashboard/parts/feedback.tsx';
import { loadReplies } from '#dashboard/parts/replies.tsx';
import { Suppressions } from '#dashboard/parts/suppressions.tsx';
import { partWords } from '#dashboard/parts/words.ts';
import { may, practice } from '#dashboard/session.ts';
import { kindNames, mailboxText, statusNames, toneOf } from '#dashboard/statuses.ts';
import { language, translated } from '#dashboard/words.ts';
import { Actions } from './actions.tsx';
import { Content } from './content.tsx';
import type { Held } from './held.ts';
import { type Speaking, sentenceFor, sentenceOf } from './sentence.ts';
import { Technical } from './technical.tsx';
import { words } from './words/de.ts';

/** More of them are on the page Deliveries of the API; a message has few. */
const MAX_EVENTS = 100;
/** Statuses which say that an address may be suppressed now. */
const SUPPRESSING: ReadonlySet<MessageStatus> = new Set([
  'suppressed',
  'hard_bounced',
  'soft_bounced',
  'spam_complaint',
  'unsubscribed',
]);
const MAX_LOOKED_UP = 10;

const load = async (id: string, messageID: string, abort: AbortSignal): Promise<Held> => {
  const [message, timeline, events, { spokenReplies }] = await Promise.all([
    call('GET /api/practices/{id}/messages/{messageID}', { id, messageID }, { abort }),
    call('GET /api/practices/{id}/messages/{messageID}/timeline', { id, messageID }, { abort }),
    call(
      'GET /api/practices/{id}/messages/{messageID}/events',
      { id, messageID, limit: MAX_EVENTS },
      { abort },
    ),
    loadReplies(),
  ]);
  const doubtful = message.personal_data_removed || !may('suppressions.manage') ? [] : message.recipients;
  const suppressions = await Promise.all(
    doubtful
      .filter(({ status }) => SUPPRESSING.has(status))
      .slice(0, MAX_LOOKED_UP)
      .map(({ address }) => call('GET /api/practices/{id}/suppression', { id, address }, { abort })),
  );
  return {
    message,
    replies: spokenReplies,
    timeline: timeline.data,
    events: events.data,
    suppressions: suppressions.flatMap(({ data }) => data),
  };
};

const PersonLink = ({ message, address }: { readonly message: Message; readonly address: string }) =>
  may('lists.manage') && !message.personal_data_removed ? (
    <a class="onscreen" href={`/app/${practice.value?.id}/people/${encodeURIComponent(address)}`}>
      {translated(words).allAboutPerson}
    </a>
  ) : null;

const Recipients = ({ held, speaking }: { readonly held: Held; readonly speaking: Speaking }) => {
  const w = translated(words);
  const { message } = held;
  return (
    <Card title={w.recipients}>
      <ul class="recipients">
        {message.recipients.map((recipient) => (
          <li key={recipient.address}>
            <p>
              <strong>{mailboxText(recipient)}</strong>{' '}
              <Badge tone={toneOf(recipient.status)}>{statusNames()[recipient.status]}</Badge>
            </p>
            <p>{sentenceOf({ ...held, ...message }, recipient, speaking).text}</p>
            <PersonLink message={message} address={recipient.address} />
          </li>
        ))}
      </ul>
    </Card>
  );
};

type Entry = Pick<Held['timeline'][number], 'at' | 'status' | 'recipient' | 'detail'>;

/** The detail is what a server replied, or the name of a rule or reason: what that means is said, and the reply is under the technical. */
const Detail = ({
  of: { at, status, recipient, detail },
  held: { events, replies },
}: {
  readonly of: Entry;
  readonly held: Held;
}) => {
  if (status === null || detail === null) return null;
  const { reasons } = partWords().suppression;
  const event = events.findLast((one) => one.at === at && one.recipient === recipient);
  const text =
    status === 'suppressed'
      ? (Object.entries(reasons).find(([reason]) => reason === detail)?.[1] ?? null)
      : replies().textOf(status, { ...event, diagnostic: detail }, event?.rule ?? detail);
  return text && <p class="quiet">{text}</p>;
};

const Timeline = ({ held }: { readonly held: Held }) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const isOnly = held.message.recipients.length === 1;
  if (held.timeline.length === 0) return <Card title={w.timeline}>{w.timelineEmpty}</Card>;
  return (
    <Card title={w.timeline}>
      <ol class="timeline">
        {held.timeline.map(({ at, status, recipient, inbound_id, detail }) => (
          <li key={`${at}${status}${recipient}${inbound_id}`}>
            <Time at={at} seconds />
            <div>
              {status === null ? (
                <strong>{w.reply}</strong>
              ) : (
                <Badge tone={toneOf(status)}>{statusNames()[status]}</Badge>
              )}{' '}
              {!isOnly && recipient}
              {inbound_id && <a href={`/app/${id}/inbox/${inbound_id}`}>{w.openReply}</a>}
              <Detail of={{ at, status, recipient, detail }} held={held} />
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
};

const Shown = ({ held, reload }: { readonly held: Held; readonly reload: () => void }) => {
  const w = translated(words);
  const { message, suppressions } = held;
  const speaking: Speaking = {
    words: w,
    replies: held.replies(),
    suppressions: partWords().suppression.reasons,
    locale: languages[language.value].locale,
    now: Date.now(),
  };
  const names = statusNames();
  const [first, ...others] = message.recipients;
  const sentence = sentenceFor({ ...held, ...message }, speaking, (status) => names[status as MessageStatus]);
  return (
    <>
      <div class={`sentence ${sentence.tone}`} role="status">
        <p>{sentence.text}</p>
        {sentence.more.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
      <Suppressions suppressions={suppressions} onLifted={reload} />
      {others.length > 0 && <Recipients held={held} speaking={speaking} />}
      <div class="columns">
        <Card>
          <Facts
            facts={[
              [w.from, mailboxText(message.from)],
              [
                w.to,
                <>
                  <p>{[...message.to, ...message.cc, ...message.bcc].map(mailboxText).join(', ')}</p>
                  {first && others.length === 0 && <PersonLink message={message} address={first.address} />}
                </>,
              ],
              [w.sent, <Time key="sent" at={message.created_at} />],
              [w.scheduled, message.scheduled_at && <Time at={message.scheduled_at} />],
              [w.kind, kindNames()[message.message_kind]],
              [
                w.campaign,
                message.campaign_id && (
                  <a href={`/app/${practice.value?.id}/campaigns/${message.campaign_id}`}>{w.campaign}</a>
                ),
              ],
              [w.tags, message.tags.join(', ')],
            ]}
          />
        </Card>
        <Timeline held={held} />
      </div>
      <Content message={message} />
      <Technical held={held} />
    </>
  );
};

const MessagePage = ({ item = '' }: PageProps) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const data = useData((abort) => load(id, item, abort), [id, item]);
  useLive(({ data: { message_id } }) => message_id === item && data.reload(), data.reload);
  const back = { href: `/app/${id}/post`, text: w.pages.post };
  if (data.error instanceof Refusal && (data.error.status === 404 || data.error.status === 400))
    return (
      <>
        <Head title={w.message} back={back} />
        <Empty title={w.gone} text={w.goneText} action={<LinkButton text={w.toPost} href={back.href} />} />
      </>
    );
  const message = data.value?.message.id === item ? data.value.message : undefined;
  const [first] = message?.recipients ?? [];
  return (
    <>
      <p class="onpaper">{practice.value?.name}</p>
      <Head
        title={message ? message.subject || w.noSubject : w.message}
        back={back}
        intro={first && mailboxText(first)}
        actions={
          message && (
            <>
              <Actions message={message} reload={data.reload} />
              <Button text={w.print} onClick={() => print()} />
            </>
          )
        }
      />
      <Loaded data={data}>{(held) => <Shown held={held} reload={data.reload} />}</Loaded>
    </>
  );
};

export default MessagePage;
