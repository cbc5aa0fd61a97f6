import { holds, type Permission, PLATFORM_ADMINISTRATOR } from '@storey/contract'
import { type BuildingClient, bearer, createPlatformClient, type PlatformClient } from '@storey/sdk'
import { pageClientOptions } from '@storey/web'
import { useMemo, useSyncExternalStore } from 'react'
import { useShell } from '../app/shell.ts'

/** The token is kept in memory only, so that it is gone when the tab is closed or reloaded. */
let held: string | undefined
const listeners = new Set<() => void>()

function set(token: string | undefined): void {
  held = token
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether a text looks like the token of a sandbox. The API checks the token itself. */
export function isSandboxToken(text: string): boolean {
  const [, claims, signature] = text.trim().split('.')
  if (claims === undefined || signature === undefined) return false
  try {
    const { aud } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { aud?: unknown }
    return typeof aud === 'string' && aud.startsWith('sbx_')
  } catch {
    return false
  }
}

export interface Acting {
  client: PlatformClient
  api: BuildingClient
  may(permission: Permission): boolean
  /** Whether the calls are made with the token of the sandbox. */
  isWithToken: boolean
  /** Checks the token with the API and uses it from now on. Rejects if the API refuses it. */
  enter(token: string): Promise<void>
  forget(): void
}

/**
 * The clients that pages use for changes which the roles of people may not allow: with the token of the sandbox if the
 * user has entered it, and with their own session otherwise.
 */
export function useActing(): Acting {
  const shell = useShell()
  const token = useSyncExternalStore(subscribe, () => held)
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
      isWithToken: token !== undefined,
      async enter(text) {
        await clientOf(text).building(buildingId).get()
        set(text.trim())
      },
      forget: () => set(undefined),
    }
  }, [shell, token])
}
