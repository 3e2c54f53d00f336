// Signs, and finishes large bodies, on threads that do nothing else (sign-worker.ts). In libuv's pool signatures would hold up the syncs that answers wait
// for: by 4 to 5 ms each. A thread starts when there is something to sign and all others are busy. If one ends unasked, its open
// signatures fail, so that their messages are deferred, and the next signature starts another.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { lend } from '#src/kernel/large-octets.ts';
import type { Log } from '#src/kernel/log.ts';
import { SECOND } from '#src/kernel/time.ts';
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import type { LaidOutBody } from './body.ts';
import type { Sign } from './dkim.ts';
import type { BodyAnswer, BodyRequest, FinishedMemory, SignAnswer, SignRequest } from './sign-worker.ts';

/** The event loop takes about as long for a message as one RSA signature does. */
const THREADS = Math.max(1, Math.floor(availableParallelism() / 2));
/**
 * After so many keys another thread takes the place of one, which bounds what it remembers: telling it to drop a key would free
 * nothing for hours, because its heap is small and it does not see the 6 KiB that a key takes outside of it. The
 * cache of signers holds half as many.
 */
const MAX_KEYS = 8_000;
/** The thread holds keys and a few strings: without a limit its heap would grow before it is tidied. */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 };
/** After a thread that ended before its first answer, none is started sooner. */
const RESTART_WAIT_MS = SECOND;

/** Takes the memory of a large body. Resolves with the octets, whose files are encoded then, and the hash of the body. Rejects if
 * its texts are not 7-bit with CRLF, and if the thread ends before it is done. */
export type FinishBody = (
  body: LaidOutBody,
) => Promise<{ readonly octets: Buffer<ArrayBuffer>; readonly hash: string }>;

export interface SignThreads {
  /** Rejects if the key does not fit, and if the thread ends before it has signed. */
  readonly sign: Sign;
  readonly finishBody: FinishBody;
  stop(): Promise<void>;
}

export interface SignThreadOptions {
  readonly threads?: number;
  readonly maxKeys?: number;
  /** Replaces sign-worker.ts. */
  readonly workerFile?: URL;
}

interface Thread {
  readonly sign: Sign;
  readonly finishBody: FinishBody;
  /** How many signatures are not answered yet. */
  open(): number;
  /** How many keys it has been given. */
  keys(): number;
  stop(): Promise<unknown>;
}

/** One of the promises in the order of the requests, which is that of the answers. */
interface Waiter {
  resolve(answer: string | FinishedMemory): void;
  reject(error: Error): void;
}

const emptyRequest = (): { [Part in keyof SignRequest]: SignRequest[Part][number][] } => ({
  newKeys: [],
  texts: [],
  keyIds: [],
});

const startThread = (workerFile: URL, onEnd: (error: Error, hasAnswered: boolean) => void): Thread => {
  const worker = new Worker(workerFile, { resourceLimits: HEAP_LIMITS });
  const waiting: Waiter[] = [];
  const keyIds = new WeakMap<DkimSigner, number>();
  let request = emptyRequest();
  let keys = 0;
  let hasAnswered = false;
  let cause: unknown;

  const wait = <Answer extends string | FinishedMemory>(): Promise<Answer> =>
    new Promise((resolve, reject) =>
      waiting.push({ resolve: (answer) => resolve(answer as Answer), reject }),
    );
  const post = (): void => {
    if (request.texts.length === 0) return;
    worker.postMessage(request satisfies SignRequest);
    request = emptyRequest();
  };
  worker.on('message', (answers: readonly (SignAnswer | BodyAnswer)[]) => {
    hasAnswered = true;
    for (const answer of answers) {
      const waiter = waiting.shift();
      if (answer instanceof Error) waiter?.reject(answer);
      else waiter?.resolve(answer);
    }
  });
  worker.on('error', (error) => {
    cause = error;
  });
  worker.on('exit', (code) => {
    const error = new Error(`the signing thread has ended with code ${code}`, { cause });
    onEnd(error, hasAnswered);
    for (const { reject } of waiting) reject(error);
  });

  return {
    sign: (text, signer) => {
      // What is to be signed in one turn of the event loop goes in one message.
      if (request.texts.length === 0) queueMicrotask(post);
      let keyId = keyIds.get(signer);
      if (keyId === undefined) {
        keyId = keys++;
        keyIds.set(signer, keyId);
        request.newKeys.push({ algorithm: signer.algorithm, privateKey: signer.privateKey });
      }
      request.texts.push(text);
      request.keyIds.push(keyId);
      return wait<string>();
    },
    finishBody: async ({ octets, ...plan }) => {
      // The answers come in the order in which they are waited for.
      post();
      const { buffer: memory, length: bytes } = octets;
      worker.postMessage({ plan, memory, bytes } satisfies BodyRequest, [memory]);
      const finished = await wait<FinishedMemory>();
      return { octets: lend(finished.memory, bytes), hash: finished.hash };
    },
    open: () => waiting.length,
    keys: () => keys,
    stop: () => worker.terminate(),
  };
};

export const createSignThreads = (
  log: Pick<Log, 'error'>,
  {
    threads = THREADS,
    maxKeys = MAX_KEYS,
    workerFile = new URL('./sign-worker.ts', import.meta.url),
  }: SignThreadOptions = {},
): SignThreads => {
  const running = new Set<Thread>();
  let startsAt = 0;
  let isStopped = false;

  const isFull = (thread: Thread): boolean => thread.keys() >= maxKeys;

  const start = (): Thread => {
    const thread = startThread(workerFile, (error, hasAnswered) => {
      // Those that end because they are stopped are not in the set any more.
      if (!running.delete(thread)) return;
      log.error({ err: error }, 'a signing thread has ended');
      if (!hasAnswered) startsAt = performance.now() + RESTART_WAIT_MS;
    });
    running.add(thread);
    return thread;
  };

  const stop = (thread: Thread): Promise<unknown> => {
    running.delete(thread);
    return thread.stop();
  };

  const choose = (): Thread => {
    const usable = [...running].filter((thread) => !isFull(thread));
    const [first, ...others] = usable;
    const idlest =
      first && others.reduce((best, other) => (other.open() < best.open() ? other : best), first);
    if (idlest && (idlest.open() === 0 || usable.length >= threads)) return idlest;
    if (isStopped || performance.now() < startsAt) {
      if (idlest) return idlest;
      throw new Error(isStopped ? 'nothing is signed any more' : 'the signing thread starts again soon');
    }
    return start();
  };

  const withThread = async <Result>(work: (thread: Thread) => Promise<Result>): Promise<Result> => {
    const thread = choose();
    try {
      return await work(thread);
    } finally {
      if (isFull(thread) && thread.open() === 0) void stop(thread);
    }
  };

  return {
    sign: (text, signer) => withThread((thread) => thread.sign(text, signer)),
    finishBody: (body) => withThread((thread) => thread.finishBody(body)),
    stop: async () => {
      isStopped = true;
      await Promise.all([...running].map(stop));
    },
  };
};
