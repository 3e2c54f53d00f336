// All truths behind one face: what is cheap after each step, what a start must find, and what must have come true in the end.
import type { Kept } from '../book.ts';
import type { Scene } from '../scene.ts';
import { audienceAgrees, ledgersHold } from './audience.ts';
import { closedStaysClosed, closingsAreStored } from './closings.ts';
import { mailHasRecipient, oneCopy } from './copies.ts';
import { countersAgree } from './counters.ts';
import { webhooksGotAll } from './deliveries.ts';
import { holdingsAreBounded } from './holdings.ts';
import { createIdempotency } from './idempotency.ts';
import { claimsAreAllowed, mailsAreAllowed, pausedCampaignsStandStill } from './leaving.ts';
import { waitingEnds } from './liveness.ts';
import { logHasNoGap, publishedStays } from './log.ts';
import { createMemory, lookAround } from './look.ts';
import { lookAtMails } from './mails.ts';
import { askAll, askNow } from './promises.ts';
import { createPublished, heldMailHasNoEvent } from './published.ts';
import { dueIsNoted, registryAgrees } from './registry.ts';
import { inOneState } from './sql.ts';
import { statusesRise } from './statuses.ts';
import { createAnsweredIsStored, everythingIsStored } from './stored.ts';
import type { Truth } from './truth.ts';
import { wordsAreGone } from './words.ts';

export interface Truths {
  /** Throws where something does not hold. */
  afterStep(): void;
  afterStart(): void;
  /** All faults have ended, and what had to happen had its time. */
  calm(): Promise<void>;
}

/** Promises are asked after so many steps. */
const PROMISES_EVERY = 40;

export const openTruths = (scene: Scene, book: Kept): Truths => {
  const memory = createMemory(scene);
  const idempotency = createIdempotency();
  const ofStep: readonly Truth[] = [
    holdingsAreBounded,
    logHasNoGap,
    statusesRise,
    heldMailHasNoEvent,
    claimsAreAllowed,
    pausedCampaignsStandStill,
    mailHasRecipient,
    mailsAreAllowed,
    closedStaysClosed,
    oneCopy,
    createPublished(),
    publishedStays,
    dueIsNoted,
    createAnsweredIsStored(),
    idempotency.learn,
  ];
  const ofStart: readonly Truth[] = [
    everythingIsStored,
    closingsAreStored,
    idempotency.stays,
    registryAgrees,
  ];
  const ofEnd: readonly Truth[] = [
    waitingEnds,
    webhooksGotAll,
    ledgersHold,
    audienceAgrees,
    countersAgree,
    wordsAreGone,
  ];
  let steps = 0;
  let later: Error | null = null;

  const check = (truths: readonly Truth[]): void => {
    for (const { name, check: holds } of truths)
      try {
        holds(scene, book, memory);
      } catch (error) {
        throw new Error(`${name}: ${error instanceof Error ? error.message : error}`, { cause: error });
      }
  };
  const look = (...more: readonly Truth[]): void =>
    inOneState(() => {
      lookAround(scene, memory);
      for (const { practiceId, until } of book.losses) {
        const tenant = memory.tenants.get(practiceId);
        if (tenant !== undefined) tenant.restoredAt = Math.max(tenant.restoredAt, until ?? scene.now());
      }
      lookAtMails(scene, memory);
      check(ofStep);
      check(more);
    });
  look();

  return {
    afterStep: () => {
      if (later !== null) throw later;
      look();
      steps += 1;
      if (steps % PROMISES_EVERY === 0)
        askNow(scene, book, (error) => {
          later ??= error;
        });
    },
    afterStart: () => look(...ofStart),
    calm: async () => {
      look(...ofStart, ...ofEnd);
      await askAll(scene, book);
      look();
    },
  };
};
