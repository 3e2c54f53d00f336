// The API tokens of the practice.
import { useState } from 'preact/hooks';
import type { ApiToken, CreatedApiToken } from '#api';
import { call } from '#dashboard/api/call.ts';
import { hasRows, useAnswer, useList } from '#dashboard/data.ts';
import { inWords } from '#dashboard/given-names.ts';
import { Head, Time } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { curlOf, Empty, toast } from '#dashboard/parts/feedback.tsx';
import { FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { Secret } from '#dashboard/parts/secret.tsx';
import { SlowedActions, SlowedState } from '#dashboard/parts/slowed.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { TokenForm } from './form.tsx';
import { words } from './words/de.ts';

/** One answer has room for so many projects. */
const MAX_PROJECTS = 200;

const Tokens = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const [created, setCreated] = useState<CreatedApiToken>();
  const pages = useList('GET /api/practices/{id}/api-tokens', { id });
  const projects = useAnswer('GET /api/practices/{id}/projects', { id, limit: MAX_PROJECTS });
  const named = inWords(projects.value?.data ?? []);
  const nameOf = (projectId: string): string => named.find((one) => one.id === projectId)?.name ?? projectId;
  const columns: readonly Column<ApiToken>[] = [
    {
      head: w.name,
      cell: ({ name, slowed, lifted_until }) => (
        <>
          <strong>{name}</strong> <SlowedState slowed={slowed} lifted_until={lifted_until} />
        </>
      ),
      isMain: true,
    },
    {
      head: w.scope,
      cell: ({ project_id }) => (project_id === null ? w.team : w.projectOf(nameOf(project_id))),
    },
    {
      head: w.lastUsed,
      cell: ({ last_used_at }) =>
        last_used_at === null ? <span class="quiet">{w.unused}</span> : <Time at={last_used_at} relative />,
    },
    { head: w.expires, cell: ({ expires_at }) => (expires_at === null ? w.never : <Time at={expires_at} />) },
    { head: w.networks, cell: ({ allowed_addresses }) => allowed_addresses?.join(', ') ?? w.anywhere },
    { head: w.created, cell: ({ created_at }) => <Time at={created_at} /> },
    {
      head: w.actions,
      align: 'end',
      cell: ({ id: tokenID, name, slowed, lifted_until }) => (
        <>
          <SlowedActions
            id={id}
            tokenID={tokenID}
            name={name}
            brake={{ slowed, lifted_until }}
            onDone={pages.reload}
          />
          <Confirm
            button={w.revoke}
            text={w.revokeText(name)}
            kind="danger"
            small
            onConfirm={async () => {
              await call('DELETE /api/practices/{id}/api-tokens/{tokenID}', { id, tokenID });
              toast(w.revoked);
              pages.reload();
            }}
          />
        </>
      ),
    },
  ];
  const create = (
    <FormDialog button={w.createToken} kind="primary">
      {(close) => (
        <TokenForm
          projects={named}
          onSubmit={async (body) => {
            setCreated(await call('POST /api/practices/{id}/api-tokens', { id, body }));
            close();
            pages.reload();
          }}
        />
      )}
    </FormDialog>
  );
  return (
    <>
      <Head
        title={w.pages.tokens}
        intro={
          <>
            {w.intro} <a href={`/app/${id}/examples`}>{w.examples}</a>
          </>
        }
        actions={hasRows(pages) && create}
      />
      <PagedTable
        caption={w.list}
        columns={columns}
        pages={pages}
        empty={
          <Empty
            title={w.empty}
            text={w.emptyText}
            action={create}
            curl={curlOf(`practices/${id}/api-tokens`, '{"name": "Programm", "scope": "team"}')}
          />
        }
      />
      <Secret title={w.secret} secret={created?.token} onClose={() => setCreated(undefined)} />
    </>
  );
};

export default Tokens;
