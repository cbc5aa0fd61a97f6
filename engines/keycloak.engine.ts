import { freePort } from '../acceptance/system/system.ts'
import { launchBrowser } from '../scripts/browser/launch-browser.ts'
import { checkProvider } from './identity/check-provider.ts'
import { startInstallation } from './identity/installation.ts'
import { checkMembers } from './keycloak/check-members.ts'
import { checkRealms } from './keycloak/check-realms.ts'
import { keycloakOperator } from './keycloak/keycloak-operator.ts'
import { keycloakProvider } from './keycloak/keycloak-provider.ts'
import { KEYCLOAK_VERSION, startKeycloak } from './keycloak/start-keycloak.ts'
import { runSuite } from './suite.ts'

/**
 * Checks Storey with both realms at a Keycloak, which imports them from `deploy/keycloak`. With the argument
 * `production`, Keycloak runs in production mode, with a certificate of a private authority and a PostgreSQL.
 */
const variant = process.argv[3] === 'production' ? 'production' : 'development'
await runSuite('keycloak', async (suite) => {
  const browser = await launchBrowser()
  suite.onEnd(() => browser.close())
  const port = await freePort()
  const keycloak = await startKeycloak(`http://localhost:${port}`, variant)
  suite.onEnd(() => keycloak.remove())
  suite.engine('Keycloak', KEYCLOAK_VERSION)
  const operator = keycloakOperator(keycloak.url)
  const installation = await startInstallation(suite, port, await keycloakProvider(keycloak, operator))
  await checkRealms(suite, keycloak, operator)
  await checkProvider(suite, installation, browser)
  await checkMembers(suite, installation, { keycloak, operator, browser })
})
