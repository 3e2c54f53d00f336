// `sendwerk admin`: practices, their owners, plans and safe mode.
import type { z } from 'zod';
import type { memberSchema } from '#src/accounts/entry/member-schema.ts';
import type { OperatorPractice, planSchema } from '#src/accounts/tenants/operator-practices.ts';
import type { practiceSchema } from '#src/accounts/tenants/schema.ts';
import { adminCommand, practiceOption } from './admin-command.ts';
import { type Cell, clean, record, table } from './admin-text.ts';
import { UsageError } from './command.ts';

interface Held {
  readonly mails: number;
  readonly forwards: number;
}
type Practice = z.infer<typeof practiceSchema>;

const languageOption = {
  value: 'de|en',
  about: 'the language of the mail, and of the account where it is new',
} as const;

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const practiceHead = [
  'SLUG',
  'NAME',
  'STATUS',
  'PLAN',
  'SAFE MODE',
  'MAILS',
  'CAP',
  'USED',
  'MEMBERS',
  'OWNERS',
  'DATA',
  'ID',
];
const practiceRow = (practice: OperatorPractice): Cell[] => {
  const { id, slug, storage } = practice;
  if ('unavailable' in practice)
    return [slug, null, 'unavailable', ...Array<null>(7).fill(null), storage.state, id];
  const { name, status, plan, safe_mode, usage, monthly_cap, members, owners } = practice;
  const mails = [usage.accepted, monthly_cap, percent(usage.share)];
  return [slug, name, status, plan, safe_mode, ...mails, members, owners.join(', '), storage.state, id];
};

export const practiceCommands = [
  adminCommand({
    name: 'practices',
    summary: 'list the practices with their usage of this month',
    options: {
      plan: { value: 'PLAN', about: 'only those on this plan' },
      system: { about: 'instead the one by which the service sends its own mail' },
    },
    ask: async (api, { plan, system }) => {
      const query = { plan, purpose: system ? 'system' : 'practice' };
      const page = await api.list<OperatorPractice>('/api/admin/practices', query);
      return { json: page, text: table(practiceHead, page.data.map(practiceRow), 'There are no practices.') };
    },
  }),
  adminCommand({
    name: 'held-mail',
    summary: 'show, send or discard what a restore holds of a practice',
    options: {
      practice: practiceOption,
      release: { about: 'send it' },
      discard: { about: 'do not send it' },
    },
    check: ({ release, discard }) => {
      if (release && discard) throw new UsageError('admin held-mail: --release or --discard');
    },
    ask: async (api, { practice, release, discard }) => {
      const path = `${await api.pathOfPractice(practice)}/held-mail`;
      const held = await (release || discard
        ? api.call<Held>('POST', `${path}/${release ? 'release' : 'discard'}`, {})
        : api.call<Held>('GET', path));
      const [done] = [release && 'sent', discard && 'discarded'].filter(Boolean);
      return { json: held, text: record([[done || 'held', null], ...Object.entries(held)]) };
    },
  }),
  adminCommand({
    name: 'create-practice',
    summary: 'make a practice with a managed host, ready to send',
    options: {
      name: { value: 'NAME', required: true, about: 'its name' },
      owner: { value: 'ADDRESS', about: 'address of its owner; a mail explains how to sign in' },
      plan: { value: 'PLAN', about: 'its plan, see `admin plans`; test where absent' },
      domain: { value: 'DOMAIN', about: 'a sending domain of its own' },
      language: languageOption,
    },
    ask: async (api, { name, owner, plan, domain, language }) => {
      const body = { name, owner_email: owner, plan, domain, language };
      const made = await api.call<Practice>('POST', '/api/practices', body);
      const text = record([
        ['id', made.id],
        ['slug', made.slug],
        ['plan', made.plan],
        ['safe mode', made.safe_mode],
        ['host', made.managed_host],
        ['sends as', made.default_from],
        ['owner', owner],
      ]);
      return { json: made, text };
    },
  }),
  adminCommand({
    name: 'create-owner',
    summary: 'make an address an owner of a practice; a mail explains how to sign in',
    options: {
      practice: practiceOption,
      email: { value: 'ADDRESS', required: true, about: 'the address' },
      language: languageOption,
    },
    ask: async (api, { practice, email, language }) => {
      const path = `${await api.pathOfPractice(practice)}/owners`;
      const member = await api.call<z.infer<typeof memberSchema>>('POST', path, { email, language });
      return { json: member, text: `${clean(member.email)} is an owner of ${clean(practice)}.\n` };
    },
  }),
  adminCommand({
    name: 'plans',
    summary: 'list the plans',
    options: {},
    ask: async (api) => {
      const plans = await api.call<{ data: readonly z.infer<typeof planSchema>[] }>(
        'GET',
        '/api/admin/plans',
      );
      const rows = plans.data.map(({ plan, monthly_cap, custom_roles }) => [plan, monthly_cap, custom_roles]);
      return {
        json: plans,
        text: table(['PLAN', 'MAILS A MONTH', 'CUSTOM ROLES'], rows, 'There are no plans.'),
      };
    },
  }),
  adminCommand({
    name: 'plan',
    summary: 'put a practice on a plan',
    options: {
      practice: practiceOption,
      plan: { value: 'PLAN', required: true, about: 'the plan, see `admin plans`' },
    },
    ask: async (api, { practice, plan }) => {
      const path = `${await api.pathOfPractice(practice)}/plan`;
      const changed = await api.call<Practice>('POST', path, { plan });
      const text = `${changed.slug} is on the plan ${changed.plan}: ${changed.monthly_cap} mails a month.\n`;
      return { json: changed, text };
    },
  }),
  adminCommand({
    name: 'safe-mode',
    summary: 'turn the safe mode of a practice on or off',
    options: {
      practice: practiceOption,
      on: { about: 'it sends to the simulator and the allowlist only' },
      off: { about: 'it sends to anyone' },
    },
    check: ({ on, off }) => {
      if (on === off) throw new UsageError('admin safe-mode: one of --on and --off is needed');
    },
    ask: async (api, { practice, on }) => {
      const path = `${await api.pathOfPractice(practice)}/safe-mode`;
      const changed = await api.call<Practice>('POST', path, { enabled: on });
      return {
        json: changed,
        text: `The safe mode of ${changed.slug} is ${changed.safe_mode ? 'on' : 'off'}.\n`,
      };
    },
  }),
  adminCommand({
    name: 'token',
    summary:
      'slow an API token of a practice, lift that, revoke it, or discard its mail that waits while it is slowed',
    options: {
      practice: practiceOption,
      id: { value: 'ID', required: true, about: 'the token, as its practice and abuse tickets show it' },
      do: { value: 'slow|lift|revoke|discard', required: true, about: 'what is to be done' },
    },
    check: ({ do: verb }) => {
      if (!/^(slow|lift|revoke|discard)$/.test(verb))
        throw new UsageError('admin token: --do expects slow, lift, revoke or discard');
    },
    ask: async (api, { practice, id, do: verb }) => {
      const path = `${await api.pathOfPractice(practice)}/api-tokens/${encodeURIComponent(id)}`;
      const json = await (verb === 'revoke'
        ? api.call('DELETE', path)
        : api.call('POST', `${path}/${verb}`, verb === 'discard' ? undefined : {}));
      return { json, text: 'Done.\n' };
    },
  }),
  adminCommand({
    name: 'pause',
    summary: 'let nothing of a practice be sent or accepted; what is queued waits',
    options: {
      practice: practiceOption,
      reason: { value: 'TEXT', required: true, about: 'why, for its owners and its senders' },
    },
    ask: async (api, { practice, reason }) => {
      const path = `${await api.pathOfPractice(practice)}/pause`;
      const paused = await api.call<Practice>('POST', path, { reason });
      return { json: paused, text: `${paused.slug} is paused.\n` };
    },
  }),
  adminCommand({
    name: 'resume',
    summary: 'lift the pause of a practice, also one made by the operator: queued mail is sent',
    options: { practice: practiceOption },
    ask: async (api, { practice }) => {
      const path = `${await api.pathOfPractice(practice)}/resume`;
      const resumed = await api.call<Practice>('POST', path);
      return { json: resumed, text: `${resumed.slug} sends again.\n` };
    },
  }),
];
