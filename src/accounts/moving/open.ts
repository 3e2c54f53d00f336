// The part of a daemon in moves of tenants: as the old host of those that leave, and the new one of those that arrive.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTenant } from '#src/accounts/tenants/create.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import { AppError } from '#src/kernel/errors.ts';
import { TenantMoved } from '#src/kernel/moved.ts';
import { say } from '#src/kernel/say.ts';
import type { Arrive, ArriveDeps } from './arrive.ts';
import { keepAside, removeKept } from './keep-aside.ts';
import type { Leave, LeaveDeps } from './leave.ts';
import { LEAVING, lockName, MOVING } from './leaving-file.ts';
import { moveRoutes } from './routes.ts';

type MoveDeps = Omit<ArriveDeps & LeaveDeps, keyof Base | 'dataDirectory' | 'mailHost' | 'notBegun'>;

const SMTP_PORT = 25;
const LOOPBACK = /^(?:127\.|::1$|localhost$)/;

const notBegun = (): AppError =>
  new AppError('unavailable', say`The practice is arriving from another host.`, {
    extra: { retry_after: 2 },
  });

export const openMove = (base: Base, deps: MoveDeps) => {
  const { storage, clock, log, tenantKeys, config } = base;
  const { service, smtp, data_dir: dataDirectory } = config();
  /** Mail of the world comes to port 25 of the service host, whatever listens behind it. */
  const mailHost = () => {
    const listen = smtp.inbound?.listen;
    const mail = listen && LOOPBACK.test(listen.host) ? listen : { host: service.host, port: SMTP_PORT };
    return { host: service.host, mail };
  };
  const all = { storage, clock, tenantKeys, key: base.key, ...deps, dataDirectory, mailHost, notBegun };
  // A move is seldom: what it takes is read by the first one.
  let leaving: Promise<Leave> | undefined;
  const leave = (): Promise<Leave> => {
    leaving ??= import('./leave.ts').then(({ createLeave }) => createLeave(all));
    return leaving;
  };
  let arriving: Promise<Arrive> | undefined;
  const arrive = (): Promise<Arrive> => {
    arriving ??= import('./arrive.ts').then(({ createArrive }) => createArrive(all));
    return arriving;
  };

  /** What came for it is handed on no longer, and its former file is removed. */
  const forget = async (signal: AbortSignal): Promise<void> => {
    const now = clock.now();
    for (const { id, slug, until } of await storage.platform.read((db) => registryStore(db).moved())) {
      if (until > now || signal.aborted) continue;
      if ((await arrive()).comesBack(id, 'moved')) continue;
      await removeTenant(storage, id);
      await removeKept(dataDirectory, id);
      await rm(join(dataDirectory, MOVING, lockName(id)), { force: true });
      tenantKeys.forget(id);
      storage.tenants.release(id);
      log.info({ tenant: id, slug }, 'a practice that has moved is answered for here no longer');
    }
  };

  return {
    routes: moveRoutes(base, leave, arrive),
    arrive,
    nightlyRegistry: forget,
    sealClosedAgain: async (signal: AbortSignal) => (await arrive()).sealClosedAgain(signal),
    /** Called before anything else uses the files. */
    start: async () => {
      await rm(join(dataDirectory, LEAVING), { recursive: true, force: true });
      const [moved, waiting] = await storage.platform.read((db) => [
        registryStore(db).moved(),
        registryStore(db).arriving(),
      ]);
      for (const { id, newHost } of moved) {
        await storage.tenants.withhold(id, new TenantMoved(newHost));
        await keepAside(dataDirectory, id);
      }
      for (const { id } of waiting) await storage.tenants.withhold(id, notBegun());
    },
    stop: async () => (await leaving)?.stop(),
  } satisfies Room & Record<string, unknown>;
};
