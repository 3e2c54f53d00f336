// How those who run a practice ask the service, and what its answers mean.
import type Database from 'better-sqlite3';
import { type Asked, Cut, type Dice, type Practice, type Reply, type Scene, type Service } from '../scene.ts';
import { homeOf } from '../truths/homes.ts';
import { mayRefuse } from './sending-answers.ts';

/** Connections to the second host may meet a network that is silent: nobody waits longer there. */
const PATIENCE_MS = 10 * 60_000;

/** The host at which the operator finds the practice. */
export const hostOf = (scene: Scene, { id }: Pick<Practice, 'id'>): Service =>
  homeOf(scene, id) ?? scene.service;

/** Undefined where no host that is up has the practice's file. */
export const inFileOf = <T>(
  scene: Scene,
  { id }: Pick<Practice, 'id'>,
  work: (db: Database.Database) => T,
): T | undefined => homeOf(scene, id)?.look(id, work);

const CALM_STEP = 1 << 30;
/** All faults are over, and whatever waited has had its time. */
export const isCalm = (scene: Scene): boolean => scene.step() >= CALM_STEP;

export type Who = 'team' | 'operator';

/** What is asked of a host by its operator. Rejects with Cut. */
export const asOperator = (
  { service }: Scene,
  at: Service,
  method: string,
  path: string,
  body?: unknown,
  more: Asked = {},
): Promise<Reply> =>
  at.ask(method, path, {
    token: at.adminToken,
    ...(at === service ? {} : { leaveAfter: PATIENCE_MS }),
    ...more,
    ...(body === undefined ? {} : { body }),
  });

/** `rest`: behind the practice's path. The team asks the host that it knows, the operator the one that has the practice. */
export const asWho = (
  scene: Scene,
  who: Who,
  practice: Practice,
  method: string,
  rest: string,
  body?: unknown,
  more: Asked = {},
): Promise<Reply> => {
  const path = `/api/practices/${practice.id}${rest}`;
  if (who === 'operator') return asOperator(scene, hostOf(scene, practice), method, path, body, more);
  return scene.service.ask(method, path, {
    token: practice.token,
    ...more,
    ...(body === undefined ? {} : { body }),
  });
};

export const anyone = (dice: Dice): Who => (dice.chance(0.6) ? 'team' : 'operator');

/** True where it was answered so; false where the state of things explains a refusal. Throws for any other answer. */
export const isAnswered = (
  what: string,
  reply: Reply,
  wanted: readonly number[],
  codes: readonly string[] = [],
): boolean => {
  if (wanted.includes(reply.status)) return true;
  mayRefuse(what, reply, codes);
  return false;
};

/** Asked for, and there is no way to know whether it was done. */
export const isUnknown = ({ status }: Reply): boolean => status === 503;

/** Null where no answer came. */
export const orCut = async (asked: Promise<Reply>): Promise<Reply | null> =>
  asked.catch((error: unknown) => {
    if (error instanceof Cut) return null;
    throw error;
  });
