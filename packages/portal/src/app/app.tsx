import type { PortalConfig } from '@storey/contract'
import { SignIn, TopBar, UserMenu, useRoute, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { DevicePage } from '../device/device-page.tsx'
import { ApiProvider } from './api.tsx'
import { pageAt } from './pages.tsx'
import { appWords } from './words.ts'

/** The device page asks for nothing that a session would be needed for: the realm signs people in itself. */
const DEVICE_PATH = '/device'

export function App({ config }: { config: PortalConfig }): ReactNode {
  const { path } = useRoute()
  if (path === DEVICE_PATH) return <DevicePage issuer={config.issuer} />
  return (
    <SignIn issuer={config.issuer} clientId={config.clientId}>
      <ApiProvider config={config}>
        <Frame path={path} />
      </ApiProvider>
    </SignIn>
  )
}

function Frame({ path }: { path: string }): ReactNode {
  const t = useWords(appWords)
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
