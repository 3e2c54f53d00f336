// The thread that makes the private-key operation of DKIM signatures, and finishes large bodies. It is given each key once, and answers
// its jobs as they are done and in their order, so that a signature waits only for those before it.
import { hash, type KeyObject, sign } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import { type BodyPlan, finishBody } from './body.ts';

/** Mostly plain strings and numbers, because copying objects to another thread is what costs most about a message to it. */
export interface SignRequest {
  /** Their ids are 0, 1, 2 and so on, in the order in which the thread has been given them. */
  readonly newKeys: readonly Pick<DkimSigner, 'algorithm' | 'privateKey'>[];
  /** What is to be signed: octets, one character each. */
  readonly texts: readonly string[];
  /** The id of the key for the text at the same index. */
  readonly keyIds: readonly number[];
}

/** A body to finish, whose memory goes with it. */
export interface BodyRequest {
  readonly plan: BodyPlan;
  readonly memory: ArrayBuffer;
  /** What is used of the memory. */
  readonly bytes: number;
}

/** The memory of a finished body, which comes back with it, and the hash of the body. */
export interface FinishedMemory {
  readonly memory: ArrayBuffer;
  readonly hash: string;
}

/** The signature in base64, or why there is none. The thread answers with lists of them, in the order of the requests. */
export type SignAnswer = string | Error;
/** A list of one. */
export type BodyAnswer = FinishedMemory | Error;

const keys: (readonly [algorithm: DkimSigner['algorithm'], privateKey: KeyObject])[] = [];

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const answer = (text: string, keyId: number): SignAnswer => {
  try {
    const [algorithm, privateKey] = keys[keyId] ?? [];
    if (privateKey === undefined) throw new Error('the signing thread does not have that key');
    const octets = Buffer.from(text, 'latin1');
    const signature =
      algorithm === 'ed25519-sha256'
        ? // RFC 8463 §3: Ed25519 signs the SHA-256 hash of the data.
          sign(null, hash('sha256', octets, 'buffer'), privateKey)
        : sign('sha256', octets, privateKey);
    return signature.toString('base64');
  } catch (error) {
    return asError(error);
  }
};

const signAll = ({ newKeys, texts, keyIds }: SignRequest): void => {
  for (const { algorithm, privateKey } of newKeys) keys.push([algorithm, privateKey]);
  let answers: SignAnswer[] = [];
  for (const [index, keyId] of keyIds.entries()) {
    answers.push(answer(texts[index] ?? '', keyId));
    // Ed25519 takes a tenth of RSA, and no longer than a message to another thread: it goes with what is before it.
    const next = keyIds[index + 1];
    if (next !== undefined && keys[next]?.[0] === 'ed25519-sha256') continue;
    parentPort?.postMessage(answers);
    answers = [];
  }
};

const finish = ({ plan, memory, bytes }: BodyRequest): void => {
  try {
    const hash = finishBody({ ...plan, octets: Buffer.from(memory, 0, bytes) });
    parentPort?.postMessage([{ memory, hash } satisfies BodyAnswer], [memory]);
  } catch (error) {
    parentPort?.postMessage([asError(error) satisfies BodyAnswer]);
  }
};

parentPort?.on('message', (request: SignRequest | BodyRequest) => {
  if ('memory' in request) finish(request);
  else signAll(request);
});
