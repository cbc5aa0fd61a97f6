import { LIMITS } from '@storey/contract'
import type { PersonRecord } from '@storey/sdk'
import { type Loading, useLoad } from '@storey/web'
import { useMemo } from 'react'
import { useShell } from '../app/shell.ts'

export const ALL = { limit: LIMITS.page.max }

export interface People extends Loading<readonly PersonRecord[]> {
  /**
   * The email address of an account. For an account that is not in the list: the name of the signed-in user if it is
   * that user's account, else undefined.
   */
  nameOf(id: string): string | undefined
}

/**
 * Everybody who can sign in to the sandbox. The list cannot be loaded if Storey does not administer the identity
 * provider.
 */
export function usePeople(): People {
  const { client, session } = useShell()
  const { user } = session
  const load = useLoad<readonly PersonRecord[]>(
    ['people'],
    async (signal) => (await client.people.list(ALL, { signal })).data,
    { changes: 'people', isCached: true },
  )
  const { data } = load
  const names = useMemo(() => new Map(data?.map(({ id, email }) => [id, email])), [data])
  return { ...load, nameOf: (id) => names.get(id) ?? (id === user.id ? user.name : undefined) }
}
