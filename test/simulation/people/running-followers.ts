// Webhooks and chat alerts that a team makes, changes and removes. Those of the template are never removed.
import { eventTypes } from '#src/events/catalogue.ts';
import type { Act, Dice, Practice, Scene } from '../scene.ts';
import { anyone, asWho, isAnswered } from './running-answers.ts';
import { epochOf, inTurn, nextNumber, runningOf } from './running-memory.ts';

const MOST = 4;
const CHATTED = ['message.hard_bounced', 'message.spam_complaint', 'message.failed'];

interface Made {
  readonly practice: Practice;
  readonly id: string;
}

const make =
  (
    kind: 'webhooks' | 'alerts',
    bodyOf: (scene: Scene, dice: Dice, practice: Practice) => object,
  ): Act['run'] =>
  async (scene, dice) => {
    const list = runningOf(scene)[kind];
    if (list.length >= MOST) return;
    const practice = dice.pick(scene.practices);
    const epoch = epochOf(scene, practice);
    const body = bodyOf(scene, dice, practice);
    const reply = await asWho(scene, anyone(dice), practice, 'POST', `/${kind}`, body);
    if (isAnswered(`one of the ${kind}`, reply, [201]) && epoch === epochOf(scene, practice))
      list.push({ practice, id: reply.body.id });
  };

const remove =
  (kind: 'webhooks' | 'alerts'): Act['run'] =>
  async (scene, dice) => {
    const list: Made[] = runningOf(scene)[kind];
    if (list.length === 0) return;
    const [one] = list.splice(dice.int(0, list.length - 1), 1) as [Made];
    const epoch = epochOf(scene, one.practice);
    const rest = `/${kind}/${one.id}`;
    const reply = await asWho(scene, anyone(dice), one.practice, 'DELETE', rest);
    if (!isAnswered(`the end of one of the ${kind}`, reply, [204]) || dice.chance(0.5)) return;
    const shown = await asWho(scene, anyone(dice), one.practice, 'GET', rest);
    if (shown.status === 200 && epoch === epochOf(scene, one.practice))
      throw new Error(`${rest} was removed, and is shown`);
  };

const hookOf = (scene: Scene, dice: Dice): Made => {
  const { webhooks } = runningOf(scene);
  if (webhooks.length > 0 && dice.chance(0.5)) return dice.pick(webhooks);
  const practice = dice.pick(scene.practices);
  return { practice, id: practice.webhookId };
};

const newWebhook: Act = {
  name: 'a team makes a webhook',
  weight: 0.3,
  run: make('webhooks', (scene, dice, { slug }) => ({
    name: `Kasse ${nextNumber(scene)}`,
    url: `http://hooks.${slug}.example/weitere`,
    events: dice.chance(0.5) ? eventTypes : eventTypes.slice(dice.int(0, 5), dice.int(6, 12)),
  })),
};

const newAlert: Act = {
  name: 'a team makes a chat alert',
  weight: 0.3,
  run: make('alerts', (scene, dice, { slug }) => {
    // A name of its own, where no webhooks come.
    scene.zones.set(`chat.${slug}.example`, { ...scene.zones.get(`hooks.${slug}.example`) });
    return {
      name: `Empfang ${nextNumber(scene)}`,
      kind: dice.pick(['slack', 'teams']),
      url: `http://chat.${slug}.example/empfang`,
      events: dice.chance(0.5) ? CHATTED : ['message.sent', ...CHATTED],
    };
  }),
};

const disable: Act = {
  name: 'a team disables a webhook, and enables it again',
  weight: 0.3,
  run: (scene, dice) => {
    const { practice, id } = hookOf(scene, dice);
    return inTurn(scene, `webhook ${id}`, async () => {
      const set = (status: 'disabled' | 'active') =>
        asWho(scene, anyone(dice), practice, 'PATCH', `/webhooks/${id}`, { status });
      isAnswered('a webhook that is disabled', await set('disabled'), [200]);
      await scene.sleep(dice.int(10, 3_600_000));
      isAnswered('a webhook that is enabled', await set('active'), [200]);
      if (dice.chance(0.5)) return;
      const since = new Date(scene.now() - dice.int(1, 24) * 3_600_000).toISOString();
      const replayed = await asWho(scene, anyone(dice), practice, 'POST', `/webhooks/${id}/replay`, {
        since,
      });
      isAnswered('a replay', replayed, [202]);
    });
  },
};

const rotate: Act = {
  name: 'a team gives a webhook a new secret',
  weight: 0.3,
  run: async (scene, dice) => {
    const { practice, id } = hookOf(scene, dice);
    const body = dice.chance(0.3) ? { revoke_previous: true } : {};
    const reply = await asWho(scene, anyone(dice), practice, 'POST', `/webhooks/${id}/rotate`, body);
    isAnswered('a new secret', reply, [200]);
  },
};

const test: Act = {
  name: 'a team tests a webhook or an alert',
  weight: 0.3,
  run: async (scene, dice) => {
    const { alerts } = runningOf(scene);
    const isAlert = alerts.length > 0 && dice.chance(0.5);
    const { practice, id } = isAlert ? dice.pick(alerts) : hookOf(scene, dice);
    const rest = `/${isAlert ? 'alerts' : 'webhooks'}/${id}/test`;
    const reply = await asWho(scene, anyone(dice), practice, 'POST', rest);
    isAnswered('a test', reply, [200]);
  },
};

export const followerActs: readonly Act[] = [
  newWebhook,
  newAlert,
  disable,
  rotate,
  test,
  { name: 'a team removes a webhook', weight: 0.2, run: remove('webhooks') },
  { name: 'a team removes a chat alert', weight: 0.2, run: remove('alerts') },
];
