// The bare loop that deliveries are compared with, a process of its own: Node's client over keep-alive connections, POSTing
// one body again and again. No database, no signature, no guard. Prints one JSON line.
import http from 'node:http';
import https from 'node:https';
import process, { argv } from 'node:process';

export interface PostLoop {
  readonly urls: readonly string[];
  /** To each of them. */
  readonly requests: number;
  readonly connections: number;
  readonly body: string;
  /** PEM. */
  readonly ca: string;
}

export interface PostLoopReport {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

const post = (url: string, agent: http.Agent, { body, ca }: PostLoop): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const client = url.startsWith('https:') ? https : http;
    const request = client.request(url, { method: 'POST', agent, headers, ca }, (response) => {
      response.on('end', resolve);
      response.resume();
    });
    request.on('error', reject);
    request.end(body);
  });

export const runLoop = async (loop: PostLoop): Promise<PostLoopReport> => {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const clients = loop.urls.flatMap((url) => {
    const options = { keepAlive: true, maxSockets: loop.connections };
    const agent = url.startsWith('https:') ? new https.Agent(options) : new http.Agent(options);
    let left = loop.requests;
    return Array.from({ length: loop.connections }, async () => {
      while (left > 0) {
        left -= 1;
        await post(url, agent, loop);
      }
    });
  });
  await Promise.all(clients);
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - start) / 1_000, cpuSeconds: (user + system) / 1e6 };
};

if (import.meta.main) {
  console.log(JSON.stringify(await runLoop(JSON.parse(argv[2] ?? ''))));
  process.exit(0);
}
