// Reports the daemon's state to a service manager (sd_notify(3)): started, reloading, stopping, alive. The protocol is one
// datagram to the unix socket named in NOTIFY_SOCKET; Node.js has no unix datagram sockets, so `systemd-notify` sends
// it, which is why the unit needs NotifyAccess=all. Without NOTIFY_SOCKET nothing happens.
import { spawn } from 'node:child_process';
import type { Log } from './log.ts';

export interface Notifier {
  /** Each resolves when the message has been sent or given up; none rejects. Messages are sent in the order of the calls. */
  ready(): Promise<void>;
  /** `ready()` follows it. */
  reloading(): Promise<void>;
  stopping(): Promise<void>;
  /** Reports life at half of WATCHDOG_USEC, as sd_watchdog_enabled(3) recommends, for as long as the event loop turns. */
  startWatchdog(): void;
  /** Ends the watchdog and waits for messages that are being sent. */
  stop(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** systemd-notify waits up to 5 s for the manager to take the message; beyond this it hangs. */
const SEND_TIMEOUT_MS = 10_000;
const MICROSECONDS_PER_MILLISECOND = 1_000;

const silent: Notifier = {
  ready: async () => {},
  reloading: async () => {},
  stopping: async () => {},
  startWatchdog: () => {},
  stop: async () => {},
};

const send = (assignment: string, socket: string, path: string | undefined): Promise<string | null> =>
  new Promise((resolve) => {
    const child = spawn('systemd-notify', [assignment], {
      env: { NOTIFY_SOCKET: socket, PATH: path },
      stdio: 'ignore',
      timeout: SEND_TIMEOUT_MS,
    });
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) =>
      resolve(code === 0 ? null : `systemd-notify ended with ${signal ?? code}`),
    );
  });

/** Interval of the signs of life in milliseconds; null where none are wanted. */
const watchdogInterval = (environment: Environment): number | null => {
  const microseconds = Number(environment.WATCHDOG_USEC);
  if (!(microseconds > 0)) return null;
  return Math.max(1, Math.floor(microseconds / 2 / MICROSECONDS_PER_MILLISECOND));
};

export const createNotifier = (environment: Environment, log: Log): Notifier => {
  const socket = environment.NOTIFY_SOCKET;
  if (!socket) return silent;

  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  const notify = (assignment: string): Promise<void> => {
    waiting += 1;
    last = last.then(async () => {
      const failure = await send(assignment, socket, environment.PATH);
      waiting -= 1;
      if (failure !== null) log.warn({ assignment, failure }, 'the service manager could not be notified');
    });
    return last;
  };

  return {
    ready: () => notify('READY=1'),
    reloading: () => notify('RELOADING=1'),
    stopping: () => notify('STOPPING=1'),
    startWatchdog: () => {
      const interval = watchdogInterval(environment);
      if (interval === null || timer) return;
      timer = setInterval(() => {
        // A sign of life that waits behind another one adds nothing.
        if (waiting > 0) return;
        void notify('WATCHDOG=1');
      }, interval);
    },
    stop: () => {
      clearInterval(timer);
      timer = undefined;
      return last;
    },
  };
};
