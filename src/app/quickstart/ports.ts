// The ports of a playground: always the same ones where they are free, so that what was copied yesterday works today.
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

export const HOST = '127.0.0.1';

export const usualPorts = { http: 8080, submission: 1587, inbound: 2525, dns: 1053 } as const;
export type PortName = keyof typeof usualPorts;
export type Ports = Readonly<Record<PortName, number>>;

/** Any ports that are free: for a run that no one comes back to, and that must not meet another one. */
export const anyPorts: Ports = { http: 0, submission: 0, inbound: 0, dns: 0 };

/** Whether the next free port is not further away than this. */
const TRIED = 100;

/** The port, or null where it is taken; for 0 any that is free. */
const tryTcp = (port: number): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(port, HOST, () => {
      const bound = server.address();
      server.close(() => resolve(typeof bound === 'object' && bound ? bound.port : null));
    });
  });

const tryUdp = (port: number): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    socket.bind(port, HOST, () => socket.close(() => resolve(port)));
  });

const nextFree = async (name: PortName, wanted: number, chosen: ReadonlySet<number>): Promise<number> => {
  for (let tried = 0; tried < TRIED; tried += 1) {
    const port = await tryTcp(wanted === 0 ? 0 : wanted + tried);
    if (port === null || chosen.has(port)) continue;
    if (name !== 'dns' || (await tryUdp(port)) !== null) return port;
  }
  throw new Error(`no port from ${wanted} to ${wanted + TRIED - 1} is free on ${HOST}`);
};

/** Resolves with ports that are free now; `moved` are those that are not the wanted ones. */
export const choosePorts = async (wanted: Ports) => {
  const chosen = new Map<PortName, number>();
  for (const name of Object.keys(usualPorts) as PortName[])
    chosen.set(name, await nextFree(name, wanted[name], new Set(chosen.values())));
  const moved = [...chosen].flatMap(([name, port]) =>
    wanted[name] === 0 || wanted[name] === port ? [] : [{ name, wanted: wanted[name], port }],
  );
  return { ports: Object.fromEntries(chosen) as unknown as Ports, moved };
};
