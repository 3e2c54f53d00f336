// People as the tests of the whole application need them: they sign in with the code from the service's own mail, and
// join practices by the link in it. The mail is read where the capture upstream keeps it.
import { simpleParser } from 'mailparser';
import type { TestApp } from './app.ts';
import { until } from './process.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly source: string;
}

/** A signed-in person. */
export interface Person {
  readonly email: string;
  /** The session's bearer. */
  readonly token: string;
  readonly csrfToken: string;
  /** As a browser would send it. */
  readonly cookie: string;
}

/** Sign-in as often as tests like. */
export const unlimitedSignIn = {
  limits: {
    sign_in_rate: { per_address: { per_minute: 1_000_000 }, per_email: { per_minute: 1_000_000 } },
  },
};

export const systemTenant = (app: TestApp): string => {
  const [row] = app.sql<{ id: string }>(null, "SELECT id FROM tenants WHERE purpose = 'system'");
  if (!row) throw new Error('there is no system tenant');
  return row.id;
};

/** The service's mails to that address so far, oldest first. */
export async function mailsTo(app: TestApp, email: string): Promise<Mail[]> {
  const base = `/api/practices/${systemTenant(app)}/captures`;
  const list = await app.request<{ data: { id: string; recipient: string }[] }>(
    'GET',
    `${base}?limit=200`,
    undefined,
    app.adminToken,
  );
  const own = list.body.data.filter(({ recipient }) => recipient === email).toReversed();
  return Promise.all(
    own.map(async ({ id, recipient }) => {
      const { text: source } = await app.request('GET', `${base}/${id}`, undefined, app.adminToken);
      const { subject = '', text = '' } = await simpleParser(source);
      return { to: recipient, subject, text, source };
    }),
  );
}

/** The one that says it, of all mails to that address: the next one after so many that said it before. */
async function nextIn(app: TestApp, email: string, pattern: RegExp, before: number): Promise<string> {
  let found: string | undefined;
  await until(`a mail to ${email} with ${pattern}`, async () => {
    found = (await allIn(app, email, pattern))[before];
    return found !== undefined;
  });
  return found ?? '';
}

async function allIn(app: TestApp, email: string, pattern: RegExp): Promise<string[]> {
  const mails = await mailsTo(app, email);
  return mails.flatMap(({ text }) => pattern.exec(text)?.[1] ?? []);
}

const CODE = /^\s*(\d{6})\s*$/m;
const INVITATION = /\/invitation\/(svc_inv_\w+)/;

/** All that came so far, oldest first. */
export const codesTo = (app: TestApp, email: string): Promise<string[]> => allIn(app, email, CODE);

/** The token of the link by which the address can agree that mail is forwarded to it. */
export const forwardTokenTo = (app: TestApp, email: string): Promise<string> =>
  nextIn(app, email, /\/api\/public\/forward\?t=([\w-]+)/, 0);

/** Asks for a code and resolves with it. */
export async function requestCode(app: TestApp, email: string): Promise<string> {
  const before = (await codesTo(app, email)).length;
  const asked = await app.request('POST', '/api/auth/request-otp', { email });
  if (asked.status !== 202) throw new Error(`no code: ${asked.text}`);
  return nextIn(app, email, CODE, before);
}

/** The token of the link in the mail. */
export const invitationIn = ({ text }: Mail): string => {
  const token = INVITATION.exec(text)?.[1];
  if (token === undefined) throw new Error(`no invitation in: ${text}`);
  return token;
};

/** Invites, by the operator unless told otherwise, and resolves with the token in the link. */
export async function invite(
  app: TestApp,
  practiceId: string,
  email: string,
  fields: Readonly<Record<string, unknown>>,
  token = app.adminToken,
): Promise<string> {
  const before = (await allIn(app, email, INVITATION)).length;
  const path = `/api/practices/${practiceId}/members`;
  const invited = await app.request('POST', path, { email, ...fields }, token);
  if (invited.status > 201) throw new Error(`not invited: ${invited.text}`);
  return nextIn(app, email, INVITATION, before);
}

interface SignInAnswer {
  readonly token: string;
  readonly csrf_token: string;
}

export const cookiesOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');

async function enter(app: TestApp, email: string, path: string, body: object): Promise<Person> {
  const answer = await app.request<SignInAnswer>('POST', path, body);
  if (answer.status !== 200) throw new Error(`not signed in: ${answer.text}`);
  const { token, csrf_token: csrfToken } = answer.body;
  return { email, token, csrfToken, cookie: cookiesOf(answer.headers) };
}

/** By one-time code; the address must be a member somewhere. */
export async function signIn(app: TestApp, email: string): Promise<Person> {
  return enter(app, email, '/api/auth/verify-otp', { email, code: await requestCode(app, email) });
}

export async function makeOwner(app: TestApp, practiceId: string, email: string): Promise<void> {
  const { status, text } = await app.request(
    'POST',
    `/api/practices/${practiceId}/owners`,
    { email },
    app.adminToken,
  );
  if (status > 201) throw new Error(`no owner: ${text}`);
}

/** Invited by the operator, accepted by the link in the mail, and signed in by that. */
export async function join(
  app: TestApp,
  practiceId: string,
  email: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<Person> {
  const token = await invite(app, practiceId, email, fields);
  return enter(app, email, '/api/auth/accept-invitation', { token });
}
