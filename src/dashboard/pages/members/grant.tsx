// What a member gets: a role, in all projects or in some.
import type { Project, Role } from '#api';
import { CheckField, named, SelectField } from '#dashboard/parts/form.tsx';
import { roleName } from '#dashboard/role-names.ts';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export interface Grant {
  readonly roleId: string;
  readonly allProjects: boolean;
  readonly projectIds: readonly string[];
}

export const GrantFields = ({
  roles,
  projects,
  grant,
  onGrant,
}: {
  readonly roles: readonly Role[];
  readonly projects: readonly Project[];
  readonly grant: Grant;
  readonly onGrant: (grant: Grant) => void;
}) => {
  const w = translated(words);
  const chosen = roles.find(({ id }) => id === grant.roleId);
  return (
    <>
      <SelectField
        label={w.role}
        path="role_id"
        value={grant.roleId}
        onValue={(roleId) => onGrant({ ...grant, roleId })}
        options={named(roles.map((role) => ({ id: role.id, name: roleName(role) })))}
        hint={chosen?.slug ? w.roleHints[chosen.slug] : undefined}
      />
      <CheckField
        label={w.allProjects}
        hint={w.allProjectsHint}
        value={grant.allProjects}
        onValue={(allProjects) => onGrant({ ...grant, allProjects })}
      />
      {!grant.allProjects && (
        <fieldset class="choicelist">
          <legend>{w.projects}</legend>
          {projects.map(({ id, name }) => (
            <CheckField
              key={id}
              label={name}
              value={grant.projectIds.includes(id)}
              onValue={(isChecked) =>
                onGrant({
                  ...grant,
                  projectIds: isChecked
                    ? [...grant.projectIds, id]
                    : grant.projectIds.filter((one) => one !== id),
                })
              }
            />
          ))}
        </fieldset>
      )}
    </>
  );
};
