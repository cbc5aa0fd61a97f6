import { matchPath } from '@storey/web'
import type { ReactNode } from 'react'
import { AccountsPage } from '../accounts/accounts-page.tsx'
import { AuditPage } from '../audit/audit-page.tsx'
import { ConnectPage } from '../connect/connect-page.tsx'
import { CreatePage } from '../create/create-page.tsx'
import { KeysPage } from '../keys/keys-page.tsx'
import { ConsolePage } from '../sandboxes/console-page.tsx'
import { SandboxListPage } from '../sandboxes/sandbox-list-page.tsx'
import { SandboxPage } from '../sandboxes/sandbox-page.tsx'
import { NotFoundPage } from './not-found-page.tsx'

const STATIC_PAGES: Record<string, () => ReactNode> = {
  '/': () => <SandboxListPage />,
  '/sandboxes': () => <SandboxListPage />,
  '/sandboxes/new': () => <CreatePage />,
  '/keys': () => <KeysPage />,
  '/audit': () => <AuditPage />,
}

export function pageAt(path: string): ReactNode {
  const staticPage = STATIC_PAGES[path.replace(/(.)\/$/, '$1')]
  if (staticPage) return staticPage()
  const sandbox = matchPath('/sandboxes/:id', path)
  if (sandbox) return <SandboxPage key={sandbox.id} id={sandbox.id} />
  const connect = matchPath('/sandboxes/:id/connect', path)
  if (connect) return <ConnectPage key={connect.id} id={connect.id} />
  const accounts = matchPath('/sandboxes/:id/accounts', path)
  if (accounts) return <AccountsPage key={accounts.id} id={accounts.id} />
  const console = matchPath('/sandboxes/:id/console', path)
  if (console) return <ConsolePage key={console.id} reference={console.id} />
  return <NotFoundPage />
}
