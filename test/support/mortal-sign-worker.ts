// The signing thread with a fault to order: it dies as if by a defect when it is given the words below or too many keys.
import { parentPort } from 'node:worker_threads';
import type { BodyRequest, SignRequest } from '#src/messages/compose/sign-worker.ts';

export const DEADLY = 'kill the signing thread';
/** One more and it dies. */
export const KEYS_IT_BEARS = 3;

let keys = 0;
const die = (request: SignRequest | BodyRequest): void => {
  if ('memory' in request) return;
  const { newKeys, texts } = request;
  keys += newKeys.length;
  if (keys > KEYS_IT_BEARS) throw new Error('too many keys');
  if (texts.some((text) => text.includes(DEADLY))) throw new Error('killed by the test');
};

if (parentPort) {
  const on = parentPort.on.bind(parentPort);
  const onRequest = (_: 'message', listener: (request: SignRequest | BodyRequest) => void) =>
    on('message', (request: SignRequest | BodyRequest) => {
      die(request);
      listener(request);
    });
  Object.assign(parentPort, { on: onRequest });
  await import('#src/messages/compose/sign-worker.ts');
}
