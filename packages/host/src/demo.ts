import { join, relative } from 'node:path'
import { type ControlPlane, DEMO } from '@storey/provisioning'
import type { DataFolder } from './data-folder.ts'
import type { Realms } from './realms.ts'

/** What the sign-in page shows about the demo developer. */
export const demoHint = ({ path }: DataFolder) => ({
  email: DEMO.email,
  passwordFile: join(relative('.', path), 'demo-password'),
})

/** Creates the demo organization and developer of development mode. The password is stored in the data folder. */
export async function openDemo(
  { organizations }: Pick<ControlPlane, 'organizations'>,
  { identity, developersIssuer }: Realms,
  folder: DataFolder,
): Promise<{ email: string; password: string } | undefined> {
  const { id, email, organizationId } = await organizations.ensureDemo()
  // With an external developers realm the demo developer cannot sign in here.
  if (!identity || developersIssuer !== identity.issuers.developers) return undefined
  const password = folder.demoPassword()
  if (!(await identity.developers.find(DEMO.email))) {
    await identity.developers.create({ id, email, organizationId, password })
  }
  return { email, password }
}
