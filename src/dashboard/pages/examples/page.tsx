// How programs use the API, with what belongs to this practice filled in.
import type { ComponentChildren } from 'preact';
import type { Meta } from '#api';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { useData } from '#dashboard/data.ts';
import { Card, Code, Copied, Facts, Head, LinkButton, Tabs } from '#dashboard/parts/basics.tsx';
import { Loaded } from '#dashboard/parts/feedback.tsx';
import { may, practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import {
  curlSend,
  curlStatus,
  type Filling,
  nodeSend,
  pythonSend,
  setToken,
  smtpSend,
  webhookCheck,
} from './code.ts';
import { words } from './words/de.ts';

const kinds = ['curl', 'node', 'python', 'smtp', 'webhook'] as const;
type Kind = (typeof kinds)[number];

const Sending = ({ code }: { readonly code: string }) => {
  const w = translated(words);
  return (
    <Card title={w.send}>
      <Code text={code} label={w.send} />
      <p class="hint">{w.repeat}</p>
    </Card>
  );
};

const Submission = ({ filling, meta }: { readonly filling: Filling; readonly meta: Meta }) => {
  const w = translated(words);
  if (meta.submission === null) return <p>{w.smtpOff}</p>;
  const { host, port, implicit_port, tls } = meta.submission;
  return (
    <>
      <Card title={w.smtp}>
        <Facts
          facts={[
            [w.host, <Copied key="host" text={host} name={w.host} />],
            [tls ? w.starttls : w.withoutTls, port],
            [w.tls, implicit_port],
            [w.user, w.anyUser],
            [w.password, w.yourToken],
          ]}
        />
      </Card>
      {port !== null && (
        <Card title={w.tryIt}>
          <Code text={smtpSend(filling, { host, port, tls })} label={w.tryIt} />
        </Card>
      )}
    </>
  );
};

const shown: Readonly<Record<Kind, (filling: Filling, meta: Meta) => ComponentChildren>> = {
  curl: (filling) => (
    <>
      <Sending code={curlSend(filling)} />
      <Card title={translated(words).status}>
        <Code text={curlStatus(filling)} label={translated(words).status} />
      </Card>
    </>
  ),
  node: (filling) => <Sending code={nodeSend(filling)} />,
  python: (filling) => <Sending code={pythonSend(filling)} />,
  smtp: (filling, meta) => <Submission filling={filling} meta={meta} />,
  webhook: () => (
    <Card title={translated(words).check}>
      <p>{translated(words).checkText}</p>
      <Code text={webhookCheck()} label={translated(words).check} />
    </Card>
  ),
};

const Examples = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const { values, href } = useFilters();
  const present = kinds.find((kind) => kind === values.kind) ?? 'curl';
  const facts = useData(
    (abort) =>
      Promise.all([
        call('GET /api/meta', {}, { abort }),
        call('GET /api/practices/{id}', { id }, { abort }),
        may('messages.view')
          ? call('GET /api/practices/{id}/messages/search', { id, limit: 1 }, { abort })
          : undefined,
      ]),
    [id],
  );
  const { origin } = location;
  return (
    <>
      <Head
        title={w.pages.examples}
        intro={w.intro}
        actions={
          <>
            <LinkButton
              text={w.reference}
              href={`/reference/sending?practice=${id}`}
              target="_blank"
              rel="noopener"
            />
            {may('tokens.manage') && (
              <LinkButton text={w.createToken} kind="primary" href={`/app/${id}/tokens`} />
            )}
          </>
        }
      />
      <Loaded data={facts}>
        {([meta, { default_from: from }, newest]) => (
          <>
            <Card title={w.facts}>
              <Facts
                facts={[
                  [w.id, <Copied key="id" text={id} name={w.id} />],
                  [w.base, <Copied key="base" text={origin} name={w.base} />],
                  [w.from, <Copied key="from" text={from} name={w.from} />],
                  [w.yourToken, <code key="token">{setToken}</code>],
                  [
                    w.simulator,
                    <code key="simulator">success@, bounce@, complaint@, ooto@{meta.simulator_host}</code>,
                  ],
                ]}
              />
            </Card>
            <Tabs
              label={w.label}
              present={present}
              tabs={kinds.map((kind) => ({ id: kind, text: w.kinds[kind], href: href({ kind }) }))}
            />
            {shown[present](
              {
                origin,
                practiceId: id,
                from,
                to: `success@${meta.simulator_host}`,
                subject: w.subject,
                text: w.text,
                messageId: newest?.data[0]?.id,
              },
              meta,
            )}
          </>
        )}
      </Loaded>
    </>
  );
};

export default Examples;
