// The first page: what one needs to know for all calls, a first send, and the list of everything with the anchors that the one page
// of earlier versions had.
import { defaultLimits } from '#src/kernel/limits.ts';
import { errorCodes, type ServiceInfo } from '../api-facts.ts';
import { sampleCallOf } from '../examples.ts';
import { addressOf, type Block, type Page, type PageLink, type Section, START } from './model.ts';
import { type Samples, samplesOf, setupOf } from './samples.ts';
import type { CallPage } from './subjects.ts';

export const startLink: PageLink = {
  name: START,
  title: 'Start here',
  summary:
    'Authentication, errors, paging, idempotency, limits, statuses of messages, webhooks, and a first send.',
};

/** What each status of a message says; a test holds the names against the description of a message. */
export const statusWords: Readonly<Record<string, string>> = {
  pending: 'It is scheduled and waits for its time.',
  queued: 'It was accepted and waits to be sent.',
  delivery_delayed: 'The receiving server could not take it yet; it is tried again.',
  processed: 'A server on its way has taken it.',
  delivered: 'The recipient’s server has taken it.',
  auto_replied: 'An automatic reply came back.',
  opened: 'It was opened. Known only where opens are tracked.',
  clicked: 'A link in it was followed. Known only where clicks are tracked.',
  unsubscribed: 'The recipient unsubscribed.',
  soft_bounced: 'It came back for a reason that may pass, such as a full mailbox.',
  hard_bounced: 'It came back for good. The address is suppressed from now on.',
  spam_complaint: 'The recipient reported it as spam. The address is suppressed from now on.',
  failed: 'It was not sent: all attempts are used up, its content was blocked, or it was cancelled.',
  suppressed: 'It was not sent, because the address is suppressed.',
};

/** Wraps the samples with what each program begins with, so that they run as they are. */
const wholePrograms = (origin: string, samples: Samples): Samples => {
  const setup = setupOf(origin, false);
  return {
    curl: `${setup.curl}\n\n${samples.curl}`,
    node: `${setup.node}\n\n${samples.node}`,
    python: `${setup.python}\n\n${samples.python}`,
    php: `${setup.php}\n\n${samples.php}`,
    go: setup.go.replace('// The samples stand here.', samples.go ?? ''),
  };
};

const firstSend = (origin: string, pages: readonly CallPage[]): readonly Section[] => {
  const route = pages.flatMap(({ routes }) => routes).find(({ id }) => id === 'sendMessage');
  if (route === undefined) return [];
  const call = {
    ...sampleCallOf(route),
    query: {},
    headers: {},
    body: {
      type: 'application/json',
      value: {
        to: 'erika@example.org',
        subject: 'Your appointment on Monday',
        text: 'Hello, we expect you on Monday at 9:30.',
      },
    },
  };
  return [
    {
      id: 'first-send',
      title: 'A first send',
      blocks: [
        {
          kind: 'prose',
          text: 'Three values are all that a program needs: the address of the installation, a token, and the id of the practice. The dashboard shows address and id under “API examples”, and makes tokens under “API tokens”. `npm run quickstart` starts an installation to try, and prints all three.',
        },
        {
          kind: 'prose',
          text: `The answer comes with status 202 when the message is safely stored. It has the message’s \`id\`. Ask with [getMessage](${addressOf('messages')}#getMessage) what became of it, or let a [webhook](#webhooks) tell you.`,
        },
        {
          kind: 'prose',
          text: 'The clients for Node (`clients/node`) and Python (`clients/python`) of the repository have one method for each call, named as in this reference. They try again where that helps, and send an idempotency key by themselves. For other languages the samples use what the language itself has.',
        },
      ],
      aside: [
        { kind: 'samples', caption: 'Send', samples: wholePrograms(origin, samplesOf(call)) },
        {
          kind: 'code',
          caption: 'Answer 202',
          language: 'json',
          text: '{ "id": "0198c5b2-6c9e-7d21-9f6f-3a1d5b0e7c44", "status": "queued", … }',
        },
      ],
    },
  ];
};

const COMPRESSION =
  'Answers to `GET` are compressed as `Accept-Encoding` asks (`zstd`, `br`, `gzip`), but for those in which a secret and something that a stranger has chosen may stand together: mail and events, people and their consent, sign-in, members, tokens, webhooks, alerts, imports, reports of abuse, public pages, and the forms of other services.';

const prose = (...texts: readonly string[]): readonly Block[] =>
  texts.map((text) => ({ kind: 'prose', text }));
const section = (
  id: string,
  title: string,
  blocks: readonly Block[],
  aside: readonly Block[] = [],
): Section => ({
  id,
  title,
  blocks,
  aside,
});
const code = (caption: string, language: string, text: string): Block => ({
  kind: 'code',
  caption,
  language,
  text,
});

const basics = (): readonly Section[] => {
  const { recipients, batch, bulk_recipients, days_ahead, body_bytes, requests } = defaultLimits;
  return [
    section(
      'authentication',
      'Authentication',
      prose(
        'Send `Authorization: Bearer <token>` with every request. A token belongs to one practice and has only the permissions that it was given; each call in this reference says which one it needs. A project token sees one project only.',
        'The token is shown once, when it is made. Keep it in the environment or in a secret store, never in code that browsers load. A token can be limited to addresses and to a time.',
        'Operators send `X-Admin-Token` instead. Browsers use a session cookie, and beside it `X-CSRF-Token` on all requests but `GET`.',
      ),
      [
        code(
          'Check a token',
          'sh',
          'curl "$SENDWERK_URL/api/meta" \\\n  -H "Authorization: Bearer $SENDWERK_TOKEN"',
        ),
      ],
    ),
    section(
      'errors',
      'Errors',
      prose(
        'A status of 2xx says that it is done. Everything else has one form: `code` for programs, `error` and `hint` for people, and the own fields of the code. What is wrong with the form of a request is in `fields`, all of it at once; addresses and what is allowed are looked at after that.',
        'Try again after 429 and 503, when the seconds in `Retry-After` are over, and after a lost connection. Any other 4xx fails again until something is changed. [Every code](/reference/errors) has a cause and a remedy.',
        'Each answer has an `X-Request-Id`. Name it when you ask the operator. The `Link` of a refusal leads to what this reference says of its code.',
      ),
      [
        code(
          'Answer 400',
          'json',
          `{
  "code": "invalid_request",
  "error": "The request is not valid.",
  "hint": "Correct the fields named in \`fields\`; /reference describes each.",
  "fields": [{ "path": "body.subject", "message": "is required" }]
}`,
        ),
      ],
    ),
    section(
      'paging',
      'Paging',
      prose(
        'Lists answer `{ "data": [...], "next_cursor": "..." }`, newest first where nothing else is said. Send `cursor` with the value of `next_cursor` to get the next page; after the last page it is null. `limit` is 50 unless you say otherwise, and 200 at most.',
        'A page may have fewer entries than `limit`, even none, while there are more: go on until `next_cursor` is null.',
      ),
      [
        code(
          'All entries, in Node',
          'js',
          "for await (const row of sendwerk.each('searchMessages', { status: 'queued' })) {\n  console.log(row.id);\n}",
        ),
      ],
    ),
    section(
      'idempotency',
      'Idempotency',
      prose(
        'Calls that send take an `Idempotency-Key`: any text of your own, such as the number of the appointment. The same key with the same body within 24 hours sends nothing again and answers as the first time. So a request whose answer was lost can simply be repeated.',
        'The same key with another body answers [idempotency_conflict](/reference/errors#idempotency_conflict).',
        'Records that several people change have an `ETag`. Send it back as `If-Match`, and nothing is overwritten that you have not seen.',
      ),
      [
        code(
          'With a key',
          'sh',
          'curl "$SENDWERK_URL/api/practices/$SENDWERK_PRACTICE/send" \\\n  -H "Authorization: Bearer $SENDWERK_TOKEN" \\\n  -H "Content-Type: application/json" \\\n  -H "Idempotency-Key: appointment-4711" \\\n  -d \'{"to": "erika@example.org", "subject": "Your appointment", "text": "Monday, 9:30"}\'',
        ),
      ],
    ),
    section('limits', 'Limits', [
      {
        kind: 'terms',
        caption: '',
        rows: [
          [
            'Requests',
            `${requests.perSecond} a second for each token in the long run, ${requests.burst} at once, unless the operator has set other numbers.`,
          ],
          ['Recipients', `${recipients} in one message: to, cc and bcc together.`],
          [
            'Batch',
            `${batch} messages in one request; one message to ${bulk_recipients} recipients with \`send/bulk\`.`,
          ],
          ['Body', `${body_bytes / 1_048_576} MiB, attachments in base64 included.`],
          ['Schedule', `${days_ahead} days ahead.`],
        ],
      },
      ...prose(
        `[getMeta](${addressOf('public')}#getMeta) answers with the numbers of this installation. Plans and the warm-up of a new domain limit how many mails a practice sends in a day or a month.`,
        COMPRESSION,
      ),
    ]),
    section('statuses', 'Statuses of messages', [
      ...prose(
        'A message has a status for each recipient, and one as a whole. A status only ever moves on: a report that comes late, or twice, never takes back what is known.',
      ),
      {
        kind: 'terms',
        caption: '',
        rows: Object.entries(statusWords).map(([name, text]) => [`\`${name}\``, text] as const),
      },
    ]),
    section(
      'webhooks',
      'Webhooks',
      prose(
        'Asking again and again what became of a message is not needed: [create a webhook](/reference/webhooks#createWebhook), and your server gets a signed `POST` for each [event](/reference/events).',
        'Check the signature over the bytes as they came before you read the body. Answer with 2xx within seconds and work afterwards: what is not answered is sent again, for days. The same delivery may come twice, with the same `id`.',
      ),
      [
        code(
          'Check a delivery, in Node',
          'js',
          "import { verifyWebhook } from '@sendwerk/client';\n\nconst event = await verifyWebhook({\n  secret: process.env.WEBHOOK_SECRET,\n  headers: request.headers,\n  body: rawBody,\n});",
        ),
      ],
    ),
    section(
      'stability',
      'Stability',
      prose(
        'A call marked `stable` keeps its path, its fields and their meaning. Answers may gain fields: ignore those that you do not know. `beta` may still change; `deprecated` names what to use instead.',
      ),
    ),
  ];
};

/** Old links lead to an entry here by its anchor, and the entry leads on. */
const everything = (pages: readonly CallPage[], info: ServiceInfo): Section =>
  section('all-calls', 'All calls, events and errors', [
    ...pages.map(
      ({ name, title, routes }): Block => ({
        kind: 'folded',
        summary: `${title}: ${routes.length === 1 ? 'one call' : `${routes.length} calls`}`,
        blocks: [
          {
            kind: 'index',
            entries: routes.map(({ id, method, path, summary }) => ({
              id,
              href: `${addressOf(name)}#${id}`,
              title: `${method.toUpperCase()} ${path}`,
              text: summary,
            })),
          },
        ],
      }),
    ),
    {
      kind: 'folded',
      summary: 'Webhook events',
      blocks: [
        {
          kind: 'index',
          entries: [
            {
              id: 'events',
              href: '/reference/events',
              title: 'All events',
              text: 'What fires each, and what it says.',
            },
            ...info.events.events().map(({ name, firedBy }) => ({
              id: `event-${name}`,
              href: `/reference/events#event-${name}`,
              title: name,
              text: firedBy,
            })),
          ],
        },
      ],
    },
    {
      kind: 'folded',
      summary: 'Error codes',
      blocks: [
        {
          kind: 'index',
          entries: errorCodes.map((name) => ({
            id: `error-${name}`,
            href: `/reference/errors#${name}`,
            title: name,
            text: '',
          })),
        },
      ],
    },
  ]);

export const startPage = (pages: readonly CallPage[], info: ServiceInfo): Page => ({
  ...startLink,
  blocks: prose(
    `${info.name} sends the mail of practices: appointments, findings, newsletters. This is its API, version ${info.version}, at \`${info.origin}\`. It speaks JSON. Each page is here as Markdown too, under its address with \`.md\`; [llms.txt](/llms.txt) lists them. For machines: [/openapi.yaml](/openapi.yaml), and [/openapi-compat.yaml](/openapi-compat.yaml) with the forms of other services.`,
  ),
  sections: [...firstSend(info.origin, pages), ...basics(), everything(pages, info)],
});
