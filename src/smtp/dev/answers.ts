// What `sendwerk dev` answers: mailpit's paths, MailHog's as far as test suites use them, and the pages. A path is one row.
import { getHeapStatistics } from 'node:v8';
import { z } from 'zod';
import type { CapturedMail, Mailbox } from './mailbox.ts';
import { mailhogMessage, mailhogPage, mailhogSearch } from './mailhog-shapes.ts';
import { headersOf, message, messagesSummary, shownHtml } from './mailpit-shapes.ts';
import { listPage, mailPage } from './pages.ts';
import { readCaptured } from './read-captured.ts';
import { searchFor } from './search.ts';
import { type Described, described, envelopeOf, sendRequest } from './send-request.ts';

export interface Answer {
  readonly status?: number | undefined;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

export interface AnswerDeps {
  readonly mailbox: Mailbox;
  readonly version: string;
  readonly startedAt: number;
  /** For `/api/v1/info`. */
  readonly place: string;
  readonly now: () => number;
  /** Writes a mail (RFC 5322). */
  readonly compose: (mail: Described) => Buffer;
}

/** A request that cannot be answered; the text is what the client gets. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

type Row = readonly [
  method: string,
  path: RegExp,
  handle: (asked: Asked, ...found: string[]) => Answer | Promise<Answer>,
];

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

const json = (value: unknown): Answer => ({
  type: 'application/json',
  body: JSON.stringify(value),
});
const plain = (text: string, status?: number): Answer => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: text,
});
const ok = (): Answer => plain('ok');

/** A mail may show pictures and fonts from anywhere, and do nothing. */
const MAIL_POLICY =
  "default-src 'none'; img-src * data:; media-src *; font-src * data:; style-src * 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";
/** Shown on this origin these could run scripts, so that they are only saved. */
const ACTIVE = /^(?:text\/(?:html|xml|xsl)|application\/(?:xhtml\+xml|xml)|image\/svg\+xml)$/i;
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

const wholeNumber = (given: string | null, usual: number): number => {
  const number = Number(given ?? usual);
  return Number.isSafeInteger(number) && number >= 0 ? number : usual;
};
const placeIn = (query: URLSearchParams) => {
  const limit = wholeNumber(query.get('limit'), DEFAULT_LIMIT);
  return { start: wholeNumber(query.get('start'), 0), limit: limit === 0 ? MAX_LIMIT : limit };
};

const queryOf = ({ query }: Asked): string => {
  const text = (query.get('query') ?? '').trim();
  if (text === '') throw new Refused(400, 'Error: no search query');
  return text;
};

const bodyOf = <T>({ body }: Asked, schema: z.ZodType<T>): T => {
  let given: unknown;
  try {
    given = body.length === 0 ? {} : JSON.parse(body.toString());
  } catch {
    throw new Refused(400, 'the body is no JSON');
  }
  const { data, error } = schema.safeParse(given ?? {});
  if (error) throw new Refused(400, z.prettifyError(error));
  return data as T;
};
const ids = z.object({ IDs: z.array(z.string()).nullish() });
const readStatus = ids.extend({ Read: z.boolean().default(false), Search: z.string().default('') });

const UNKNOWN_MAIL = 'Message not found';
const NOT_OFFERED = 'sendwerk dev does not offer this path of mailpit; docs/playground.md lists what it has';

/** The rows in their order: the first that fits answers. */
const rowsOf = ({ mailbox, version, startedAt, place, now, compose }: AnswerDeps): readonly Row[] => {
  const mailOf = (id: string, { query }: Asked): CapturedMail => {
    const wanted = (query.get('query') ?? '').trim();
    const mail =
      id === 'latest' ? mailbox.list(wanted === '' ? undefined : searchFor(wanted))[0] : mailbox.find(id);
    if (mail === undefined) throw new Refused(404, UNKNOWN_MAIL);
    return mail;
  };
  const opened = async (id: string, asked: Asked) => {
    const mail = mailOf(id, asked);
    return { mail, captured: await readCaptured(mail.source) };
  };
  const source = (id: string, asked: Asked): Answer => {
    const mail = mailOf(id, asked);
    const headers = { 'Content-Disposition': `attachment; filename="${mail.id}.eml"` };
    const answer = { type: 'text/plain; charset=utf-8', body: mail.source };
    return asked.query.get('dl') === '1' || asked.path.endsWith('/download')
      ? { ...answer, headers }
      : answer;
  };
  const info = () => {
    const { accepted, acceptedBytes, deleted, bytes } = mailbox.counted();
    const mails = mailbox.list();
    return {
      Version: `sendwerk ${version}`,
      LatestVersion: `sendwerk ${version}`,
      Database: place,
      DatabaseSize: bytes,
      Messages: mails.length,
      Unread: mails.filter(({ isRead }) => !isRead).length,
      Tags: {},
      RuntimeStats: {
        Uptime: Math.floor((now() - startedAt) / 1_000),
        Memory: getHeapStatistics().used_heap_size,
        MessagesDeleted: deleted,
        SMTPAccepted: accepted,
        SMTPAcceptedSize: acceptedBytes,
        SMTPRejected: 0,
        SMTPIgnored: 0,
      },
    };
  };

  return [
    ['GET', /^\/(?:livez|readyz)$/, ok],
    ['GET', /^\/api\/v1\/info$/, () => json(info())],
    [
      'GET',
      /^\/api\/v1\/webui$/,
      () =>
        json({
          Label: '',
          MessageRelay: { Enabled: false, SMTPServer: '', ReturnPath: '', AllowedRecipients: '' },
          SpamAssassin: false,
          ChaosEnabled: false,
          DuplicatesIgnored: false,
          HideDeleteAllButton: false,
        }),
    ],
    ['GET', /^\/api\/v1\/tags$/, () => json([])],
    [
      'GET',
      /^\/api\/v1\/messages$/,
      ({ query }) => json(messagesSummary(mailbox.list(), mailbox.list(), placeIn(query))),
    ],
    [
      'PUT',
      /^\/api\/v1\/messages$/,
      (asked) => {
        const { IDs, Read, Search } = bodyOf(asked, readStatus);
        const named = new Set(IDs ?? []);
        if (named.size > 0 && Search !== '') throw new Refused(400, 'give either IDs or Search, not both');
        for (const mail of mailbox.list(Search === '' ? undefined : searchFor(Search)))
          if (named.size === 0 || named.has(mail.id)) mail.isRead = Read;
        return ok();
      },
    ],
    [
      'DELETE',
      /^\/api\/v1\/messages$/,
      async (asked) => {
        const named = new Set(bodyOf(asked, ids).IDs ?? []);
        await mailbox.remove(({ id }) => named.size === 0 || named.has(id));
        return ok();
      },
    ],
    [
      'GET',
      /^\/api\/v1\/search$/,
      (asked) => {
        const found = mailbox.list(searchFor(queryOf(asked)));
        return json(messagesSummary(mailbox.list(), found, placeIn(asked.query)));
      },
    ],
    [
      'DELETE',
      /^\/api\/v1\/search$/,
      async (asked) => {
        await mailbox.remove(searchFor(queryOf(asked)));
        return ok();
      },
    ],
    [
      'POST',
      /^\/api\/v1\/send$/,
      async (asked) => {
        const request = bodyOf(asked, sendRequest);
        const content = compose(described(request, now()));
        return json({ ID: await mailbox.add(content, envelopeOf(request), now()) });
      },
    ],
    [
      'GET',
      /^\/api\/v1\/message\/(\w+)$/,
      async (asked, id = '') => {
        const { mail, captured } = await opened(id, asked);
        mail.isRead = true;
        return json(message(mail, captured));
      },
    ],
    [
      'GET',
      /^\/api\/v1\/message\/(\w+)\/headers$/,
      async (asked, id = '') => json(headersOf((await opened(id, asked)).captured)),
    ],
    ['GET', /^\/api\/v1\/message\/(\w+)\/raw$/, (asked, id = '') => source(id, asked)],
    [
      'GET',
      /^\/api\/v1\/message\/(\w+)\/part\/([\d.]+)$/,
      async (asked, id = '', wanted = '') => {
        const { captured } = await opened(id, asked);
        const file = captured.files.find(({ partId }) => partId === wanted);
        if (file === undefined) throw new Refused(404, 'attachment not found');
        const { type, filename, content } = file;
        const isSaved = ACTIVE.test(type) || !MEDIA_TYPE.test(type);
        const name = encodeURIComponent(filename.toWellFormed());
        return {
          type: isSaved ? 'application/octet-stream' : type,
          headers: {
            'Content-Disposition': `${isSaved ? 'attachment' : 'inline'}; filename="${name}"`,
            'Content-Security-Policy': 'sandbox',
          },
          body: content,
        };
      },
    ],
    ['GET', /^\/api\/v1\/messages\/(\w+)$/, (asked, id = '') => json(mailhogMessage(mailOf(id, asked)))],
    ['GET', /^\/api\/v1\/messages\/(\w+)\/download$/, (asked, id = '') => source(id, asked)],
    [
      'DELETE',
      /^\/api\/v1\/messages\/(\w+)$/,
      async (asked, wanted = '') => {
        const { id } = mailOf(wanted, asked);
        await mailbox.remove((mail) => mail.id === id);
        return ok();
      },
    ],
    [
      'GET',
      /^\/api\/v2\/messages$/,
      ({ query }) => json(mailhogPage(mailbox.list().length, mailbox.list(), placeIn(query))),
    ],
    [
      'GET',
      /^\/api\/v2\/search$/,
      (asked) => {
        const test = mailhogSearch(asked.query.get('kind') ?? '', queryOf(asked));
        if (test === null) throw new Refused(400, 'kind is from, to or containing');
        const found = mailbox.list().filter(test);
        return json(mailhogPage(found.length, found, placeIn(asked.query)));
      },
    ],
    [
      'GET',
      /^\/view\/(\w+)\.html$/,
      async (asked, id = '') => {
        const { mail, captured } = await opened(id, asked);
        if (captured.html === '') throw new Refused(404, 'This message does not contain a HTML part');
        mail.isRead = true;
        const headers = { 'Content-Security-Policy': MAIL_POLICY };
        return { type: 'text/html; charset=utf-8', headers, body: shownHtml(mail, captured) };
      },
    ],
    [
      'GET',
      /^\/view\/(\w+)\.txt$/,
      async (asked, id = '') => {
        const { mail, captured } = await opened(id, asked);
        mail.isRead = true;
        return plain(captured.text);
      },
    ],
    [
      'GET',
      /^\/view\/(\w+)$/,
      async (asked, id = '') => {
        const { mail, captured } = await opened(id, asked);
        mail.isRead = true;
        return mailPage(mail, captured);
      },
    ],
    [
      'GET',
      /^\/$/,
      ({ query }) => {
        const wanted = (query.get('query') ?? '').trim();
        return listPage(mailbox.list(searchFor(wanted)), mailbox.list().length, wanted);
      },
    ],
    [
      'POST',
      /^\/delete-all$/,
      async () => {
        await mailbox.remove(() => true);
        return { ...plain('deleted', 303), headers: { Location: '/' } };
      },
    ],
  ];
};

export const createAnswers = (deps: AnswerDeps): ((asked: Asked) => Promise<Answer>) => {
  const rows = rowsOf(deps);
  return async (asked) => {
    const method = asked.method === 'HEAD' ? 'GET' : asked.method;
    for (const [wanted, path, handle] of rows) {
      const found = method === wanted && path.exec(asked.path);
      if (found) return handle(asked, ...found.slice(1));
    }
    throw asked.path.startsWith('/api/')
      ? new Refused(501, NOT_OFFERED)
      : new Refused(404, 'There is nothing at this path.');
  };
};
