// Campaigns to the practice's list: made, tested, sent, scheduled, paused, resumed, cancelled. Once it is answered that one is paused
// or cancelled, it hands no one over.
import { type Act, Cut, type Dice, type Practice, type Reply, type Scene } from '../scene.ts';
import { mayRefuse, submit, wholeFate } from './sending-answers.ts';
import { type Campaign, memoryOf, remember } from './sending-memory.ts';
import { knownPeople, simulated } from './sending-people.ts';
import { promisingMemory, standStill, stoodStill } from './sending-promises.ts';

const HOUR = 3_600_000;

/** A list without people, or with none that may get mail, and people that others have changed. */
const EXPECTED = ['no_recipients', 'consent_required', 'invalid_request'];

const pathOf = ({ id }: Practice, campaign: string = ''): string =>
  `/api/practices/${id}/campaigns${campaign}`;

const create: Act = {
  name: 'make a campaign',
  weight: 3,
  run: async (scene, dice) => {
    const memory = promisingMemory(scene);
    const practice = dice.pick(scene.practices);
    const { token, listId } = practice;
    const body = {
      name: `Herbst ${scene.step()}`,
      list_id: listId,
      subject: 'Grippeschutz',
      text: 'Guten Tag, wir impfen wieder gegen Grippe.',
      // Slow ones are met by a pause in the middle.
      ...(dice.chance(0.5) ? { max_per_hour: dice.int(60, 3_600) } : {}),
    };
    const reply = await scene.service.ask('POST', pathOf(practice), { token, body });
    if (reply.status !== 201) return mayRefuse('a new campaign', reply, EXPECTED);
    const made: Campaign = { practice, id: reply.body.id, status: 'draft', isBusy: true, most: null };
    remember(memory.campaigns, made);
    try {
      // Most are sent by who made them.
      if (dice.chance(0.8)) await ask(scene, dice, made, dice.chance(0.8) ? 'send' : 'schedule');
      // Some see a mistake in it while the first people are being handed over.
      if (made.status !== 'sending' || dice.chance(0.5)) return;
      await scene.sleep(dice.int(0, dice.pick([4, 20, 200, 2_000])));
      await ask(scene, dice, made, dice.chance(0.8) ? 'pause' : 'cancel');
    } finally {
      made.isBusy = false;
    }
  },
};

type Verb = 'send' | 'schedule' | 'pause' | 'resume' | 'cancel';
const after = {
  send: 'sending',
  schedule: 'scheduled',
  pause: 'paused',
  resume: 'sending',
  cancel: 'cancelled',
} as const satisfies Record<Verb, Campaign['status']>;
const mayBegin: ReadonlySet<Verb> = new Set(['send', 'resume', 'schedule']);

const bodyOf = (scene: Scene, dice: Dice, verb: Verb): object =>
  verb === 'schedule'
    ? { body: { schedule_at: new Date(Math.floor(scene.now()) + dice.int(1_000, HOUR)).toISOString() } }
    : {};

/** The campaign is busy, so that no one else asks for another status. */
const ask = async (scene: Scene, dice: Dice, campaign: Campaign, verb: Verb): Promise<void> => {
  const { practice, id } = campaign;
  // What was promised of a pause is looked at before it ends.
  stoodStill(scene, campaign);
  const former = campaign.most;
  if (mayBegin.has(verb)) campaign.most = null;
  const path = pathOf(practice, `/${id}/${verb}`);
  const asked = { token: practice.token, ...bodyOf(scene, dice, verb) };
  let reply: Reply;
  try {
    reply = await scene.service.ask('POST', path, asked);
  } catch (error) {
    if (error instanceof Cut && mayBegin.has(verb)) campaign.status = after[verb];
    throw error;
  }
  if (reply.status === 503) return;
  if (reply.status !== 200) {
    // It was not begun by this.
    campaign.most = former;
    return mayRefuse(`to ${verb} a campaign`, reply, EXPECTED);
  }
  campaign.status = after[verb];
  scene.note(`campaign ${id} is ${reply.body.status}`);
  if (verb === 'pause' || verb === 'cancel') standStill(scene, campaign);
};

/** What is worth asking for in each status as far as it is known; the service may be further. */
const verbs = {
  draft: ['send', 'schedule'],
  scheduled: ['send', 'cancel', 'schedule'],
  sending: ['pause', 'pause', 'pause', 'cancel'],
  paused: ['resume', 'resume', 'cancel'],
  cancelled: [],
} as const satisfies Record<Campaign['status'], readonly Verb[]>;

const change: Act = {
  name: 'send, pause, resume or cancel a campaign',
  weight: 6,
  run: async (scene, dice) => {
    const open = memoryOf(scene).campaigns.filter(({ status, isBusy }) => !isBusy && status !== 'cancelled');
    if (open.length === 0) return;
    // The newest is the one that is most likely still being sent.
    const campaign = dice.chance(0.6) ? (open.at(-1) as Campaign) : dice.pick(open);
    campaign.isBusy = true;
    try {
      await ask(scene, dice, campaign, dice.pick<Verb>(verbs[campaign.status]));
    } finally {
      campaign.isBusy = false;
    }
  },
};

const test: Act = {
  name: 'test a campaign',
  weight: 1,
  run: async (scene, dice) => {
    const { campaigns } = memoryOf(scene);
    if (campaigns.length === 0) return;
    const { practice, id } = dice.pick(campaigns);
    const to = [dice.chance(0.5) ? simulated('success') : dice.pick(knownPeople)];
    const asked = { token: practice.token, body: { to } };
    await submit(scene, {
      practice,
      door: 'campaign test',
      messages: [to],
      tags: [null],
      ask: () => scene.service.ask('POST', pathOf(practice, `/${id}/test`), asked),
      fatesOf: (reply) => {
        // Who is neither a member nor on the operator's list gets no test.
        if (Object(reply.body).code === 'invalid_recipient') return ['refused'];
        return [wholeFate(reply, 'a test', () => ({ id: reply.body.messages[0].message.id }))];
      },
    });
  },
};

const look: Act = {
  name: 'look at a campaign',
  weight: 1,
  run: async (scene, dice) => {
    const { campaigns } = memoryOf(scene);
    if (campaigns.length === 0) return;
    const { practice, id } = dice.pick(campaigns);
    const rest = dice.pick(['', '/audience', '/recipients?state=sent']);
    const reply = await scene.service.ask('GET', pathOf(practice, `/${id}${rest}`), {
      token: practice.token,
    });
    if (reply.status !== 200) mayRefuse('a campaign', reply);
    else if (rest === '' && reply.body.counts.queued > reply.body.counts.handed_over)
      throw new Error(
        `the campaign ${id} has more queued than handed over: ${JSON.stringify(reply.body.counts)}`,
      );
  },
};

/** Campaigns name no one when they are made, so that what they hand over is in no one's book. */
export const campaignActs: readonly Act[] = [create, change, test, look];
