// What accepting is compared with, a process of its own: node:http, the JSON parsed, one row in a SQLite file, and 202 when the
// row is synced. Rows that come during a commit or its sync share the next. No credential, no schema, no rules, no events.
// Prints its port. Arguments: the file.
import { fdatasync, openSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { argv } from 'node:process';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';

const [, , file = ''] = argv;
const db = new Database(file);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = NORMAL');
db.pragma('wal_autocheckpoint = 0');
db.exec('CREATE TABLE messages (id INTEGER PRIMARY KEY, recipient TEXT, subject TEXT, body TEXT) STRICT');
const insert = db.prepare('INSERT INTO messages (recipient, subject, body) VALUES (?, ?, ?)');
const wal = openSync(`${file}-wal`, 'r+');
const sync = promisify(fdatasync);

interface Waiting {
  readonly message: { readonly to: string; readonly subject: string; readonly text: string };
  readonly answer: () => void;
}
let waiting: Waiting[] = [];
let isCommitting = false;

const store = db.transaction((batch: readonly Waiting[]) => {
  for (const { message } of batch) insert.run(message.to, message.subject, message.text);
});

const commit = async (): Promise<void> => {
  if (isCommitting) return;
  isCommitting = true;
  await new Promise((resolve) => setImmediate(resolve));
  while (waiting.length > 0) {
    const batch = waiting;
    waiting = [];
    store(batch);
    await sync(wal);
    for (const { answer } of batch) answer();
  }
  isCommitting = false;
};

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const answer = () => {
      const body = '{"status":"queued"}';
      response.writeHead(202, { 'Content-Type': 'application/json', 'Content-Length': body.length });
      response.end(body);
    };
    waiting.push({ message: JSON.parse(Buffer.concat(chunks).toString()), answer });
    void commit();
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
