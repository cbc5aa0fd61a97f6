import type { ReactNode } from 'react'
import { usePeople } from './use-people.ts'

/** The email address of the account with this id. An id that is not in the list of people is shown unchanged. */
export function PersonName({ id }: { id: string }): ReactNode {
  const name = usePeople().nameOf(id)
  return name === undefined ? id : <span title={id}>{name}</span>
}
