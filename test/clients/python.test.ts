// The client for Python as its users have it: packed as a wheel by Debian's setuptools, unpacked into an empty directory, and used from
// there at a real service, over connections that fail.
// @module-tag debian/python3 debian/python3-setuptools debian/python3-wheel
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { createHook, outboundTo, requestTo } from '#test/support/hooks.ts';
import { type HttpsReceiver, startHttpsReceiver } from '#test/support/https-receiver.ts';
import { freePort, until } from '#test/support/process.ts';
import { type Fault, type Front, startFront } from './front.ts';
import { type Installed, installPython, runPython, samplesOf } from './packed.ts';

const files = new AsyncDisposableStack();
let app: TestApp;
let sender: Sender;
let front: Front;
let hooks: HttpsReceiver;
let installed: Installed;

beforeAll(async () => {
  hooks = await startHttpsReceiver({ plain: true });
  files.defer(() => hooks.stop());
  app = await startApp({ config: { security: outboundTo(hooks) } });
  files.defer(() => app.remove());
  sender = await app.createSender({ plan: 'gruppe' });
  front = files.use(await startFront(app.origin));
  installed = files.use(await installPython());
});

afterAll(() => files.disposeAsync());

const HEAD = `
import json, os
from sendwerk import Sendwerk, SendwerkError, WebhookError, verify_webhook

def open_client(**more):
    given = {"url": os.environ["ORIGIN"], "token": os.environ["SENDWERK_TOKEN"], "practice": os.environ["SENDWERK_PRACTICE"]}
    return Sendwerk(**{**given, **more})

def letter(subject):
    return {"to": "erika@example.org", "subject": subject, "text": "Am Montag um 9:30 Uhr."}

def failure(work):
    try:
        work()
    except (SendwerkError, WebhookError, TypeError, ValueError) as error:
        return error
    raise AssertionError("nothing was raised")

client = open_client()
`;

/** What the program gives as \`answer\`, while the requests that come first meet the faults. */
const answerOf = async <T>(
  code: string,
  faults: readonly Fault[] = [],
  more: Record<string, string> = {},
): Promise<T> => {
  front.faults.push(...faults);
  const program = `${HEAD}${code}\nprint(json.dumps(answer))`;
  return JSON.parse(await runPython(installed, program, sender, { ORIGIN: front.origin, ...more }));
};

test('a send whose answer was lost is repeated under its key, and there is one message', async () => {
  const place = front.seen.length;
  const code = `
sent = client.send_message(body=letter("verloren"))
found = client.search_messages(q="verloren")["data"]
answer = [sent["status"], client.get_message(message_id=sent["id"])["subject"], len(found)]`;
  expect(await answerOf(code, ['cut', 503, 429])).toEqual(['queued', 'verloren', 1]);
  const keys = front.seen.slice(place, place + 4).map(({ headers }) => headers['idempotency-key']);
  expect([keys.length, new Set(keys).size]).toEqual([4, 1]);
  expect(keys[0]).toMatch(/^[\w-]{36}$/);
  expect(front.seen[place]?.headers['user-agent']).toMatch(/^sendwerk-python\/\d/);
});

test('what would be done twice is done once, and retries and waiting end', async () => {
  const code = `
off = failure(lambda: open_client(retries=0).send_message(body=letter("einmal")))
twice = failure(lambda: client.create_list(body={"name": "Patienten"}))
counted = failure(lambda: open_client(retries=1).get_practice())
long = failure(lambda: open_client(retry_time=0).get_practice())
late = failure(lambda: open_client(retries=0).get_practice(timeout=0.1))
names = [row["name"] for row in client.list_lists()["data"]]
answer = [[e.code, e.status] for e in (off, twice, counted, long, late)] + [names]`;
  expect(await answerOf(code, ['cut', 'cut', 500, 502, 503, 'silence'])).toEqual([
    ['network_error', 0],
    ['network_error', 0],
    ['http_error', 502],
    ['http_error', 503],
    ['timeout', 0],
    ['Patienten'],
  ]);
});

test('a refusal has its code, hint, fields and request id, and never the token', async () => {
  const code = `
import traceback
error = failure(lambda: client.send_message(body={**letter("x"), "html": 1}))
trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
hidden = client._Sendwerk__token not in "".join([repr(client), repr(error), str(error), trace])
others = [failure(lambda: open_client(token="a\\n")), failure(lambda: open_client(url="http://mail.example.com")),
  failure(lambda: client.get_message(message_id="x", nix=1))]
answer = [error.status, error.code, bool(error.hint), [f["path"] for f in error.fields], bool(error.request_id), hidden, [str(e) for e in others]]`;
  expect(await answerOf(code)).toEqual([
    400,
    'invalid_request',
    true,
    ['body.html'],
    true,
    true,
    [
      'token: it has characters that no token has, such as a space or a line break',
      'url: http:// is for this computer alone (localhost); use https://',
      'get_message: nix is no parameter of it',
    ],
  ]);
});

test('pages follow the cursor, files go in and out, and live events are told', async () => {
  const code = `
import io
place = client.list_events()["last_event_id"]
for name in ("Seite a", "Seite b", "Seite c"):
    sent = client.send_message(body=letter(name))
subjects = sorted(row["subject"] for row in client.each("search_messages", q="Seite", limit=1))
csv = b"".join(client.stream("export_messages", q="Seite")).decode()
people = client.create_list(body={"name": "Import"})["id"]
client.import_subscribers(list_id=people, body="email\\notto@example.org\\n")
client.import_subscribers(list_id=people, body=io.BytesIO(b"email\\nida@example.org\\n"))
told = set()
for event in client.events(last_event_id=place):
    told.add(event.data["data"].get("message_id"))
    if sent["id"] in told:
        break
answer = [subjects, "Seite b" in csv, len(told) >= 3, people]`;
  const [subjects, hasRow, isTold, id] = await answerOf<[string[], boolean, boolean, string]>(code);
  expect([subjects, hasRow, isTold]).toEqual([['Seite a', 'Seite b', 'Seite c'], true, true]);
  await until('all are imported', async () => {
    const path = `${sender.base}/lists/${id}/subscribers`;
    const { body } = await app.request<{ data: unknown[] }>('GET', path, undefined, sender.token);
    return body.data.length === 2;
  });
});

test('a delivery of the service is verified, also after a change of the secret', async () => {
  const hook = await createHook(app, sender, hooks.url('/python'), ['message.delivered']);
  const told = async (place: number) => {
    await app.request('POST', `${hook.base}/test`, undefined, sender.token);
    const { headers, body } = await requestTo(hooks, hook, place);
    return { headers, body: body.toString() };
  };
  const first = await told(0);
  const rotated = await app.request<{ secret: string }>('POST', `${hook.base}/rotate`, {}, sender.token);
  const second = await told(1);
  const given = { first, second, secrets: [hook.secret, rotated.body.secret] };
  const code = `
given = json.loads(os.environ["GIVEN"])
old, new = given["secrets"]
first, second = given["first"], given["second"]
wrong = "whsec_" + "A" * 44
taken = [verify_webhook(secret=old, **first)["event"]]
taken += [verify_webhook(secret=one, **second)["event"] for one in (old, new, ["whsec_AAAA", new])]
refused = [
  failure(lambda: verify_webhook(secret=wrong, **first)),
  failure(lambda: verify_webhook(secret=old, headers=first["headers"], body=first["body"] + " ")),
  failure(lambda: verify_webhook(secret=old, tolerance=-1, **first)),
  failure(lambda: verify_webhook(secret=old, headers={**first["headers"], "webhook-signature": "v1,\\u00fc"}, body=first["body"])),
  failure(lambda: verify_webhook(secret=[], **first)),
]
answer = [taken, [type(e).__name__ for e in refused]]`;
  expect(await answerOf(code, [], { GIVEN: JSON.stringify(given) })).toEqual([
    Array(4).fill('webhook.test'),
    Array(5).fill('WebhookError'),
  ]);
});

test('every sample of its page runs as it is printed, in the syntax of Python 3.9', async () => {
  const samples = await samplesOf('python', 'python', app);
  expect(samples.length).toBeGreaterThan(5);
  const program = `
import ast, glob, json, os, threading, urllib.error, urllib.request
from http.server import HTTPServer
for name in glob.glob("site/sendwerk/*.py"):
    ast.parse(open(name).read(), feature_version=(3, 9))
names = {}
for code in json.loads(os.environ["SAMPLES"]):
    names = {}
    exec(code, names)
server = HTTPServer(("127.0.0.1", int(os.environ["PORT"])), names["Handler"])
threading.Thread(target=server.handle_request).start()
try:
    urllib.request.urlopen("http://127.0.0.1:" + os.environ["PORT"], data=b"{}")
except urllib.error.HTTPError as error:
    print(error.code)
`;
  const more = {
    SAMPLES: JSON.stringify(samples),
    PORT: String(await freePort()),
    SENDWERK_WEBHOOK_SECRET: 'whsec_AAAA',
  };
  const printed = await runPython(installed, program, sender, more);
  expect(printed).toMatch(/422 invalid_recipient/);
  expect(printed).toMatch(/^True$/m);
  expect(printed).toMatch(/message\.\w+ \{/);
  expect(printed).toMatch(/401\n$/);
});
