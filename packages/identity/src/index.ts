import './load-provider.ts'

export type { Developer, Developers, TenantAccount, TenantAccounts } from './accounts/accounts.ts'
export type { ServiceAccount, ServiceAccounts, ShellClients } from './clients/clients.ts'
export { createIdentity, type Identity, type IdentityOptions } from './create-identity.ts'
export { IDENTITY_MIGRATIONS, IDENTITY_MIGRATIONS_TABLE } from './migrations.ts'
export type { DemoHint } from './pages/interaction-pages.ts'
