import type { LiveConnection } from '@storey/sdk'
import type { Platform } from '@storey/sdk/module'
import { useLocale, useTheme } from '@storey/web'
import { useEffect, useMemo, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { useLive } from '../live/live.tsx'

/** The platform context of a module. It has the access token, which the shell does not put into browser storage. */
export function useModulePlatform(moduleSlug: string): Platform {
  const { config, session, client, buildingId } = useShell()
  const locale = useLocale()
  const { theme } = useTheme()
  const connection = useLive()
  const [token, setToken] = useState(session.accessToken)
  useEffect(() => {
    setToken(session.accessToken)
    return session.onToken((next) => next !== undefined && setToken(next))
  }, [session])
  const live = useMemo(() => connection && withoutClose(connection), [connection])

  return useMemo(() => {
    const { id, name, email } = session.user
    return {
      apiUrl: config.apiUrl,
      buildingId,
      organizationId: config.organizationId,
      moduleSlug,
      user: { id, name, ...(email === undefined ? {} : { email }) },
      locale,
      theme,
      token,
      getToken: () => session.token(),
      client,
      live,
    }
  }, [config, session, client, buildingId, moduleSlug, locale, theme, token, live])
}

/** The shell's connection, which a module cannot close. */
const withoutClose = (connection: LiveConnection): LiveConnection => ({
  buildingId: connection.buildingId,
  get status() {
    return connection.status
  },
  ready: connection.ready,
  on: connection.on,
  onStatus: connection.onStatus,
  onSnapshotRequired: connection.onSnapshotRequired,
  close: () => undefined,
})
