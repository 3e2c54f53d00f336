// Mail from the world, brought by SMTP to the listener for it, and the forms in which servers report.
import type { Dice, Scene, SmtpTalk } from '../scene.ts';

/** A source of complaints whose word counts, as the configuration and the zones say. */
export const FEEDBACK_SOURCE = 'fbl.example';
const CLIENTS = ['192.0.2.10', '192.0.2.11', '198.51.100.7', '203.0.113.9'];

export interface Brought {
  readonly from: string;
  readonly to: string;
  readonly content: string;
}

/** The reply to the content, or the one that refused the mail before. */
const bringBy = async (talk: SmtpTalk, { from, to, content }: Brought): Promise<string> => {
  for (const command of [`MAIL FROM:<${from}>`, `RCPT TO:<${to}>`]) {
    const reply = await talk.say(command);
    if (!reply.startsWith('2')) return reply;
  }
  return talk.data(content);
};

/** The replies to mails that come one after the other by one connection; fewer where one is refused. Rejects with Cut. */
export const bringAll = async (
  scene: Scene,
  dice: Dice,
  ...mails: readonly Brought[]
): Promise<readonly string[]> => {
  const talk = await scene.service.smtp('inbound', dice.pick(CLIENTS));
  try {
    const hello = await talk.say('EHLO mx.people.example');
    if (!hello.startsWith('2')) return [hello];
    const replies: string[] = [];
    for (const mail of mails) {
      const reply = await bringBy(talk, mail);
      scene.note(`  mail to ${mail.to}: ${reply}`);
      replies.push(reply);
      if (!reply.startsWith('2')) break;
    }
    return replies;
  } finally {
    talk.end();
  }
};

export const bring = async (scene: Scene, dice: Dice, mail: Brought): Promise<string> =>
  (await bringAll(scene, dice, mail))[0] ?? '';

/** 250, which says that all that follows is stored. */
export const isTaken = (reply: string | undefined): boolean => reply?.startsWith('250') === true;

/** To be brought again later. Other refusals are for good. */
export const isForLater = (reply: string): boolean => reply.startsWith('4');

export const lines = (...all: readonly string[]): string => all.map((line) => `${line}\r\n`).join('');
