// What a process holds while it runs: it grows with the practices that it has and with what is being done for them, never with time.
import { present } from './memory.ts';
import { broken, type Truth } from './truth.ts';

/** Of a file: the event loop's, the maintenance's, a reader's. */
const CONNECTIONS_A_FILE = 3;
const SOCKETS = 100;
/** Timers and completions that wait. */
const TASKS = 300;

export const holdingsAreBounded: Truth = {
  name: 'a process holds no more files, sockets and timers than its practices need',
  check: (scene, _book, memory) => {
    const files = 1 + present(memory).length;
    for (const service of [scene.service, scene.other]) {
      if (!service.isUp()) continue;
      const { databases, sockets, tasks } = service.holdings();
      if (databases > CONNECTIONS_A_FILE * files || sockets > SOCKETS || tasks > TASKS)
        broken(`${databases} connections to ${files} files, ${sockets} sockets and ${tasks} tasks that wait`);
    }
  },
};
