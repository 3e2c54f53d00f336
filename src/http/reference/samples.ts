// A call as a sample in five languages, each a pure function of the same neutral value. `setup` is what each program begins with.
import type { SampleCall } from '../examples.ts';
import { inGo, inJson, inNode, inPhp, inPython, nameInNode } from './literals.ts';

export const languages = ['curl', 'node', 'python', 'php', 'go'] as const;
export type Language = (typeof languages)[number];

/** Not every call has one in every language. */
export type Samples = Readonly<Partial<Record<Language, string>>>;

export const languageNames: Readonly<Record<Language, string>> = {
  curl: 'curl',
  node: 'Node',
  python: 'Python',
  php: 'PHP',
  go: 'Go',
};

const JSON_TYPE = 'application/json';
const OWN_PRACTICE = '{id}';

const queryOf = ({ query }: SampleCall): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `${name}=${encodeURIComponent(String(one))}`),
  );
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
};

/** The path and query with all values but the practice's own id, whose place is still `{id}` where it is not in `params`. */
const targetOf = (call: SampleCall): string =>
  call.path.replace(/\{(\w+)\}/g, (place, name: string) =>
    name in call.params ? encodeURIComponent(String(call.params[name])) : place,
  ) + queryOf(call);

const textBody = ({ body }: SampleCall): string =>
  body === null ? '' : typeof body.value === 'string' ? body.value : inJson(body.value);

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const shellCredential: Readonly<Record<SampleCall['credential'], readonly string[]>> = {
  none: [],
  token: ['-H "Authorization: Bearer $SENDWERK_TOKEN"'],
  admin: ['-H "X-Admin-Token: $SENDWERK_ADMIN_TOKEN"'],
  secret: ['-H "Authorization: Bearer $SENDWERK_SECRET"'],
};

/** The call as a command of curl. */
export const inCurl = (call: SampleCall): string => {
  const { method, body, headers, credential } = call;
  const isImplied = method === (body === null ? 'GET' : 'POST');
  const isJson = body === null || body.type === JSON_TYPE;
  const target = targetOf(call).replace(OWN_PRACTICE, '$SENDWERK_PRACTICE');
  return [
    `curl ${isImplied ? '' : `-X ${method} `}"$SENDWERK_URL${target}"`,
    ...shellCredential[credential],
    ...Object.entries(headers).map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    ...(body === null
      ? []
      : [
          `-H "Content-Type: ${body.type}"`,
          `${isJson ? '-d' : '--data-binary'} ${inShell(isJson ? textBody(call).replaceAll('\n', '\n  ') : textBody(call))}`,
        ]),
  ].join(' \\\n  ');
};

/** Whether the clients do not send the body's type by themselves. */
const isOddType = ({ body }: SampleCall): boolean =>
  typeof body?.value === 'string' && body.type !== 'text/csv' && body.type !== JSON_TYPE;

const headersOf = (call: SampleCall, secret: string, write: (text: string) => string) => [
  ...(call.credential === 'secret' ? [['Authorization', secret] as const] : []),
  ...Object.entries(call.headers).map(([name, value]) => [name, write(value)] as const),
  ...(isOddType(call) ? [['Content-Type', write(call.body?.type ?? '')] as const] : []),
];

/** The arguments on one line where they fit, else each on a line of its own. */
const withArguments = (
  before: string,
  args: readonly string[],
  [open, close]: readonly [string, string],
  indent: string,
): string => {
  const pad = open === '' || args.length === 0 ? '' : ' ';
  const line = `${before}(${args.length === 0 ? '' : open}${pad}${args.join(', ')}${pad}${args.length === 0 ? '' : close})`;
  if (line.length <= 84 && !line.includes('\n')) return line;
  return `${before}(${open}\n${args.map((one) => `${indent}${one},\n`).join('')}${close})`;
};

const inNodeClient = (call: SampleCall): string => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template of the sample.
  const headers = headersOf(call, '`Bearer ${process.env.SENDWERK_SECRET}`', inNode);
  const given = { ...call.params, ...call.query };
  const args = [
    ...Object.entries(given).map(([name, value]) => `${nameInNode(name)}: ${inNode(value, '  ')}`),
    ...(headers.length > 0
      ? [`headers: { ${headers.map(([name, value]) => `${nameInNode(name)}: ${value}`).join(', ')} }`]
      : []),
    ...(call.body === null ? [] : [`body: ${inNode(call.body.value, '  ')}`]),
  ];
  return `const answer = ${withArguments(`await sendwerk.${call.id}`, args, ['{', '}'], '  ')};`;
};

/** Names of parameters that Python keeps for itself. */
const PYTHON_WORDS: readonly string[] = ['from', 'import', 'class', 'global', 'in', 'is', 'not', 'pass'];

/** How the client for Python names an operation or a parameter: `sendMessage` is `send_message`, `messageID` is `message_id`. */
export const pythonName = (name: string): string => {
  const snake = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return PYTHON_WORDS.includes(snake) ? `${snake}_` : snake;
};

const inPythonClient = (call: SampleCall): string => {
  const headers = headersOf(call, '"Bearer " + os.environ["SENDWERK_SECRET"]', inPython);
  const given = { ...call.params, ...call.query };
  const args = [
    ...Object.entries(given).map(([name, value]) => `${pythonName(name)}=${inPython(value, '    ')}`),
    ...(headers.length > 0
      ? [`headers={${headers.map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(', ')}}`]
      : []),
    ...(call.body === null ? [] : [`body=${inPython(call.body.value, '    ')}`]),
  ];
  return withArguments(`answer = sendwerk.${pythonName(call.id)}`, args, ['', ''], '    ');
};

/** Header fields that the function of `setup` does not send by itself. */
const ownHeaders = (
  call: SampleCall,
): readonly (readonly [name: string, variable: string | null, value: string])[] => [
  ...(call.credential === 'admin' ? [['X-Admin-Token', 'SENDWERK_ADMIN_TOKEN', ''] as const] : []),
  ...(call.credential === 'secret' ? [['Authorization', 'SENDWERK_SECRET', 'Bearer '] as const] : []),
  ...Object.entries(call.headers).map(([name, value]) => [name, null, value] as const),
  ...(call.body && call.body.type !== JSON_TYPE ? [['Content-Type', null, call.body.type] as const] : []),
];

const inPlainPhp = (call: SampleCall): string => {
  const target = inPhp(targetOf(call)).replace(OWN_PRACTICE, `' . getenv('SENDWERK_PRACTICE') . '`);
  const headers = ownHeaders(call).map(([name, variable, value]) =>
    variable === null ? inPhp(`${name}: ${value}`) : `'${name}: ${value}' . getenv('${variable}')`,
  );
  const args = [
    `'${call.method}'`,
    target.replace(/ \. ''$/, ''),
    ...(call.body === null ? [] : [inPhp(call.body.value)]),
    ...(headers.length === 0 ? [] : [`headers: [${headers.join(', ')}]`]),
  ];
  return `echo sendwerk(${args.join(', ')});`;
};

const inPlainGo = (call: SampleCall): string => {
  const target = inGo(targetOf(call)).replace(OWN_PRACTICE, '"+os.Getenv("SENDWERK_PRACTICE")+"');
  const headers = ownHeaders(call).map(([name, variable, value]) =>
    variable === null ? inGo(`${name}: ${value}`) : `"${name}: ${value}"+os.Getenv("${variable}")`,
  );
  const args = [`"${call.method}"`, target.replace(/\+""$/, ''), inGo(textBody(call)), ...headers];
  return `fmt.Println(sendwerk(${args.join(', ')}))`;
};

export const samplesOf = (call: SampleCall): Samples => ({
  curl: inCurl(call),
  ...(call.isForeign ? {} : { node: inNodeClient(call), python: inPythonClient(call) }),
  php: inPlainPhp(call),
  go: inPlainGo(call),
});

/** What stands once before the samples of a language; where `isOperator`, with the operator's token. */
export const setupOf = (origin: string, isOperator: boolean): Readonly<Record<Language, string>> => ({
  curl: `export SENDWERK_URL=${origin}
export SENDWERK_TOKEN=svc_…
export SENDWERK_PRACTICE=…${isOperator ? '\nexport SENDWERK_ADMIN_TOKEN=…' : ''}`,
  node: `import { Sendwerk } from '@sendwerk/client';

const sendwerk = new Sendwerk({
  url: process.env.SENDWERK_URL,
  token: process.env.SENDWERK_TOKEN,
  practice: process.env.SENDWERK_PRACTICE,${isOperator ? '\n  adminToken: process.env.SENDWERK_ADMIN_TOKEN,' : ''}
});`,
  python: `import os

from sendwerk import Sendwerk

sendwerk = Sendwerk(
    url=os.environ["SENDWERK_URL"],
    token=os.environ["SENDWERK_TOKEN"],
    practice=os.environ["SENDWERK_PRACTICE"],${isOperator ? '\n    admin_token=os.environ["SENDWERK_ADMIN_TOKEN"],' : ''}
)`,
  php: `<?php
function sendwerk(string $method, string $target, mixed $body = null, array $headers = []): string
{
    $isText = is_string($body);
    $own = implode("\\n", $headers);
    if (!preg_match('/^(Authorization|X-Admin-Token):/mi', $own)) {
        $headers[] = 'Authorization: Bearer ' . getenv('SENDWERK_TOKEN');
    }
    if ($body !== null && !$isText) {
        $headers[] = 'Content-Type: application/json';
    }
    $answer = file_get_contents(getenv('SENDWERK_URL') . $target, false, stream_context_create(['http' => [
        'method' => $method,
        'header' => $headers,
        'content' => $isText ? $body : ($body === null ? '' : json_encode($body)),
        'ignore_errors' => true,
    ]]));
    if ($answer === false || !preg_match('/ 2\\d\\d /', $http_response_header[0] . ' ')) {
        throw new RuntimeException("$method $target: $answer");
    }
    return $answer;
}`,
  go: `package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func sendwerk(method, target, body string, headers ...string) string {
	request, err := http.NewRequest(method, os.Getenv("SENDWERK_URL")+target, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("SENDWERK_TOKEN"))
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	if request.Header.Get("X-Admin-Token") != "" {
		request.Header.Del("Authorization")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		log.Fatal(method, " ", target, ": ", response.Status, " ", string(answer))
	}
	return string(answer)
}

func main() {
	// The samples stand here.
}`,
});
