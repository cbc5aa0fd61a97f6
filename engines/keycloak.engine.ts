import { launchBrowser } from '../scripts/browser/launch-browser.ts'
import { checkConsole } from './keycloak/check-console.ts'
import { checkMachines } from './keycloak/check-machines.ts'
import { checkMembers } from './keycloak/check-members.ts'
import { checkOutages } from './keycloak/check-outages.ts'
import { checkPortal } from './keycloak/check-portal.ts'
import { checkRealms } from './keycloak/check-realms.ts'
import { checkTool } from './keycloak/check-tool.ts'
import { startInstallation } from './keycloak/installation.ts'
import { KEYCLOAK_VERSION } from './keycloak/start-keycloak.ts'
import { runSuite } from './suite.ts'

/** Both realms at a Keycloak, imported from `deploy/keycloak`. */
await runSuite('keycloak', async (suite) => {
  const browser = await launchBrowser()
  suite.onEnd(() => browser.close())
  const installation = await startInstallation(suite)
  suite.engine('Keycloak', KEYCLOAK_VERSION)
  await checkRealms(suite, installation)
  await checkPortal(suite, installation, browser)
  await checkTool(suite, installation, browser)
  await checkConsole(suite, installation, browser)
  await checkMachines(suite, installation)
  await checkOutages(suite, installation, browser)
  await checkMembers(suite, installation, browser)
})
