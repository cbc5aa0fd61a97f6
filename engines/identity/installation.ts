import { actorsOf } from '../../acceptance/system/actors.ts'
import type { Answer } from '../../acceptance/system/call.ts'
import { type System, startSystem } from '../../acceptance/system/system.ts'
import type { Suite } from '../suite.ts'
import type { Person, TestedProvider } from './provider.ts'

export const DEVELOPER: Person = { email: 'dana@corp.example', password: 'a password of dana' }

/** A Storey with both realms at an external provider, with one developer and one sandbox. */
export interface Installation {
  provider: TestedProvider
  system: System
  organizationId: string
  /** An API key of the organization. */
  key: string
  sandbox: { record: Answer['json']; connection: Answer['json'] }
  /** Starts Storey again with further settings. */
  restartWith(settings: Record<string, string>): Promise<System>
}

export async function startInstallation(suite: Suite, port: number, provider: TestedProvider): Promise<Installation> {
  const env = {
    DEVELOPERS_ISSUER: provider.issuers.developers,
    SANDBOXES_ISSUER: provider.issuers.sandboxes,
    ...provider.settings,
    RATE_LIMIT_PER_MINUTE: '0',
    SANDBOX_RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'info',
  }
  const system = await startSystem({ port, env })
  suite.onEnd(() => system.remove())
  const actors = actorsOf(system)
  const organizationId = await actors.operator('org', 'create', 'Corporation')
  await provider.createDeveloper(DEVELOPER, organizationId)
  await actors.operator('account', 'invite', DEVELOPER.email, '--org', organizationId)
  const key = await actors.operator('key', 'mint', '--org', organizationId)
  const sandbox = await actors.newSandbox(key, { name: 'Corporate' })
  return {
    ...{ provider, system, organizationId, key, sandbox },
    async restartWith(settings) {
      await system.stop()
      const restarted = await startSystem({ port, dataDir: system.dataDir, env: { ...env, ...settings } })
      suite.onEnd(() => restarted.remove())
      return restarted
    },
  }
}
