import { holds, type Permission, PLATFORM_ADMINISTRATOR } from '@storey/contract'
import { type BuildingClient, bearer, createPlatformClient, type PlatformClient } from '@storey/sdk'
import { pageClientOptions } from '@storey/web'
import { useMemo, useSyncExternalStore } from 'react'
import { useShell } from '../app/shell.ts'

/** The token that the user entered is kept in memory only, so that it is gone when the tab is closed or reloaded. */
let enteredToken: string | undefined
const listeners = new Set<() => void>()

function setToken(token: string | undefined): void {
  enteredToken = token
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * How a page calls the API: with the session of the user, or with the token of the sandbox if the user has entered it.
 */
export interface ApiAccess {
  client: PlatformClient
  api: BuildingClient
  may(permission: Permission): boolean
  usesSandboxToken: boolean
  /** Checks the token with the API and uses it from now on. Rejects if the API refuses it. */
  enterToken(token: string): Promise<void>
  /** Uses the session of the user again. */
  forgetToken(): void
}

/** For pages with changes that no role, or only some roles, may make. */
export function useApiAccess(): ApiAccess {
  const shell = useShell()
  const token = useSyncExternalStore(subscribe, () => enteredToken)
  return useMemo(() => {
    const { config, buildingId, session } = shell
    const clientOf = (text: string) =>
      createPlatformClient({ url: config.apiUrl, credential: bearer(text), ...pageClientOptions })
    const client = token === undefined ? shell.client : clientOf(token)
    const roles = token === undefined ? session.user.roles : [PLATFORM_ADMINISTRATOR]
    return {
      client,
      api: client.building(buildingId),
      may: (permission) => holds(roles, permission),
      usesSandboxToken: token !== undefined,
      async enterToken(text) {
        await clientOf(text).building(buildingId).get()
        setToken(text.trim())
      },
      forgetToken: () => setToken(undefined),
    }
  }, [shell, token])
}
