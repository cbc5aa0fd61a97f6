import { holds, type Permission, type ShellConfig } from '@storey/contract'
import { type BuildingClient, createPlatformClient, type PlatformClient } from '@storey/sdk'
import { pageClientOptions, type Session, useSession } from '@storey/web'
import { createContext, useContext, useMemo } from 'react'

/** The config, the session and the API clients, for all pages. */
export interface Shell {
  config: ShellConfig
  buildingId: string
  session: Session
  client: PlatformClient
  /** `client.building(buildingId)`. */
  api: BuildingClient
  /** Whether the user's roles have this permission. The API checks it again. */
  may(permission: Permission): boolean
}

export const ShellContext = createContext<Shell | undefined>(undefined)

export function useShell(): Shell {
  const shell = useContext(ShellContext)
  if (!shell) throw new Error('useShell must be used inside ShellContext')
  return shell
}

/** Creates the value of `ShellContext`, with the API client that all pages share. */
export function useCreateShell(config: ShellConfig, buildingId: string): Shell {
  const session = useSession()
  return useMemo(() => {
    const client = createPlatformClient({ url: config.apiUrl, credential: session.credential, ...pageClientOptions })
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
