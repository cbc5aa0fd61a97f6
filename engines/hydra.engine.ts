import { freePort } from '../acceptance/system/system.ts'
import { launchBrowser } from '../scripts/browser/launch-browser.ts'
import { hydraProvider } from './hydra/hydra-provider.ts'
import { HYDRA_VERSION, startHydra } from './hydra/start-hydra.ts'
import { checkProvider } from './identity/check-provider.ts'
import { startInstallation } from './identity/installation.ts'
import { runSuite } from './suite.ts'

/**
 * Checks Storey with Ory Hydra as the provider of both realms. Hydra has no realms of its own and no device grant, and
 * it assigns client ids itself.
 */
await runSuite('hydra', async (suite) => {
  const browser = await launchBrowser()
  suite.onEnd(() => browser.close())
  const port = await freePort()
  const storeyUrl = `http://localhost:${port}`
  const hydra = await startHydra(storeyUrl)
  suite.onEnd(() => hydra.remove())
  suite.engine('Ory Hydra', HYDRA_VERSION)
  const installation = await startInstallation(suite, port, await hydraProvider(hydra, storeyUrl))
  await checkProvider(suite, installation, browser)
})
