// The mails about what needs someone to look at it: records in the DNS, followers, forwardings, campaigns, forms and files.
import {
  type Counts,
  type Of,
  quotedShort,
  type Reasons,
  reasonOf,
  record,
  wordsFor,
} from '#src/accounts/mails/in-words.ts';
import type { Words } from '../de/alerts.ts';

const { codeWords, counted, countLines, faultLines, moment } = wordsFor('en');

const recordLabels = {
  name: 'Name',
  type: 'Type',
  wanted: 'Expected',
  below: 'see below',
  absent: 'no such record, remove it',
  found: 'Found',
  nothing: 'no such record',
  unknown: 'unknown, because the name servers in charge do not answer or answer with an error',
  behind: 'the record itself is there, but another one that it depends on cannot be fetched or is not right',
  proxied: 'no CNAME, but addresses of a proxy',
};

const faultLabels = {
  states: {
    full: 'no space left',
    failing: 'cannot be read or written',
    unreadable: 'is missing or damaged',
    replaced: 'was moved, removed or replaced while in use',
    empty: 'holds no data',
    other_schema: 'is of another version of the program',
  },
  disk: 'disk',
  registry: 'registry (platform.db)',
  ended: 'in order again, was',
  since: 'since',
};

const REPLICA_REASON = 'You did not expect this? Then `journalctl -u sendwerk-litestream` has the reason.';

const reasons: Reasons = {
  pending: 'not confirmed',
  unsubscribed: 'unsubscribed',
  bounced: 'undeliverable address',
  complained: 'reported as spam',
  no_consent: 'no evidence of consent',
  suppressed: 'suppressed address',
  missing_value: 'a value of the template is missing',
  unusable_value: 'a value does not fit into the template',
};

/** Names of refusals, and of what a campaign waits for; these mean more for a campaign than for a message. */
const codes: Reasons = {
  ...codeWords,
  conflict: 'one of its lists or settings no longer fits it',
  deferred: 'the operator’s mail server refuses many of its emails for now',
  invalid_request: 'the content or a setting is not valid',
  no_recipients: 'no one on its lists could get it; the reasons are below',
  not_found: 'its project, route or template no longer exists',
};

const countsOf = (counts: Counts): string =>
  countLines(
    [
      ['Recipients', counts.handedOver],
      ['Of these sent', counts.sent],
      ['Of these still queued', counts.queued],
      ['Of these delivered so far', counts.delivered],
      ['Of these undeliverable', counts.hardBounced],
      ['Of these undeliverable for now', counts.softBounced],
      ['Of these failed', counts.failed],
      ['Of these reported as spam', counts.complained],
    ],
    counts,
    { reasons: { ...codes, ...reasons }, left: 'Left out', other: 'for another reason' },
  );

const lastError = (label: string, error: string | null): readonly string[] =>
  error === null ? [] : [`${label} ${quotedShort(error)}`];

export const words: Words = {
  dns_alert: ({ practice, host, records, link }) => ({
    subject: `DNS records of ${host} are not right`,
    paragraphs: [
      `Something in the DNS of ${host}, the domain that “${practice}” sends from, is not as it must be. Your emails may be treated as spam or refused.`,
      ...records.map((one) => record(one, recordLabels)),
      'What to do about each of them you see here:',
      link,
      'You did not expect this? Then please ask whoever looks after your DNS. We write to you as soon as the records are right again.',
    ],
  }),
  dns_recovered: ({ practice, host, records, link }) => ({
    subject: `DNS records of ${host} are right again`,
    paragraphs: [
      `In the DNS of ${host}, the domain that “${practice}” sends from, these records are right again:`,
      records.map(({ name, type }) => `${type} ${name}`).join('\n'),
      'The state of all records you see here:',
      link,
      'You did not change anything? Then the name servers were probably disturbed. You need not do anything.',
    ],
  }),
  follower_disabled: ({ practice, follower, name, at, reason, since, error, link }) => {
    const [when, from] = [moment(at), moment(since)];
    const words =
      follower === 'webhook'
        ? {
            what: `The webhook “${name}” of “${practice}”`,
            gone: 'Its address answered that it no longer exists.',
            failing: `Its address has not accepted any event since ${from}.`,
            next: 'Further events are not delivered. They are kept as failed among its deliveries. What to do now: have the address checked, enable the webhook again, and replay the failed events. You can do that here:',
            unexpected: 'You did not create this webhook?',
          }
        : {
            what: `The chat alert “${name}” of “${practice}”`,
            gone: 'Its address in the chat answered that it no longer exists.',
            failing: `Its address in the chat has not accepted any message since ${from}.`,
            next: 'Until it is enabled again, it posts nothing in the chat. What to do now: create a new address in the chat, enter it, and enable the alert again. See the current state here:',
            unexpected: 'You did not create this alert?',
          };
    return {
      subject: `${words.what} has been disabled`,
      paragraphs: [
        `${words.what} was disabled on ${when}. ${words[reason]}`,
        ...lastError('The last error:', error),
        words.next,
        link,
        'Your emails are sent as before.',
        `${words.unexpected} Then someone else with access probably did. Please ask the other members.`,
      ],
    };
  },
  forward_ended: ({ practice, target, at, reason, link }) => ({
    subject: `Forwarding to ${target} has ended`,
    paragraphs: [
      `Emails to “${practice}” have not been forwarded to ${target} since ${moment(at)}. ${
        reason === null ? 'The address declined or ended the forwarding.' : 'The address takes no emails.'
      }`,
      ...(reason === null ? [] : [`The reply of its server: ${quotedShort(reason)}`]),
      'You still find new emails in the mailbox. What to do now: enter another address, or switch the forwarding off. See the current state here:',
      link,
      'You did not set up this forwarding? Then someone else with access probably did. Please ask the other members.',
    ],
  }),
  campaign: ({ practice, name, what, reason, at, counts, link }) => {
    const since = `since ${moment(at)}`;
    const said: Readonly<
      Record<Of<'campaign'>['what'], readonly [subject: string, ...paragraphs: string[]]>
    > = {
      finished: [
        `Campaign “${name}” has been sent`,
        `The campaign “${name}” of “${practice}” was completed on ${moment(at)}.`,
      ],
      stopped: [
        `Campaign “${name}” has paused itself`,
        `The campaign “${name}” of “${practice}” has been paused ${since}: ${
          reason === 'complaints'
            ? 'too many recipients reported it as spam.'
            : `${counted(counts.hardBounced)} addresses do not exist, which is too many.`
        } It waits until someone resumes or cancels it, so that all other mail can go on.`,
        reason === 'complaints'
          ? 'What to do now: check that everyone on the list has asked for your emails, and resume the campaign only then.'
          : 'What to do now: check where the addresses came from, remove invalid ones from the list, then resume the campaign on its page. The undeliverable addresses are suppressed already; what was counted until now does not stop it again.',
      ],
      stalled: [
        `Campaign “${name}” does not go on`,
        `No email of the campaign “${name}” of “${practice}” has left ${since}. ${reasonOf(codes, 'The reason: ', reason) ?? 'The reason is not known; perhaps the operator’s mail server takes nothing at the moment.'} It goes on by itself as soon as it can.`,
        'What to do now: remove the reason if you can. If this does not change, please contact the operator.',
      ],
      restored: [
        `Campaign “${name}” waits for your decision`,
        `The data of “${practice}” were probably restored from a backup, or the service was off for some time, while the campaign “${name}” was not completed. It has been paused ${since}, so that no one gets the same email twice.`,
        'What to do now: check how far it had come, and resume or cancel it.',
      ],
      failed: [
        `Campaign “${name}” has failed`,
        `The campaign “${name}” of “${practice}” could not be sent. ${reasonOf(codes, 'The reason: ', reason) ?? 'The operator knows the reason.'}`,
        'What to do now: duplicate it, remove the reason, and send it again.',
      ],
    };
    const [subject, ...paragraphs] = said[what];
    return {
      subject,
      paragraphs: [...paragraphs, countsOf(counts), 'See the current state here:', link],
    };
  },
  form_alert: ({ practice, list, health, at, counts, link }) => {
    const { mails, hardBounced, complaints } = counts;
    const isClosed = health === 'closed';
    return {
      subject: `The form of the list “${list}” is ${isClosed ? 'closed for a while' : 'slowed down'}`,
      paragraphs: [
        `Of ${mails} confirmation emails that were asked for yesterday and today by the public form of the list “${list}” of “${practice}”, ${hardBounced} came back because the address does not exist, and ${complaints} were reported as spam. Probably someone enters addresses that are invented or belong to others.`,
        isClosed
          ? `Therefore the form has taken no one since ${moment(at)}. It opens again by itself, after two days at the latest.`
          : `Therefore the form has taken only a few subscriptions an hour since ${moment(at)}. That ends by itself. If more emails come back, the form closes for a while.`,
        'Your other emails are not affected: what strangers cause does not count for you. There is nothing you need to do. See the list here:',
        link,
        'You did not expect this? Then please check on which pages the form can be found.',
      ],
    };
  },
  storage_faults: (notice, service) => {
    const isOver = notice.faults.every(({ ended }) => ended);
    return {
      subject: isOver
        ? `${service}: database files are in order again`
        : `${service}: database files are not in order`,
      paragraphs: [
        'The state of these files has changed:',
        faultLines(notice, faultLabels),
        ...(notice.more > 0 ? [`There are ${notice.more} more.`] : []),
        isOver
          ? 'There is nothing to do.'
          : 'Until then the practices concerned are answered 503; no other practice is affected. Mail that was accepted leaves as soon as its file can be used.',
        'See the current state by `sendwerk admin practices`, or, signed in as an operator, here:',
        notice.link,
        'You did not expect this? Then look at the log first: it has each change with its reason.',
      ],
    };
  },
  replica: ({ state, names, more, since, link }, service) => {
    if (state === 'ok')
      return {
        subject: `${service}: the replica is up to date again`,
        paragraphs: [
          'The replica has what is stored again. There is nothing to do. See the current state here:',
          link,
          REPLICA_REASON,
        ],
      };
    const isSilent = state === 'silent';
    return {
      subject: isSilent ? `${service}: Litestream does not answer` : `${service}: the replica is behind`,
      paragraphs: [
        isSilent
          ? 'Litestream has not answered for minutes. The replica gets nothing: were this server lost now, what has been stored since would be missing.'
          : 'The replica no longer gets everything: were this server lost now, what has been stored since would be missing.',
        ...(since === null ? [] : [`It has lacked something since ${moment(since)}.`]),
        ...(names.length === 0
          ? []
          : [`Concerned: ${names.join(', ')}${more > 0 ? ` and ${counted(more)} more` : ''}.`]),
        'Mail is accepted and sent as before. Signed in as an operator, you see the current state here:',
        link,
        REPLICA_REASON,
      ],
    };
  },
};
