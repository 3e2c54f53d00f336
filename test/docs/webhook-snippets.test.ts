// The code of docs/webhooks.md, taken out of the document and run in its language on deliveries as they are signed here:
// what a reader copies takes what is ours and nothing else.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { type SigningSecrets, signedHeaders } from '#src/followers/webhooks/sign.ts';
import { newId } from '#src/kernel/id.ts';
import { MINUTE } from '#src/kernel/time.ts';

const DOCUMENT = readFileSync(path.join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
/** Where nothing of the language is compiled yet, its library is compiled first. */
const TIMEOUT_MS = 600_000;

interface Case {
  readonly name: string;
  /** Held by the receiver. */
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether each scheme takes it. */
  readonly own: boolean;
  readonly standard: boolean;
}

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const BODY = '{"id":"x","event":"message.sent","data":{"metadata":{"Straße":"Köln 🦷"}}}';
const [current, former] = [newSecret(), newSecret()];

const signed = (
  body = BODY,
  age = 0,
  secrets: SigningSecrets = { current, former: null },
): Record<string, string> =>
  signedHeaders(
    { id: newId(), event: 'message.sent', body: Buffer.from(body), now: Date.now() - age },
    secrets,
  );

const without = (headers: Readonly<Record<string, string>>, ...names: string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));

const TIMESTAMPS = ['X-Service-Timestamp', 'webhook-timestamp'];
const SIGNATURES = ['X-Service-Signature', 'webhook-signature'];
const all = (names: readonly string[], value: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, value]));

const taken = { secret: current, body: BODY, own: true, standard: true };
const refused = { ...taken, own: false, standard: false };
const rotated = () => signed(BODY, 0, { current, former });

const casesNow = (): Case[] => [
  { ...taken, name: 'a delivery', headers: signed() },
  { ...taken, name: 'an empty body', headers: signed(''), body: '' },
  { ...taken, name: 'bytes of a line end', headers: signed('{}\r\n'), body: '{}\r\n' },
  { ...taken, name: 'one of four minutes ago', headers: signed(BODY, 4 * MINUTE) },
  { ...refused, name: 'one of six minutes ago', headers: signed(BODY, 6 * MINUTE) },
  { ...refused, name: 'one of a time to come', headers: signed(BODY, -6 * MINUTE) },
  {
    ...refused,
    name: 'an old one with the time of now',
    headers: { ...signed(BODY, 6 * MINUTE), ...all(TIMESTAMPS, String(Math.floor(Date.now() / 1000))) },
  },
  { ...refused, name: 'a changed body', headers: signed(), body: BODY.replace('Köln', 'Bonn') },
  {
    ...refused,
    name: 'a body written anew',
    headers: signed(),
    body: JSON.stringify(JSON.parse(BODY), null, 1),
  },
  { ...refused, name: 'another secret', headers: signed(), secret: newSecret() },
  { ...refused, name: 'no header at all', headers: {} },
  { ...refused, name: 'no signature', headers: without(signed(), ...SIGNATURES) },
  { ...refused, name: 'an empty signature', headers: { ...signed(), ...all(SIGNATURES, '') } },
  { ...refused, name: 'a signature of other letters', headers: { ...signed(), ...all(SIGNATURES, 'v1,ü') } },
  {
    ...refused,
    name: 'half a signature',
    headers: Object.fromEntries(
      Object.entries(signed()).map(([name, value]) => [
        name,
        SIGNATURES.includes(name) ? value.slice(0, 20) : value,
      ]),
    ),
  },
  { ...refused, name: 'no timestamp', headers: without(signed(), ...TIMESTAMPS) },
  { ...refused, name: 'a timestamp that is no number', headers: { ...signed(), ...all(TIMESTAMPS, 'now') } },
  {
    ...taken,
    name: 'no id, which one scheme alone signs',
    headers: without(signed(), 'webhook-id'),
    standard: false,
  },
  {
    ...taken,
    name: 'another id, which one scheme alone signs',
    headers: { ...signed(), 'webhook-id': newId() },
    standard: false,
  },
  { ...taken, name: 'after a rotation, with the new secret', headers: rotated() },
  { ...taken, name: 'after a rotation, with the former secret', headers: rotated(), secret: former },
  { ...refused, name: 'after a rotation, with a third secret', headers: rotated(), secret: newSecret() },
  {
    ...refused,
    name: 'after a rotation, a changed body with the former secret',
    headers: rotated(),
    secret: former,
    body: `${BODY} `,
  },
];

interface Language {
  readonly heading: string;
  readonly fence: string;
  /** Names by which its code reads header fields. */
  readonly headerName: (name: string) => string;
  /** Beside the document's code: reads cases from stdin, prints whether each is taken, by each scheme. */
  readonly files: (code: string) => Readonly<Record<string, string>>;
  readonly run: readonly [command: string, ...args: string[]];
  /** Of the Debian package with that command. */
  readonly tags?: string;
  readonly env?: (directory: string) => Readonly<Record<string, string>>;
}

const asGiven = (name: string): string => name;
const inLowerCase = (name: string): string => name.toLowerCase();

const languages: readonly Language[] = [
  {
    heading: 'Node',
    fence: 'js',
    headerName: inLowerCase,
    files: (code) => ({
      'verify.mjs': code,
      'main.mjs': `
import { text } from 'node:stream/consumers';
import { isFromService, isStandardWebhook } from './verify.mjs';
const cases = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(cases.map(({ secret, headers, body }) => {
  const bytes = Buffer.from(body, 'base64');
  return [isFromService(secret, headers, bytes), isStandardWebhook(secret, headers, bytes)];
})));
`,
    }),
    run: [process.execPath, 'main.mjs'],
  },
  {
    heading: 'Python',
    fence: 'python',
    headerName: asGiven,
    files: (code) => ({
      'verify.py': code,
      // Its own server gives header fields in this form, and so do frameworks: names without regard to case.
      'main.py': `
import base64, json, sys
from email.message import Message
from verify import is_from_service, is_standard_webhook
results = []
for case in json.load(sys.stdin):
    headers = Message()
    for name, value in case["headers"].items():
        headers[name.upper()] = value
    body = base64.b64decode(case["body"])
    results.append([is_from_service(case["secret"], headers, body), is_standard_webhook(case["secret"], headers, body)])
print(json.dumps(results))
`,
    }),
    run: ['python3', 'main.py'],
    tags: 'debian/python3',
  },
  {
    heading: 'PHP',
    fence: 'php',
    headerName: inLowerCase,
    files: (code) => ({
      'verify.php': code,
      'main.php': `<?php
set_error_handler(function ($level, $message) { throw new ErrorException($message); });
require 'verify.php';
$results = [];
foreach (json_decode(file_get_contents('php://stdin'), true) as $case) {
    $body = base64_decode($case['body']);
    $results[] = [
        is_from_service($case['secret'], $case['headers'], $body),
        is_standard_webhook($case['secret'], $case['headers'], $body),
    ];
}
echo json_encode($results);
`,
    }),
    run: ['php', 'main.php'],
    tags: 'debian/php-cli',
  },
  {
    heading: 'Go',
    fence: 'go',
    headerName: asGiven,
    files: (code) => ({
      'go.mod': 'module receiver\n\ngo 1.19\n',
      'webhook/verify.go': code,
      'main.go': `package main

import (
	"encoding/json"
	"net/http"
	"os"
	"receiver/webhook"
)

type testCase struct {
	Secret  string
	Headers map[string]string
	Body    []byte
}

func main() {
	var cases []testCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	results := [][2]bool{}
	for _, one := range cases {
		header := http.Header{}
		for name, value := range one.Headers {
			header.Set(name, value)
		}
		results = append(results, [2]bool{
			webhook.IsFromService(one.Secret, header, one.Body),
			webhook.IsStandardWebhook(one.Secret, header, one.Body),
		})
	}
	json.NewEncoder(os.Stdout).Encode(results)
}
`,
    }),
    run: ['go', 'run', '.'],
    tags: 'debian/golang-go',
    env: (directory) => ({
      GOCACHE: path.join(directory, 'cache'),
      GOPATH: path.join(directory, 'path'),
      GOPROXY: 'off',
      GOFLAGS: '-mod=mod',
      GOTOOLCHAIN: 'local',
    }),
  },
];

/** The code under a heading. */
const snippetOf = ({ heading, fence }: Language): string => {
  const [, section = ''] = DOCUMENT.split(`\n### ${heading}\n`);
  const [, code] = new RegExp(`^\`\`\`${fence}\n(.*?)^\`\`\`$`, 'ms').exec(section) ?? [];
  if (code === undefined) throw new Error(`docs/webhooks.md has no code under ${heading}`);
  return code;
};

/** Runs the code of the language on cases, as often as it is called. */
const runnerOf = async (
  language: Language,
): Promise<(cases: readonly Case[]) => Promise<readonly (readonly [boolean, boolean])[]>> => {
  const directory = await mkdtemp(path.join(tmpdir(), 'snippet-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(language.files(snippetOf(language)))) {
    const file = path.join(directory, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return async (cases) => {
    const input = cases.map(({ secret, headers, body }) => ({
      secret,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [language.headerName(name), value]),
      ),
      body: Buffer.from(body).toString('base64'),
    }));
    const [command, ...args] = language.run;
    // The runner of the tests takes a process for lost that is blocked for a minute.
    const running = promisify(execFile)(command, args, {
      cwd: directory,
      env: { ...process.env, ...language.env?.(directory) },
      timeout: TIMEOUT_MS,
    });
    running.child.stdin?.end(JSON.stringify(input));
    const { stdout } = await running;
    return JSON.parse(stdout);
  };
};

for (const language of languages)
  test(`the code for ${language.heading} takes what the service has signed, by either scheme, and nothing else`, {
    timeout: TIMEOUT_MS,
    tags: language.tags ?? [],
  }, async () => {
    const run = await runnerOf(language);
    // What must be compiled is compiled by then: the cases are a minute away from the age at which they are refused.
    await run([]);
    const cases = casesNow();
    const answers = await run(cases);
    expect(cases.map(({ name }, index) => [name, ...(answers[index] ?? [])])).toEqual(
      cases.map(({ name, own, standard }) => [name, own, standard]),
    );
  });
