// The person's own account: practices, sessions, password, language of the service's mails.
import type { ListedSession } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer } from '#dashboard/data.ts';
import { Badge, Button, Card, Facts, Head, Time } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { ErrorNote, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { Form, Select, TextField, useFields } from '#dashboard/parts/form.tsx';
import { Table } from '#dashboard/parts/table.tsx';
import { roleName } from '#dashboard/role-names.ts';
import { account, loadAccount, type Membership, signOut } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const Practices = () => {
  const w = translated(words);
  const accept = useAction(async ({ practice_id: practiceID }: Membership) => {
    await call('POST /api/auth/memberships/{practiceID}/accept', { practiceID });
    await loadAccount();
    toast(w.youAreMember);
  });
  const leave = async ({ practice_id: practiceID }: Membership): Promise<void> => {
    await call('DELETE /api/auth/memberships/{practiceID}', { practiceID });
    await loadAccount();
  };
  const own = account.value?.practices ?? [];
  return (
    <Card title={w.practices}>
      <ErrorNote error={accept.error} />
      {own.length === 0 ? (
        <p class="quiet">{w.noPractices}</p>
      ) : (
        <Table
          caption={w.practices}
          rows={own}
          rowKey={({ practice_id }) => practice_id}
          columns={[
            {
              head: w.practice,
              isMain: true,
              cell: ({ practice_id, name, status }) =>
                status === 'active' ? <a href={`/app/${practice_id}`}>{name}</a> : name,
            },
            {
              head: w.role,
              cell: ({ role, status }) => (
                <>
                  {roleName(role)} {status === 'invited' && <Badge tone="busy">{w.invited}</Badge>}
                </>
              ),
            },
            {
              head: '',
              align: 'end',
              cell: (membership) =>
                membership.status === 'invited' ? (
                  <Button text={w.accept} kind="small" onClick={() => void accept.run(membership)} />
                ) : (
                  <Confirm
                    small
                    button={w.leave}
                    title={w.leaveTitle(membership.name)}
                    text={w.leaveText}
                    kind="danger"
                    onConfirm={() => leave(membership)}
                  />
                ),
            },
          ]}
        />
      )}
    </Card>
  );
};

/** The names by which browsers identify themselves; those that also name another one come first. */
const BROWSERS = {
  Edg: 'Edge',
  OPR: 'Opera',
  Firefox: 'Firefox',
  Chrome: 'Chrome',
  Version: 'Safari',
} as const;

/** `Firefox 140, Linux` out of what a browser calls itself; what is no browser is shown as it is. */
const deviceIn = (agent: string): string => {
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(agent)?.[0];
  for (const [token, name] of Object.entries(BROWSERS)) {
    const version = new RegExp(`\\b${token}/(\\d+)`).exec(agent)?.[1];
    if (version !== undefined) return [`${name} ${version}`, system].filter(Boolean).join(', ');
  }
  return agent;
};

const Sessions = () => {
  const w = translated(words);
  const sessions = useAnswer('GET /api/auth/sessions', {});
  const end = useAction(async ({ id: sessionID }: ListedSession) => {
    await call('DELETE /api/auth/sessions/{sessionID}', { sessionID });
    toast(w.ended);
    sessions.reload();
  });
  const endAll = async (): Promise<void> => {
    await call('POST /api/auth/logout', { everywhere: 'true' });
    await signOut();
  };
  return (
    <Card
      title={w.sessions}
      actions={
        <Confirm
          small
          button={w.endAll}
          title={w.endAllTitle}
          text={w.endAllText}
          kind="danger"
          onConfirm={endAll}
        />
      }
    >
      <p class="quiet">{w.sessionsText}</p>
      <ErrorNote error={end.error} />
      <Loaded data={sessions} lines={3}>
        {({ data }) => (
          <Table
            caption={w.sessions}
            rows={data}
            columns={[
              {
                head: w.device,
                isMain: true,
                cell: ({ user_agent, current }) => (
                  <>
                    {deviceIn(user_agent) || w.unknownDevice}{' '}
                    {current && <Badge tone="good">{w.current}</Badge>}
                  </>
                ),
              },
              { head: w.from, cell: ({ client_address }) => client_address },
              { head: w.since, cell: ({ created_at }) => <Time at={created_at} /> },
              { head: w.lastUsed, cell: ({ last_used_at }) => <Time at={last_used_at} relative /> },
              {
                head: '',
                align: 'end',
                cell: (session) =>
                  !session.current && (
                    <Button text={w.end} kind="small" onClick={() => void end.run(session)} />
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
};

const NO_PASSWORDS = { current_password: '', password: '' };

const Password = () => {
  const w = translated(words);
  const { fields, field, setFields } = useFields(NO_PASSWORDS);
  const has = account.value?.has_password ?? false;
  const set = useAction(async () => {
    const { password, current_password } = fields;
    const body = { password, current_password: has ? current_password : undefined };
    await call('PUT /api/auth/password', { body });
    setFields(NO_PASSWORDS);
    toast(w.passwordSet);
    await loadAccount();
  });
  const remove = async (): Promise<void> => {
    await call('DELETE /api/auth/password', {});
    toast(w.removed);
    await loadAccount();
  };
  return (
    <Card title={w.password}>
      <p class="quiet">{w.passwordText}</p>
      <Form
        action={set}
        submit={has ? w.changePassword : w.setPassword}
        others={
          has && (
            <Confirm
              button={w.removePassword}
              title={w.removeTitle}
              text={w.removeText}
              kind="danger"
              onConfirm={remove}
            />
          )
        }
      >
        {has && (
          <TextField
            label={w.currentPassword}
            type="password"
            autoComplete="current-password"
            required
            {...field('current_password')}
          />
        )}
        <TextField
          label={w.newPassword}
          type="password"
          autoComplete="new-password"
          hint={w.passwordHint}
          required
          {...field('password')}
        />
      </Form>
    </Card>
  );
};

const AccountPage = () => {
  const w = translated(words);
  const me = account.value;
  const change = useAction(async (language: keyof typeof w.languages) => {
    await call('PATCH /api/auth/me', { body: { language } });
    await loadAccount();
  });
  if (!me) return null;
  return (
    <>
      <Head title={w.pages.account} />
      <Card>
        <Facts
          facts={[
            [w.email, me.email],
            [w.operator, me.is_operator ? w.yes : null],
            [
              w.mailLanguage,
              <Select
                key="language"
                aria-label={w.mailLanguage}
                value={me.language}
                disabled={change.isRunning}
                onValue={(language) => void change.run(language)}
                options={w.languages}
              />,
            ],
          ]}
        />
        <ErrorNote error={change.error} />
      </Card>
      <Practices />
      <Sessions />
      {me.password_login && <Password />}
    </>
  );
};

export default AccountPage;
