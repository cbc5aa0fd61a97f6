import { join, relative } from 'node:path'
import type { DemoHint } from '@storey/identity'
import { type ControlPlane, DEMO } from '@storey/provisioning'
import type { DataFolder } from './data-folder.ts'
import type { Realms } from './realms.ts'

/** The demo developer, as the start message shows it. */
export interface DemoDeveloper {
  email: string
  /** Absent if another data folder has the password, or the developer has changed it. */
  password: string | undefined
}

/** The demo organization and developer of development mode. The password is stored in the data folder. */
export function createDemo(folder: Pick<DataFolder, 'path' | 'demoPassword' | 'hasDemoPassword'>) {
  let isPasswordHere = false

  /** The hint that the sign-in page shows. */
  const hint: DemoHint = () => {
    if (!isPasswordHere) return undefined
    return { email: DEMO.email, passwordFile: join(relative('.', folder.path), 'demo-password') }
  }

  async function open(
    { organizations }: Pick<ControlPlane, 'organizations'>,
    { identity, developersIssuer }: Pick<Realms, 'identity' | 'developersIssuer'>,
  ): Promise<DemoDeveloper | undefined> {
    const { id, email, organizationId } = await organizations.ensureDemo()
    // With an external developers realm the demo developer cannot sign in here.
    if (!identity || developersIssuer !== identity.issuers.developers) return undefined
    const { developers } = identity
    const existing = await developers.find(DEMO.email)
    if (!existing) await developers.create({ id, email, organizationId, password: folder.demoPassword() })
    // If another control plane created the developer, the password is in the data folder of that control plane.
    isPasswordHere = folder.hasDemoPassword() && (await developers.hasPassword(id, folder.demoPassword()))
    return { email, password: isPasswordHere ? folder.demoPassword() : undefined }
  }

  return { hint, open }
}
