// The stages of a report of abuse, and how much of what strangers send is taken and kept. Pure.
import type { RateLimit } from '#src/kernel/rate-limit.ts';
import { DAY, SECOND } from '#src/kernel/time.ts';

export const stages = ['open', 'investigating', 'closed'] as const;
export type Stage = (typeof stages)[number];

/** A flood must not fill the disk. Further reports are taken after the operator has looked at some. */
export const MAX_OPEN = 10_000;
/** A stranger who enters the address of someone else makes us write to it at most this often. */
export const MAX_OPEN_PER_REPORTER = 50;

const next: Readonly<Record<Stage, Stage | null>> = {
  open: 'investigating',
  investigating: 'closed',
  closed: null,
};

/** `unchanged`: the ticket is at that stage already, as after a repeated request; no mail is sent again. No stage can be left out. */
export const moveTo = (from: Stage, to: Stage): 'reached' | 'unchanged' | 'refused' => {
  if (from === to) return 'unchanged';
  return next[from] === to ? 'reached' : 'refused';
};

/** The stage that follows; null after the last. */
export const stageAfter = (stage: Stage): Stage | null => next[stage];

const MIB = 1024 * 1024;
/** The bound for the reported mails of all tickets together: they are in platform.db, which small machines hold too. */
const MAX_SOURCE_BYTES = 256 * MIB;
const CLIENT_SOURCE_BYTES = 30 * MIB;

/** Bounds the reported mails that one client stores in a day, so that no one fills the room of all. */
export const sourcesOfClient: RateLimit = {
  perSecond: CLIENT_SOURCE_BYTES / (DAY / SECOND),
  burst: CLIENT_SOURCE_BYTES,
};

/** How long the reported mail of a closed ticket is kept, for questions about its end. */
export const SOURCE_KEPT_MS = 30 * DAY;

/** Whether a reported mail of this size can be kept beside those that are kept. */
export const hasRoomFor = (bytes: number, keptBytes: number): boolean =>
  keptBytes + bytes <= MAX_SOURCE_BYTES;

/** Why no further report is taken; null where one is. */
export const whyFull = (open: number, openOfReporter: number): 'service' | 'reporter' | null => {
  if (open >= MAX_OPEN) return 'service';
  return openOfReporter >= MAX_OPEN_PER_REPORTER ? 'reporter' : null;
};
