// Loaded by `NODE_OPTIONS=--import`: each fdatasync takes 2 ms longer, as on a plain SSD. As many wait at a time as libuv's
// pool has threads, because a slow sync would hold its thread.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { env } from 'node:process';
import { isMainThread } from 'node:worker_threads';

const ADDED_MS = 2;
/** Where UV_THREADPOOL_SIZE is not set. */
const USUAL_THREADS = 4;

if (isMainThread) {
  const { fdatasync } = fs;
  const waiting: (() => void)[] = [];
  let busy = 0;
  const slow = (descriptor: number, callback: fs.NoParamCallback): void => {
    const begin = () =>
      setTimeout(() => {
        fdatasync(descriptor, (error) => {
          busy -= 1;
          waiting.shift()?.();
          callback(error);
        });
      }, ADDED_MS);
    const enter = () => {
      busy += 1;
      begin();
    };
    if (busy < Number(env.UV_THREADPOOL_SIZE ?? USUAL_THREADS)) enter();
    else waiting.push(enter);
  };
  fs.fdatasync = Object.assign(slow, { __promisify__: fdatasync.__promisify__ });
  syncBuiltinESMExports();
}
