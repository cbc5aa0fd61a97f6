import type { AccountCreate } from '@storey/sdk'

export type Role = AccountCreate['roles'][number]

/** The account of a person, or a service account. */
export interface Member {
  id: string
  /** The email address of a person, or the name of a service account. */
  name: string
  roles: readonly string[]
  clientId?: string
}

export interface NewMember {
  name: string
  roles: Role[]
}

/** What a dialog shows after a member is created. It is shown only once. */
export interface MemberCreated {
  items: CreatedItem[]
  /** How to use the new account; `secret` is masked in the snippet. */
  use?: { text: string; snippet: string; secret: string }
}

export interface CreatedItem {
  label: string
  text: string
  /** True if the text is not a secret, such as a URL. */
  isPlain?: boolean
  hint?: string
}
