import type { PlatformClient } from '@storey/sdk'
import { checkedUrl } from '../address.ts'
import type { Context } from '../context.ts'
import { CliError, wrongUsage } from '../errors.ts'
import { isJwt, sandboxOfToken } from '../sandbox-token.ts'
import { findSandbox } from './find-sandbox.ts'
import { folderSandbox } from './folder-sandbox.ts'

/** The sandbox whose API a command calls. */
export interface Target {
  apiUrl: string
  token: string
  consoleUrl: string
  /** Undefined if the sandbox comes from the environment, and the environment names no building. */
  buildingId: string | undefined
  /** The sandbox as the user or the folder names it, for suggested commands; undefined if neither names it. */
  reference: string | undefined
  /** The sandbox and its address, for messages; only the address if the sandbox comes from the environment. */
  where: string
}

/** The named sandbox, else that of the environment, else that of the folder. */
export async function targetSandbox(context: Context, reference: string | undefined): Promise<Target> {
  const target = await findTarget(context, reference)
  if (target !== undefined) return target
  throw wrongUsage(
    'No sandbox is selected.',
    'Use --sandbox=<sandbox>, select one for this folder with `svc use <sandbox>`, or run eval "$(svc sandbox connect <sandbox>)".',
  )
}

export async function findTarget(context: Context, reference: string | undefined): Promise<Target | undefined> {
  const environment = fromEnvironment(context)
  if (reference === undefined) {
    if (environment !== undefined) return environment
    const selected = await folderSandbox(context)
    return selected && (await connected(context, selected.sandboxId, selected.name))
  }
  // The sandbox of the environment needs no sign-in.
  if (environment !== undefined && isNamed(environment, reference)) return { ...environment, reference }
  const { sandboxId } = await findSandbox(context, reference)
  return await connected(context, sandboxId, reference)
}

/**
 * The address and token that `sandbox connect` sets; a sandbox's token in --token takes precedence. An API key is
 * ignored: it is for the provisioning service.
 */
function fromEnvironment({ env, options }: Context): Target | undefined {
  const { SVC_API_URL, SVC_API_TOKEN, SVC_BUILDING_ID, SVC_CONSOLE_URL } = env
  const token = sandboxOfToken(options.token) === undefined ? SVC_API_TOKEN : options.token
  if (!SVC_API_URL || !token || !isJwt(token)) return undefined
  const apiUrl = checkedUrl(SVC_API_URL, 'SVC_API_URL')
  const consoleUrl = SVC_CONSOLE_URL ? checkedUrl(SVC_CONSOLE_URL, 'SVC_CONSOLE_URL') : apiUrl
  const buildingId = SVC_BUILDING_ID || undefined
  return { apiUrl, token: token.trim(), consoleUrl, buildingId, reference: undefined, where: apiUrl }
}

function isNamed({ apiUrl, token }: Target, reference: string): boolean {
  return sandboxOfToken(token) === reference || new URL(apiUrl).hostname.split('.')[0] === reference
}

async function connected(context: Context, sandboxId: string, reference: string): Promise<Target> {
  const { sandboxes } = await context.provisioning()
  const { apiUrl, consoleUrl, token, buildingId } = await sandboxes.connection(sandboxId)
  const where = `${reference} at ${apiUrl}`
  return { apiUrl, token, consoleUrl: consoleUrl ?? apiUrl, buildingId, reference, where }
}

/** The building of the target; read from the API of the sandbox if the target has no `buildingId`. */
export async function buildingOf({ buildingId }: Target, platform: PlatformClient): Promise<string> {
  if (buildingId !== undefined) return buildingId
  const { data } = await platform.buildings.list()
  if (data.length === 1) return data[0]!.id
  if (data.length === 0) throw new CliError('The sandbox has no building.', { code: 'NO_BUILDING' })
  throw new CliError(`The sandbox has ${data.length} buildings, and none is selected.`, {
    code: 'WHICH_BUILDING',
    next: `Set SVC_BUILDING_ID to one of: ${data.map(({ id }) => id).join(', ')}.`,
  })
}
