import { generateKeyPairSync, hash, type KeyObject, randomBytes, verify } from 'node:crypto';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import { finishBody as finishHere, layOut } from '#src/messages/compose/body.ts';
import type { ComposedMessage } from '#src/messages/compose/message.ts';
import { createSignThreads, type SignThreadOptions } from '#src/messages/compose/sign-thread.ts';
import { DEADLY, KEYS_IT_BEARS } from '#test/support/mortal-sign-worker.ts';

const mortal = { workerFile: new URL('../../support/mortal-sign-worker.ts', import.meta.url) };

const createKey = (algorithm: DkimSigner['algorithm']): { signer: DkimSigner; publicKey: KeyObject } => {
  const { privateKey, publicKey } =
    algorithm === 'rsa-sha256'
      ? generateKeyPairSync('rsa', { modulusLength: 1_024 })
      : generateKeyPairSync('ed25519');
  return { signer: { algorithm, domain: 'a.example', selector: 's', privateKey }, publicKey };
};
const rsa = createKey('rsa-sha256');
const ed25519 = createKey('ed25519-sha256');

/** Its own threads, which end with the test, and what it has logged. */
const openThreads = (options: SignThreadOptions = {}) => {
  const logged: string[] = [];
  const threads = createSignThreads(
    { error: (_: unknown, said?: string) => logged.push(said ?? '') },
    options,
  );
  onTestFinished(() => threads.stop());
  return { ...threads, logged };
};

const isGenuine = (text: string, signature: string, { signer, publicKey }: typeof rsa): boolean =>
  signer.algorithm === 'rsa-sha256'
    ? verify('sha256', Buffer.from(text), publicKey, Buffer.from(signature, 'base64'))
    : verify(null, hash('sha256', text, 'buffer'), publicKey, Buffer.from(signature, 'base64'));

describe('signatures', () => {
  test('of two keys and hundreds of texts at once each belong to their text and key', async () => {
    const { sign } = openThreads({ threads: 2 });
    const jobs = Array.from({ length: 300 }, (_, index) => ({
      text: `text ${index}`,
      key: index % 3 === 0 ? rsa : ed25519,
    }));
    const signatures = await Promise.all(jobs.map(({ text, key }) => sign(text, key.signer)));
    expect(jobs.map(({ text, key }, index) => isGenuine(text, signatures[index] ?? '', key))).toEqual(
      jobs.map(() => true),
    );
  });

  test('come in the order in which they were asked for', async () => {
    const { sign } = openThreads({ threads: 1 });
    const came: number[] = [];
    await Promise.all(
      [rsa, ed25519, ed25519, rsa].map(({ signer }, index) =>
        sign('text', signer).then(() => came.push(index)),
      ),
    );
    expect(came).toEqual([0, 1, 2, 3]);
  });

  test('by a key that does not fit its algorithm fail alone', async () => {
    const { sign } = openThreads();
    const wrong = sign('text', { ...rsa.signer, privateKey: ed25519.signer.privateKey });
    const right = sign('text', rsa.signer);
    await expect(wrong).rejects.toThrow();
    expect(isGenuine('text', await right, rsa)).toBe(true);
  });

  test('of more keys than a thread may remember are made by one after the other', async () => {
    const { sign, logged } = openThreads({ ...mortal, threads: 1, maxKeys: KEYS_IT_BEARS });
    for (let round = 0; round < 2; round++) {
      for (let number = 0; number <= KEYS_IT_BEARS; number++) {
        const key = createKey('ed25519-sha256');
        expect(isGenuine('text', await sign('text', key.signer), key)).toBe(true);
      }
    }
    expect(logged).toEqual([]);
  });
});

describe('a thread that dies', () => {
  test('fails what it had not signed, and the next signature is made by another', async () => {
    const { sign, logged } = openThreads({ ...mortal, threads: 1 });
    await sign('before', rsa.signer);
    const lost = await Promise.allSettled([sign(DEADLY, rsa.signer), sign('behind it', rsa.signer)]);
    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(isGenuine('after', await sign('after', rsa.signer), rsa)).toBe(true);
    expect(logged).toEqual(['a signing thread has ended']);
  });

  test('leaves the others alone', async () => {
    const { sign } = openThreads({ ...mortal, threads: 2 });
    const [lost, made] = await Promise.allSettled([sign(DEADLY, rsa.signer), sign('text', rsa.signer)]);
    expect([lost?.status, made?.status]).toEqual(['rejected', 'fulfilled']);
  });

  test('before its first signature is not replaced for a second', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { sign, logged } = openThreads({ ...mortal, threads: 1 });
    await expect(sign(DEADLY, rsa.signer)).rejects.toThrow('ended');
    await expect(sign('text', rsa.signer)).rejects.toThrow('soon');
    vi.advanceTimersByTime(1_000);
    expect(isGenuine('text', await sign('text', rsa.signer), rsa)).toBe(true);
    expect(logged).toHaveLength(1);
  });
});

test('nothing is signed after a stop, and what was open fails', async () => {
  const { sign, stop, logged } = openThreads();
  await sign('text', rsa.signer);
  const open = sign('text', rsa.signer);
  await Promise.all([expect(open).rejects.toThrow('ended'), stop()]);
  await expect(sign('text', rsa.signer)).rejects.toThrow('any more');
  expect(logged).toEqual([]);
});

describe('a large body', () => {
  const file = randomBytes(200_001);
  /** Its text is not relaxed, and a line of it begins with a dot. */
  const composed = (): ComposedMessage => ({
    header: '',
    body: ['a  b \r\n.c\r\n', { file }, '\r\nend\r\n\r\n'],
    isRelaxed: false,
  });

  test('is finished as it would be here, between the signatures of others', async () => {
    const { sign, finishBody } = openThreads({ threads: 1 });
    const here = layOut(composed(), 100);
    const hash = finishHere(here);
    const came: string[] = [];
    const [, finished] = await Promise.all([
      sign('before', rsa.signer).then(() => came.push('before')),
      finishBody(layOut(composed(), 100)).finally(() => came.push('body')),
      sign('behind', rsa.signer).then(() => came.push('behind')),
    ]);
    expect(came).toEqual(['before', 'body', 'behind']);
    expect(finished.hash).toBe(hash);
    expect(finished.octets.subarray(100).equals(here.octets.subarray(100))).toBe(true);
  });

  test('that cannot be signed fails alone', async () => {
    const { sign, finishBody } = openThreads({ threads: 1 });
    const body = { ...composed(), body: ['ü\r\n', { file }] };
    const [wrong, right] = await Promise.allSettled([finishBody(layOut(body, 0)), sign('text', rsa.signer)]);
    expect([wrong.status, right.status]).toEqual(['rejected', 'fulfilled']);
  });

  test('fails with its thread, and the next one is finished by another', async () => {
    const { sign, finishBody } = openThreads({ ...mortal, threads: 1 });
    await sign('before', rsa.signer);
    const lost = await Promise.allSettled([sign(DEADLY, rsa.signer), finishBody(layOut(composed(), 0))]);
    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const { hash } = await finishBody(layOut(composed(), 0));
    expect(hash).toBe(finishHere(layOut(composed(), 0)));
  });
});
