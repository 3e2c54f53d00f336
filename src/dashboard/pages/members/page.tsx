// Who may enter the practice, and what each may do there.
import { useState } from 'preact/hooks';
import type { Member, Project, Role } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer, useList } from '#dashboard/data.ts';
import { inWords } from '#dashboard/given-names.ts';
import { Badge, Card, Head, Time } from '#dashboard/parts/basics.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { curlOf, Empty, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextField } from '#dashboard/parts/form.tsx';
import { both, FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { type Column, PagedTable } from '#dashboard/parts/table.tsx';
import { roleName } from '#dashboard/role-names.ts';
import { account, practice } from '#dashboard/session.ts';
import { language, translated } from '#dashboard/words.ts';
import { type Grant, GrantFields } from './grant.tsx';
import { Roles } from './roles.tsx';
import { words } from './words/de.ts';

const startOf = (member: Member | undefined, roles: readonly Role[]): Grant => ({
  roleId: member?.role.id ?? roles.find(({ slug }) => slug === 'member')?.id ?? '',
  allProjects: member?.all_projects ?? true,
  projectIds: member?.project_ids ?? [],
});

const bodyOf = ({ roleId, allProjects, projectIds }: Grant) => ({
  role_id: roleId,
  all_projects: allProjects,
  project_ids: allProjects ? undefined : [...projectIds],
});

interface DialogProps {
  readonly id: string;
  readonly roles: readonly Role[];
  readonly projects: readonly Project[];
  /** Absent: a new one is invited. */
  readonly member?: Member;
  readonly onDone: () => void;
}

const MemberForm = ({ id, roles, projects, member, onDone }: DialogProps) => {
  const w = translated(words);
  const [email, setEmail] = useState('');
  const [grant, setGrant] = useState(startOf(member, roles));
  const action = useAction(async () => {
    const body = bodyOf(grant);
    if (member) await call('PATCH /api/practices/{id}/members/{memberID}', { id, memberID: member.id, body });
    else
      await call('POST /api/practices/{id}/members', {
        id,
        body: { ...body, email: email.trim(), language: language.value },
      });
    toast(member ? w.changed : w.invited(email.trim()));
    onDone();
  });
  return (
    <Form action={action} submit={member ? w.save : w.inviteConfirm}>
      {member === undefined && (
        <TextField
          label={w.email}
          path="email"
          type="email"
          value={email}
          onValue={setEmail}
          hint={w.emailHint}
          autoComplete="off"
          required
        />
      )}
      <GrantFields roles={roles} projects={projects} grant={grant} onGrant={setGrant} />
    </Form>
  );
};

const MemberDialog = ({ onDone, ...props }: DialogProps) => {
  const w = translated(words);
  const { member } = props;
  return (
    <FormDialog
      button={member ? w.change : w.invite}
      title={member?.email ?? w.invite}
      kind={member ? 'small' : 'primary'}
    >
      {(close) => <MemberForm {...props} onDone={both(close, onDone)} />}
    </FormDialog>
  );
};

const End = ({
  id,
  member,
  onDone,
}: {
  readonly id: string;
  readonly member: Member;
  readonly onDone: () => void;
}) => {
  const w = translated(words);
  if (member.email === account.value?.email)
    return (
      <Confirm
        button={w.leave}
        title={w.leaveTitle}
        text={w.leaveText}
        kind="danger"
        small
        onConfirm={async () => {
          await call('DELETE /api/auth/memberships/{practiceID}', { practiceID: id });
          location.assign('/app');
        }}
      />
    );
  return (
    <Confirm
      button={w.remove}
      title={w.removeTitle(member.email)}
      text={w.removeText}
      kind="danger"
      small
      onConfirm={async () => {
        await call('DELETE /api/practices/{id}/members/{memberID}', { id, memberID: member.id });
        toast(w.removed(member.email));
        onDone();
      }}
    />
  );
};

const Members = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const members = useList('GET /api/practices/{id}/members', { id });
  const roles = useAnswer('GET /api/practices/{id}/roles', { id, limit: 200 });
  const found = useAnswer('GET /api/practices/{id}/projects', { id, limit: 200 });
  const choices = { id, roles: roles.value?.data ?? [], projects: inWords(found.value?.data ?? []) };
  const projectNames = (ids: readonly string[]): string =>
    ids.map((one) => choices.projects.find((project) => project.id === one)?.name ?? one).join(', ');
  const columns: readonly Column<Member>[] = [
    {
      head: w.email,
      isMain: true,
      cell: ({ email, status }) => (
        <>
          {email} {email === account.value?.email && <Badge tone="plain">{w.you}</Badge>}{' '}
          {status === 'invited' && <Badge tone="busy">{w.statusInvited}</Badge>}
        </>
      ),
    },
    { head: w.role, cell: ({ role }) => roleName(role) },
    {
      head: w.projects,
      cell: ({ all_projects, project_ids }) => (all_projects ? w.all : projectNames(project_ids)),
    },
    { head: w.since, cell: ({ accepted_at }) => <Time at={accepted_at} /> },
    {
      head: w.actions,
      align: 'end',
      cell: (member) => (
        <div class="actions">
          <MemberDialog {...choices} member={member} onDone={members.reload} />
          <End id={id} member={member} onDone={members.reload} />
        </div>
      ),
    },
  ];
  return (
    <>
      <Head
        title={w.pages.members}
        intro={w.intro}
        actions={<MemberDialog {...choices} onDone={members.reload} />}
      />
      <Card>
        <PagedTable
          caption={w.pages.members}
          columns={columns}
          pages={members}
          empty={
            <Empty
              title={w.empty}
              text={w.emptyText}
              curl={curlOf(
                `practices/${id}/members`,
                '{"email": "erika@example.org", "role_id": "member"}',
                'admin',
              )}
            />
          }
        />
      </Card>
      <Roles id={id} roles={roles} />
    </>
  );
};

export default Members;
