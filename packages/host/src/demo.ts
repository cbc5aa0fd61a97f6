import { type ControlPlane, DEMO } from '@storey/provisioning'
import type { DataFolder } from './data-folder.ts'
import type { Realms } from './realms.ts'

/** The organization and developer of a first start in development mode, with the password kept in the data folder. */
export async function openDemo(
  { organizations }: Pick<ControlPlane, 'organizations'>,
  { identity, developersIssuer }: Realms,
  folder: DataFolder,
): Promise<{ email: string; password: string } | undefined> {
  const { id, email, organizationId } = await organizations.ensureDemo()
  // With a developers realm of one's own the demo developer has no sign-in here.
  if (!identity || developersIssuer !== identity.issuers.developers) return undefined
  const password = folder.demoPassword()
  if (!(await identity.developers.find(DEMO.email))) {
    await identity.developers.create({ id, email, organizationId, password })
  }
  return { email, password }
}
