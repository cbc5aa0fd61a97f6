import type { PortalConfig } from '@storey/contract'
import { createProvisioningClient, type ProvisioningClient } from '@storey/sdk'
import { pageClientOptions, useSession } from '@storey/web'
import { createContext, type ReactNode, useContext, useMemo } from 'react'

interface Portal {
  config: PortalConfig
  api: ProvisioningClient
}

const PortalContext = createContext<Portal | undefined>(undefined)

export function ApiProvider({ config, children }: { config: PortalConfig; children: ReactNode }): ReactNode {
  const session = useSession()
  const portal = useMemo<Portal>(() => {
    const api = createProvisioningClient({
      url: config.publicUrl,
      credential: session.credential,
      ...pageClientOptions,
    })
    return { config, api }
  }, [config, session])
  return <PortalContext value={portal}>{children}</PortalContext>
}

export function usePortal(): Portal {
  const portal = useContext(PortalContext)
  if (!portal) throw new Error('usePortal must be used inside ApiProvider')
  return portal
}
