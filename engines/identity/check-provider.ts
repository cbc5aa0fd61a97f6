import type { Browser } from 'playwright-core'
import type { Suite } from '../suite.ts'
import { checkConsole } from './check-console.ts'
import { checkDoctor } from './check-doctor.ts'
import { checkMachines } from './check-machines.ts'
import { checkOutages } from './check-outages.ts'
import { checkPortal } from './check-portal.ts'
import { checkTool } from './check-tool.ts'
import type { Installation } from './installation.ts'

/** Checks everything that Storey does with an identity provider. */
export async function checkProvider(suite: Suite, installation: Installation, browser: Browser): Promise<void> {
  await checkDoctor(suite, installation)
  await checkPortal(suite, installation, browser)
  await checkTool(suite, installation, browser)
  await checkConsole(suite, installation, browser)
  await checkMachines(suite, installation)
  await checkOutages(suite, installation, browser)
}
