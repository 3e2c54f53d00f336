// The roles of the practice: those that every practice has, and its own.
import { useState } from 'preact/hooks';
import type { Permission, Role, RoleList } from '#api';
import { call, type Input } from '#dashboard/api/call.ts';
import { type Data, useAction } from '#dashboard/data.ts';
import { Badge, Card } from '#dashboard/parts/basics.tsx';
import { Current } from '#dashboard/parts/current.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { CheckField, Form, TextField } from '#dashboard/parts/form.tsx';
import { both, FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { roleName } from '#dashboard/role-names.ts';
import { may } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const RoleForm = ({
  id,
  role,
  onTake = () => {},
  onDone,
}: {
  readonly id: string;
  readonly role?: Role;
  readonly onTake?: (current: Role) => void;
  readonly onDone: () => void;
}) => {
  const w = translated(words);
  const [name, setName] = useState(role?.name ?? '');
  const [permissions, setPermissions] = useState<readonly Permission[]>(role?.permissions ?? []);
  const action = useAction(async () => {
    // The API's description writes "one to eighteen of them" as that many tuples.
    const body = {
      name: name.trim(),
      permissions,
    } as unknown as Input<'POST /api/practices/{id}/roles'>['body'];
    const over = role && {
      ...{ record: role, values: { permissions: w.permissions } },
      ...{ names: { name: w.roleTitle, permissions: w.mayDo }, take: onTake },
    };
    if (role) await call('PATCH /api/practices/{id}/roles/{roleID}', { id, roleID: role.id, body }, { over });
    else await call('POST /api/practices/{id}/roles', { id, body });
    toast(w.roleSaved);
    onDone();
  });
  const all = Object.entries(w.permissions) as [Permission, string][];
  return (
    <Form action={action} submit={w.save}>
      <TextField label={w.roleTitle} path="name" value={name} onValue={setName} required />
      <fieldset class="choicelist">
        <legend>{w.mayDo}</legend>
        {all.map(([permission, text]) => (
          <CheckField
            key={permission}
            label={text}
            value={permissions.includes(permission)}
            // Who gives a permission must have it.
            disabled={!may(permission)}
            onValue={(isChecked) =>
              setPermissions(
                isChecked ? [...permissions, permission] : permissions.filter((one) => one !== permission),
              )
            }
          />
        ))}
      </fieldset>
    </Form>
  );
};

const OneRole = ({
  id,
  role,
  onDone,
}: {
  readonly id: string;
  readonly role: Role;
  readonly onDone: () => void;
}) => {
  const w = translated(words);
  return (
    <li>
      <details>
        <summary>
          <strong>{roleName(role)}</strong>{' '}
          {role.system ? (
            <span class="quiet">{role.slug && w.roleHints[role.slug]}</span>
          ) : (
            <Badge tone="plain">{w.own}</Badge>
          )}
        </summary>
        <ul>
          {role.permissions.map((permission) => (
            <li key={permission}>{w.permissions[permission]}</li>
          ))}
        </ul>
        {!role.system && (
          <div class="actions">
            <FormDialog button={w.change} title={role.name} kind="small">
              {(close) => (
                <Current of="GET /api/practices/{id}/roles/{roleID}" at={{ id, roleID: role.id }}>
                  {(record, take) => (
                    <RoleForm id={id} role={record} onTake={take} onDone={both(close, onDone)} />
                  )}
                </Current>
              )}
            </FormDialog>
            <Confirm
              button={w.remove}
              title={w.removeRole(role.name)}
              text={w.removeRoleText}
              kind="danger"
              small
              onConfirm={async () => {
                await call('DELETE /api/practices/{id}/roles/{roleID}', { id, roleID: role.id });
                onDone();
              }}
            />
          </div>
        )}
      </details>
    </li>
  );
};

export const Roles = ({ id, roles }: { readonly id: string; readonly roles: Data<RoleList> }) => {
  const w = translated(words);
  return (
    <Card
      title={w.roles}
      actions={
        <FormDialog button={w.newRole}>
          {(close) => <RoleForm id={id} onDone={both(close, roles.reload)} />}
        </FormDialog>
      }
    >
      <p class="quiet">{w.rolesText}</p>
      <Loaded data={roles}>
        {({ data }) => (
          <ul class="records">
            {data.map((role) => (
              <OneRole key={role.id} id={id} role={role} onDone={roles.reload} />
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
};
