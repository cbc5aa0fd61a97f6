import type { PortalConfig } from '@storey/contract'
import { SignIn, TopBar, UserMenu, useRoute, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { DevicePage } from '../device/device-page.tsx'
import { ApiProvider } from './api.tsx'
import { pageAt } from './pages.tsx'
import { appTexts } from './texts.ts'

/** The device page needs no session of the portal: it only sends a code to the realm, which signs the user in. */
const DEVICE_PATH = '/device'

export function App({ config }: { config: PortalConfig }): ReactNode {
  const { path } = useRoute()
  if (path === DEVICE_PATH) return <DevicePage issuer={config.issuer} />
  return (
    <SignIn config={config}>
      <ApiProvider config={config}>
        <Frame path={path} />
      </ApiProvider>
    </SignIn>
  )
}

function Frame({ path }: { path: string }): ReactNode {
  const t = useTexts(appTexts)
  const isSandboxes = (at: string) => at === '/' || at.startsWith('/sandboxes')
  return (
    <>
      <TopBar
        name={t('name')}
        navLabel={t('navigation')}
        links={[
          { to: '/', label: t('sandboxes'), isCurrent: isSandboxes },
          { to: '/keys', label: t('keys') },
          { to: '/audit', label: t('audit') },
        ]}
      >
        <a className="docs-link" href="/docs">
          {t('docs')}
        </a>
        <UserMenu />
      </TopBar>
      {pageAt(path)}
    </>
  )
}
