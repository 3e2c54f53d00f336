// What people, peers and truths of the simulation share: the daemon they talk to, the practices that the template has, what people
// were told, and what peers have seen.
import type Database from 'better-sqlite3';
import type { Faults } from './faults.ts';
import type { Zones } from './zones.ts';

/** Draws that belong to one step, so that a step left out changes no draw of the others. */
export interface Dice {
  /** In [0, 1). */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  chance(share: number): boolean;
  /** Throws where the list is empty. */
  pick<T>(list: readonly T[]): T;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Parsed where it is JSON, else the text. */
  // biome-ignore lint/suspicious/noExplicitAny: what an act expects of an answer is checked by the act.
  readonly body: any;
}

/** The connection ended before the whole answer had come: what was asked for may have happened or not. */
export class Cut extends Error {
  override readonly name = 'Cut';
}

export interface Asked {
  /** JSON where it is an object; strings and bytes go as they are. */
  readonly body?: unknown;
  /** The admin token, or a bearer token. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client leaves after so many milliseconds; the reply has what had come. For streams. */
  readonly leaveAfter?: number;
}

/** One SMTP session as a client has it: each reply as text ("250 2.1.0 ok"), joined by line feeds. Rejects with Cut. */
export interface SmtpTalk {
  say(command: string): Promise<string>;
  /** DATA and its content, which gets dots stuffed and its end; the reply to the end. */
  data(source: string | Buffer): Promise<string>;
  end(): void;
}

/** The service as it is reached from outside. It may be down, crash, and be another process after each `await`. */
export interface Service {
  readonly dataDir: string;
  readonly adminToken: string;
  /** False between a crash or stop and the end of the next start. */
  isUp(): boolean;
  /** Counts the processes so far: what is remembered of a former one may be gone. */
  generation(): number;
  /** Rejects with Cut where no whole answer came, also where nothing listens. */
  ask(method: string, path: string, asked?: Asked): Promise<Reply>;
  /** Rejects with Cut. The greeting has been read. */
  smtp(door: 'submission' | 'inbound', from?: string): Promise<SmtpTalk>;
  /** A connection of the simulation's own, to look at what is committed; null is the registry. Never to be kept over an `await`. */
  look<T>(practiceId: string | null, work: (db: Database.Database) => T): T;
  /** Runs one of the daemon's jobs; resolves when it has ended, or its process has. */
  runJob(name: string): Promise<void>;
  /** How many connections to files, sockets and timers the process has. */
  holdings(): { readonly databases: number; readonly sockets: number; readonly tasks: number };
  /** As `kill -9` and a power cut at once: what was not synced may be gone. It is down then. */
  crash(): void;
  /** SIGTERM; resolves when the process has ended. */
  stop(): Promise<void>;
  /** Resolves when it answers. */
  start(): Promise<void>;
  /** Lays keys over the configuration file and applies it, as SIGHUP does. */
  reconfigure(keys: Readonly<Record<string, unknown>>): void;
}

/** What the template made for each practice: all its ids and secrets are the same in each simulation. */
export interface Practice {
  readonly id: string;
  readonly slug: string;
  /** A team token of it. */
  readonly token: string;
  /** Its verified sending domain. */
  readonly domain: string;
  /** `mailbox@domain`, from which it sends. */
  readonly from: string;
  /** The id of its webhook, whose receiver is `http://hooks.<slug>.example/`, and its secret. */
  readonly webhookId: string;
  readonly webhookSecret: string;
  /** A list with double opt-in, public, and its form's path. */
  readonly listId: string;
  readonly formPath: string;
  /** A template with a name, for sends by template. */
  readonly templateSlug: string;
}

/** A mail that the relay took over: what an upstream sees. */
export interface HandedOver {
  readonly at: number;
  /** The step at which it came. */
  readonly step: number;
  readonly returnPath: string;
  readonly recipient: string;
  /** The header field, without brackets. */
  readonly messageId: string;
  readonly source: string;
  /** What the relay answered; null where it took the mail and the answer was lost on purpose, or the daemon died before it came. */
  reply: string | null;
}

/** One request to a webhook's receiver. */
export interface Delivered {
  readonly at: number;
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What was answered. */
  readonly status: number;
}

export interface Peers {
  /** In the order in which they came. Kept for the whole simulation. */
  readonly handedOver: readonly HandedOver[];
  readonly delivered: readonly Delivered[];
}

export interface Scene {
  /** Milliseconds since the epoch, of the simulated clock. */
  now(): number;
  /** The present step. */
  step(): number;
  sleep(milliseconds: number): Promise<void>;
  /** The whole world goes on for so long before the next step. */
  passTime(milliseconds: number): void;
  /** A line of the trace: who did what. */
  note(line: string): void;
  readonly service: Service;
  /** A second host, with its own data, to which a practice may be moved. It runs only where an act has started it. */
  readonly other: Service;
  readonly practices: readonly Practice[];
  readonly peers: Peers;
  readonly book: Book;
  /** What the simulated DNS says: an act may publish what a practice is told to. */
  readonly zones: Zones;
  /** What is wrong at present: for fate alone. */
  readonly faults: Faults;
}

/** What a person does in one step. */
export interface Act {
  readonly name: string;
  /** How often it is chosen, beside the others. */
  readonly weight: number;
  /** Resolves when the person has an answer or knows that none comes. Rejects with Cut at will; with anything else a truth is broken. */
  run(scene: Scene, dice: Dice): Promise<void>;
}

/** Who asks for mail to be kept from someone, and for how long. */
export type Closing = 'suppressed' | 'unsubscribed' | 'erased' | 'paused' | 'cancelled' | 'erased practice';

/** What people were told, for the truths to hold the service to. Acts write it at the answer, in the same microtask. */
export interface Book {
  /** Answered 202 or 250: from now on it is stored. `id` where the answer has one; recipients as addresses in lower case. */
  accepted(entry: {
    readonly practice: Practice;
    readonly door: string;
    readonly id: string | null;
    readonly recipients: readonly string[];
  }): void;
  /** No answer came (Cut): it may be stored or not. */
  unknown(entry: {
    readonly practice: Practice;
    readonly door: string;
    readonly recipients: readonly string[];
  }): void;
  /**
   * From this answer on nothing new may leave to the address (null: to anyone) of the practice; what is claimed at this moment may.
   */
  closed(entry: { readonly practice: Practice; readonly by: Closing; readonly address: string | null }): void;
  /** The closing has ended, or may have: asked for, whatever its answer. */
  opened(entry: { readonly practice: Practice; readonly by: Closing; readonly address: string | null }): void;
  /** A person was erased in the practice, with what the service answered: no column holds these words from the end of the erasure on. */
  erased(entry: { readonly practice: Practice; readonly words: readonly string[] }): void;
  /**
   * The practice is about to get the file of an earlier time again, or none: its closings have ended, and promises whose text begins
   * with its id are off. None are believed until it `isOver`: answers of before may be under way. `since`: what was answered from then on
   * may be gone; null: nothing is.
   */
  undone(entry: {
    readonly practice: Pick<Practice, 'id'>;
    readonly isOver: boolean;
    readonly since?: number | null;
  }): void;
  /** Anything else that was answered and is looked for later: `holds` throws where it is not so. Called at each quiet time and at the end. */
  promised(what: string, holds: (scene: Scene) => void | Promise<void>): void;
}
