// A daemon with a practice, and the SMTP receiver behind it, for clients of other services' APIs: what they ask for is compared
// with what arrives.
import { type ParsedMail, simpleParser } from 'mailparser';
import { type AppOptions, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

export interface Scene {
  readonly app: TestApp;
  readonly receiver: SmtpReceiver;
  readonly sender: Sender;
  /** `127.0.0.1:port` */
  readonly authority: string;
  /** The copy of the message that arrives for that recipient, parsed; of `sender` unless another one is named. */
  readonly arrived: (id: string, recipient: string, of?: Sender) => Promise<ParsedMail>;
  readonly close: () => Promise<void>;
}

export const openScene = async (options: Omit<AppOptions, 'receiver'> = {}): Promise<Scene> => {
  const receiver = await createSmtpReceiver();
  const app = await startApp({ receiver, ...options });
  const sender = await app.createSender({ plan: 'praxis' });
  return {
    app,
    receiver,
    sender,
    authority: new URL(app.origin).host,
    arrived: async (id, recipient, of = sender) => {
      const { internet_message_id } = await app.untilStatus(of, id, 'processed');
      const copy = () =>
        receiver.messages.find(
          ({ content, recipients }) =>
            content.includes(internet_message_id) && recipients.some(({ address }) => address === recipient),
        );
      // The message has the status of the recipient who is ahead of the others.
      await until(`${id} has arrived for ${recipient}`, () => copy() !== undefined);
      return simpleParser(copy()?.content ?? '');
    },
    close: async () => {
      await app.remove();
      await receiver.stop();
    },
  };
};
