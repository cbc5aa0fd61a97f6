import { holds, type Permission, type ShellConfig } from '@storey/contract'
import { type BuildingClient, createPlatformClient, type PlatformClient } from '@storey/sdk'
import { reportWait, type Session, useSession } from '@storey/web'
import { createContext, useContext, useMemo } from 'react'

/** Where the shell is, for whom, and how it reaches the platform. */
export interface Shell {
  config: ShellConfig
  buildingId: string
  session: Session
  client: PlatformClient
  /** `client.building(buildingId)`. */
  api: BuildingClient
  /** Whether the caller's roles carry this permission. The API has the last word. */
  may(permission: Permission): boolean
}

export const ShellContext = createContext<Shell | undefined>(undefined)

export function useShell(): Shell {
  const shell = useContext(ShellContext)
  if (!shell) throw new Error('there is no shell outside of its provider')
  return shell
}

/** One client for all pages, signed in as the session is. */
export function useNewShell(config: ShellConfig, buildingId: string): Shell {
  const session = useSession()
  return useMemo(() => {
    const client = createPlatformClient({ url: config.apiUrl, credential: session.credential, onWait: reportWait })
    return {
      config,
      buildingId,
      session,
      client,
      api: client.building(buildingId),
      may: (permission) => holds(session.user.roles, permission),
    }
  }, [config, buildingId, session])
}
