// Campaigns of a daemon in the test's own process, to lists of people that are there from the beginning.
import { newId } from '#src/kernel/id.ts';
import { type AppOptions, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import type { ConfigFile } from '#test/support/daemon.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { type Seed, seedList } from '#test/support/subscribers.ts';

export interface Scene {
  readonly app: TestApp;
  readonly receiver: SmtpReceiver;
  readonly sender: Sender;
  readonly end: () => Promise<void>;
}

export const people = (count: number, domain = 'example.net'): Seed[] =>
  Array.from({ length: count }, (_, index) => ({ address: `p${index}@${domain}`, name: `Person ${index}` }));

/** A relay that does not know those whose address begins with `unknown`. */
export const startScene = async (options: AppOptions = {}, config: ConfigFile = {}): Promise<Scene> => {
  const receiver = await createSmtpReceiver({
    rcpt: ({ address }) => (address.startsWith('unknown') ? '550 5.1.1 User unknown' : '250 2.1.5 Ok'),
  });
  const app = await startApp({ receiver, ...options, config });
  const sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
  const end = async (): Promise<void> => {
    await app.remove();
    await receiver.stop();
  };
  return { app, receiver, sender, end };
};

export const seed = (
  { app, sender }: Pick<Scene, 'app' | 'sender'>,
  who: readonly Seed[],
  name = newId(),
): string => seedList(app.home, sender.practice.id, who, { name }).id;

export interface CampaignAnswer {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly waiting: { readonly until: string } | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly left_out: Readonly<Record<string, number>>;
}

export const create = async (
  { app, sender }: Pick<Scene, 'app' | 'sender'>,
  listIds: readonly string[],
  fields: object = {},
): Promise<string> => {
  const body = {
    name: 'Herbst',
    list_ids: listIds,
    subject: 'Grippeschutz für {{name}}',
    text: 'Guten Tag {{name}},\nab sofort impfen wir.',
    ...fields,
  };
  const answer = await app.request<CampaignAnswer>('POST', `${sender.base}/campaigns`, body, sender.token);
  if (answer.status !== 201) throw new Error(`no campaign: ${answer.status} ${answer.text}`);
  return answer.body.id;
};

export const campaign = async (
  { app, sender }: Pick<Scene, 'app' | 'sender'>,
  id: string,
): Promise<CampaignAnswer> =>
  (await app.request<CampaignAnswer>('GET', `${sender.base}/campaigns/${id}`, undefined, sender.token)).body;

export const act = (
  { app, sender }: Pick<Scene, 'app' | 'sender'>,
  id: string,
  verb: string,
  body: object = {},
) => app.request<CampaignAnswer>('POST', `${sender.base}/campaigns/${id}/${verb}`, body, sender.token);

export const untilStatus = async (scene: Scene, id: string, status: string): Promise<CampaignAnswer> => {
  let found = await campaign(scene, id);
  await until(`the campaign is ${status}`, async () => {
    found = await campaign(scene, id);
    return found.status === status;
  });
  return found;
};
