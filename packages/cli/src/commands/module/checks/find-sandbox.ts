import { checkedUrl } from '../../../address.ts'
import type { Context } from '../../../context.ts'
import { isJwt } from '../../../credential.ts'
import { explain } from '../../../output/problem.ts'
import { type Check, fail } from './check.ts'
import type { Sandbox } from './platform.ts'

export type Finding =
  | { state: 'none'; why: string }
  | { state: 'failed'; check: Check }
  | ({ state: 'found' } & Sandbox)

/** The named sandbox, else the one that `svc sandbox connect` set in the environment. */
export async function findSandbox(context: Context, id: string | undefined): Promise<Finding> {
  try {
    return id === undefined ? await fromEnvironment(context) : await named(context, id)
  } catch (error) {
    return { state: 'failed', check: await unreachable(context, error) }
  }
}

/** An unreachable platform is reported as a failed check, so that the other checks still run. */
export async function unreachable(context: Context, error: unknown): Promise<Check> {
  const { problem, next } = await explain(error, context)
  return fail('platform', problem.detail.replace(/\.$/, ''), next ?? 'svc sandbox list shows its state')
}

async function named(context: Context, id: string): Promise<Finding> {
  const connection = await (await context.provisioning()).sandboxes.connection(id)
  const client = await context.platform(connection.apiUrl, connection.token)
  return {
    state: 'found',
    client,
    id,
    buildingId: connection.buildingId,
    consoleUrl: connection.consoleUrl ?? connection.apiUrl,
  }
}

async function fromEnvironment(context: Context): Promise<Finding> {
  const { SVC_API_URL: apiUrl, SVC_API_TOKEN: token, SVC_BUILDING_ID: building, SVC_CONSOLE_URL } = context.env
  if (!apiUrl || !token) return { state: 'none', why: 'name a sandbox with --sandbox=<id>' }
  // An API key is for the provisioning service, not for a sandbox.
  if (!isJwt(token))
    return { state: 'none', why: 'SVC_API_TOKEN is not a sandbox token: name a sandbox with --sandbox=<id>' }
  const consoleUrl = SVC_CONSOLE_URL
    ? checkedUrl(SVC_CONSOLE_URL, 'SVC_CONSOLE_URL')
    : checkedUrl(apiUrl, 'SVC_API_URL')
  const client = await context.platform(checkedUrl(apiUrl, 'SVC_API_URL'), token)
  const buildingId = building || (await client.buildings.list({ limit: 1 })).data[0]?.id
  if (buildingId === undefined) return { state: 'none', why: `${apiUrl} has no building` }
  return { state: 'found', client, id: undefined, buildingId, consoleUrl }
}
