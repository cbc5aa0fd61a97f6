import { ROLES, type Role } from '@storey/contract'
import type { ReactNode } from 'react'
import { roleTexts } from '../i18n/role-texts.ts'
import { useTexts } from '../i18n/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Checkbox } from '../ui/field.tsx'

interface RoleChoiceProps {
  legend: string
  roles: readonly Role[]
  onRoles(roles: Role[]): void
  /** Why the choice is not valid. */
  error?: string | undefined
}

/** Checkboxes for the roles of an account. */
export function RoleChoice({ legend, roles, onRoles, error }: RoleChoiceProps): ReactNode {
  const t = useTexts(roleTexts)
  const toggle = (role: Role, isOn: boolean) =>
    onRoles(ROLES.filter((one) => (one === role ? isOn : roles.includes(one))))
  return (
    <fieldset className="st-stack">
      <legend>{legend}</legend>
      {ROLES.map((role) => (
        <Checkbox
          key={role}
          label={t(role)}
          hint={t(`${role}Hint`)}
          checked={roles.includes(role)}
          onChecked={(isOn) => toggle(role, isOn)}
        />
      ))}
      {error === undefined ? null : (
        <span className="st-field-error" role="alert">
          {error}
        </span>
      )}
    </fieldset>
  )
}

/** Returns the display name of a role. A role that only an external provider knows is returned unchanged. */
export function useRoleName(): (role: string) => string {
  const t = useTexts(roleTexts)
  return (role) => {
    const known = ROLES.find((one) => one === role)
    return known === undefined ? role : t(known)
  }
}

export function RoleBadges({ roles }: { roles: readonly string[] }): ReactNode {
  const nameOf = useRoleName()
  return (
    <span className="st-row">
      {roles.map((role) => (
        <Badge key={role}>{nameOf(role)}</Badge>
      ))}
    </span>
  )
}
