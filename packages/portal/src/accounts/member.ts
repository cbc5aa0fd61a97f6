import type { AccountCreate } from '@storey/sdk'

export type Role = AccountCreate['roles'][number]

export const ROLES: readonly Role[] = ['user', 'accountant', 'manager', 'admin', 'building-graph-writer']

/** A person or a program. */
export interface Member {
  id: string
  /** The email of a person. */
  name: string
  roles: readonly string[]
  clientId?: string
}

export interface NewMember {
  name: string
  roles: Role[]
}

/** What is shown once, when a member is made. */
export interface Made {
  items: MadeItem[]
  /** How it is used. */
  use?: { text: string; snippet: string; covers: string }
}

export interface MadeItem {
  label: string
  text: string
  /** An address or a name, which can be seen again. */
  isPlain?: boolean
  hint?: string
}
