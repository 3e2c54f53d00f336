// What people do about a token that is slowed: slow it by hand, say that what it sends is right, discard what waits.
import { z } from 'zod';
import { tokenBrakeSchema } from '#src/accounts/entry/slowed-token.ts';
import { tokenStore } from '#src/accounts/entry/token-store.ts';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import type { Base } from '#src/kernel/base.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { HOUR } from '#src/kernel/time.ts';
import { lineSchema } from '#src/mail/line-schema.ts';
import type { Messages } from '#src/messages/open.ts';
import { type Brake, brakeOf } from './brake.ts';
import { discardSlowed, lift, release, slowByHand } from './by-people.ts';
import { brakeStore } from './store.ts';

const PATH = '/api/practices/{id}/api-tokens/{tokenID}';
const NOTE_LENGTH = 500;
const MOST_HOURS = 31 * 24;
const hours = z.int().min(1).max(MOST_HOURS).prefault(24);

const params = z.strictObject({ ...tenantParams.shape, tokenID: idSchema });
const slowBody = z
  .strictObject({
    hours: hours.describe('for so long'),
    note: lineSchema(NOTE_LENGTH).optional().describe('why; for owners and the audit'),
  })
  .meta({ examples: [{ hours: 24, note: 'Das Formular der Website wird geprüft.' }] });
const liftBody = z
  .strictObject({ hours: hours.describe('for so long nothing slows it again') })
  .meta({ examples: [{ hours: 24 }] });
const discardedSchema = z.strictObject({ discarded: z.int().describe('mails, one a recipient') });

/** A caller who is limited to projects knows the tokens of these alone, and none that was revoked. Throws `not_found`. */
const requireToken = (db: TenantDb, caller: Caller, tokenId: string, mayBeRevoked = false): void => {
  const token = tokenStore(db).get(tokenId);
  const isKnown =
    token === undefined
      ? mayBeRevoked && caller.projects === null
      : caller.projects === null || (token.project_id !== null && mayUseProject(caller, token.project_id));
  if (!isKnown) throw new AppError('not_found', say`There is no such token.`);
};

/** Whoever has a stolen token could lift the brake by it. Throws `forbidden`. */
const requirePerson = ({ kind }: Caller): void => {
  if (kind === 'member' || kind === 'operator') return;
  throw new AppError('forbidden', say`Only a person says that what a token sends is right.`, {
    hint: say`Sign in, as someone who manages tokens.`,
    extra: { permission: 'tokens.manage' },
  });
};

export const brakeRoutes = (
  { storage: { tenants: files }, clock }: Pick<Base, 'storage' | 'clock'>,
  brake: Brake,
  notify: (tenantId: string) => void,
  queue: Pick<Messages['queue'], 'hold' | 'wake'>,
): Route[] => {
  const shared = {
    method: 'post',
    tag: 'Tokens',
    access: 'tokens.manage',
    stability: 'stable',
    params,
  } as const;
  const responses = { 200: { description: 'How it is now.', body: tokenBrakeSchema } };
  return [
    defineRoute({
      ...shared,
      path: `${PATH}/slow`,
      id: 'slowApiToken',
      summary: 'Slow an API token',
      description:
        'What it sends is accepted and waits in a line, from which mails leave at the pace of `per_hour`. All owners are ' +
        'notified by mail. The same happens by itself to a token that leaves its usual range.',
      audit: 'token.slow',
      body: slowBody,
      responses,
      handle: async ({ params: { id, tokenID }, body }, { caller, change }) => {
        const state = await files.write(id, (db) => {
          requireToken(db, caller, tokenID);
          const now = clock.now();
          slowByHand(db, brake, tokenID, { ...body, isOperator: caller.kind === 'operator' }, change, now);
          return brakeOf(db, tokenID, now);
        });
        notify(id);
        return { status: 200, body: state };
      },
    }),
    defineRoute({
      ...shared,
      path: `${PATH}/lift`,
      id: 'liftApiToken',
      summary: 'Say that what an API token sends is right',
      description:
        'By a person who is signed in, not by a token. What waits leaves at once, and nothing slows the token for so many ' +
        'hours; what it sends in them becomes usual. What the operator has slowed, only they lift.',
      audit: 'token.lift',
      body: liftBody,
      responses,
      handle: async ({ params: { id, tokenID }, body }, { caller, change }) => {
        await files.read(id, (db) => requireToken(db, caller, tokenID));
        requirePerson(caller);
        const now = clock.now();
        const free = await queue.hold(id, now);
        try {
          const state = await files.write(id, (db) => {
            requireToken(db, caller, tokenID);
            lift(
              db,
              tokenID,
              { until: now + body.hours * HOUR, isOperator: caller.kind === 'operator' },
              change,
              now,
            );
            return brakeOf(db, tokenID, now);
          });
          await release(files, queue, id, tokenID, now);
          return { status: 200, body: { ...state } };
        } finally {
          free();
        }
      },
    }),
    defineRoute({
      ...shared,
      path: `${PATH}/discard`,
      id: 'discardSlowedMail',
      summary: 'Discard the mail of an API token that waits because the token is slowed',
      description:
        'For a token that someone else has used; also after it was revoked. By a person who is signed in. The mails are ' +
        'kept as failed.',
      audit: 'token.discard',
      responses: { 200: { description: 'It never leaves.', body: discardedSchema } },
      handle: async ({ params: { id, tokenID } }, { caller, change }) => {
        await files.read(id, (db) => {
          requireToken(db, caller, tokenID, brakeStore(db).held(tokenID, 1).length > 0);
        });
        requirePerson(caller);
        const discarded = await discardSlowed(files, id, tokenID, change, clock.now());
        return { status: 200, body: { discarded } };
      },
    }),
  ];
};
