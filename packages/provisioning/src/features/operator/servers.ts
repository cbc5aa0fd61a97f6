import { problems } from '@storey/contract'
import { CONTROL_SERVER, type TenantServers } from '../../tenants/index.ts'
import type { OperatorDeps } from './operator.ts'
import { insertOperation } from './operator-audit.store.ts'
import { deleteServer, failSandboxesOf, setDraining } from './servers.store.ts'

/** Stops the placing of new sandboxes on a server, or allows it again. */
export async function drainServer({ control, operator }: OperatorDeps, id: string, isDraining: boolean): Promise<void> {
  await control.transaction(async (tx) => {
    if (!(await setDraining(tx, id, isDraining))) throw problems.notFound(`database server: ${id}`)
    await insertOperation(tx, operator, { command: isDraining ? 'server drain' : 'server resume', subject: id })
  })
}

export interface Claimed {
  /** The claimed servers. Another control database had used them more recently than this one. */
  claimed: string[]
  /** Why other servers could not be claimed. */
  refusals: string[]
}

/**
 * Makes this control database the owner of all servers that are up. An operator needs this after the control database
 * was restored from a backup.
 */
export async function claimServers({
  control,
  operator,
  servers,
}: OperatorDeps & { servers: Pick<TenantServers, 'present' | 'claim'> }): Promise<Claimed> {
  const result: Claimed = { claimed: [], refusals: [] }
  for (const { id } of servers.present()) {
    try {
      if (!(await servers.claim(id))) continue
      result.claimed.push(id)
    } catch (err) {
      result.refusals.push((err as Error).message)
      continue
    }
    await insertOperation(control, operator, { command: 'server claim', subject: id })
  }
  return result
}

/**
 * Gives up a server that is lost. Its sandboxes become failed, because their databases are lost, so that they can be
 * reset or deleted. Sandboxes that are being provisioned get another server instead. Returns the ids of the failed
 * sandboxes.
 */
export async function forgetServer(
  { control, operator, servers }: OperatorDeps & { servers: Pick<TenantServers, 'isUp'> },
  id: string,
): Promise<string[]> {
  if (id === CONTROL_SERVER) throw problems.conflict('server', 'The server of the control database cannot be forgotten')
  if (servers.isUp(id)) throw problems.conflict('server', `The server ${id} answers: move its sandboxes instead`)
  return await control.transaction(async (tx) => {
    // `setDraining` locks the row, or finds that there is none. If a sandbox is placed on the server meanwhile,
    // `deleteServer` fails, because the sandbox refers to the row.
    if (!(await setDraining(tx, id, true))) throw problems.notFound(`database server: ${id}`)
    const sandboxes = await failSandboxesOf(tx, id)
    await deleteServer(tx, id)
    await insertOperation(tx, operator, { command: 'server forget', subject: id, details: { sandboxes } })
    return sandboxes
  })
}
