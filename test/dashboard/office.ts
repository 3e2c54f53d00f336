// A daemon with one practice and its owner, for the tests of a file.
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { openBrowser, type TestBrowser } from '#test/support/browser.ts';
import type { PageOptions, TestPage } from '#test/support/chromium.ts';
import type { ConfigFile } from '#test/support/daemon.ts';
import { makeOwner, signIn, unlimitedSignIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, OK, type Script, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

export const OWNER = 'sommer@example.org';
/** Where mail leaves. */
export const UNKNOWN = 'gibtesnicht@example.org';
const refuseUnknown: Script = ({ address }) => (address === UNKNOWN ? '550 5.1.1 User unknown' : OK);
const PRACTICE = { name: 'Praxis Dr. Sommer', plan: 'gruppe' };

export interface Office {
  /** These three are there once the tests begin. */
  app: TestApp;
  sender: Sender;
  /** The owner's. */
  cookie: string;
  readonly browser: TestBrowser;
  open(at: string, how?: Partial<PageOptions>): Promise<TestPage>;
  /** Throws what is refused. */
  ask<Body = { id: string }>(method: string, at: string, body?: unknown): Promise<Body>;
  /** Waits for it, where mail leaves. */
  mailTo(address: string, about: string): ReturnType<typeof simpleParser>;
}

/** `mail`: leaves, or is captured. */
export const openOffice = (mail: 'leaves' | 'captured', config: ConfigFile = {}): Office => {
  const browser = openBrowser();
  let receiver: SmtpReceiver | undefined;
  const there = {} as Pick<Office, 'app' | 'sender' | 'cookie'>;
  const office: Office = Object.assign(there, {
    browser,
    open: async (at: string, how: Partial<PageOptions> = {}) => {
      const page = await browser.newPage({ origin: there.app.origin, cookie: there.cookie, ...how });
      await page.goto(`/app/${there.sender.practice.id}/${at}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      return page;
    },
    ask: async <Body>(method: string, at: string, body?: unknown): Promise<Body> => {
      const { base, token } = there.sender;
      const answer = await there.app.request<Body>(method, base + at, body, token);
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer.body;
    },
    mailTo: async (address: string, about: string) => {
      const found = () =>
        receiver?.messages.find(
          ({ recipients, content }) =>
            recipients.some((one) => one.address === address) && content.includes(about),
        )?.content;
      await until(`a mail to ${address}`, () => found() !== undefined);
      return simpleParser(found() ?? '');
    },
  });
  beforeAll(async () => {
    receiver = mail === 'leaves' ? await createSmtpReceiver({ rcpt: refuseUnknown }) : undefined;
    const relay = receiver && {
      upstreams: [
        {
          name: 'relay',
          kind: 'smtp',
          host: receiver.host,
          port: receiver.port,
          tls: 'none',
          for: { practices: ['praxis-dr-sommer'] },
        },
        { name: 'capture', kind: 'capture' },
      ],
    };
    there.app = await startApp({ config: { ...unlimitedSignIn, ...relay, ...config } });
    there.sender = await there.app.createSender(receiver ? PRACTICE : undefined);
    if (receiver) await there.app.completeLegal(there.sender.practice.id);
    await makeOwner(there.app, there.sender.practice.id, OWNER);
    ({ cookie: there.cookie } = await signIn(there.app, OWNER));
  });
  afterAll(async () => {
    await there.app?.remove();
    await receiver?.stop();
  });
  return office;
};
