import type { Context } from '../../../context.ts'
import { explain } from '../../../output/problem.ts'
import { isJwt } from '../../../sandbox-token.ts'
import { buildingOf, findTarget } from '../../../sandboxes/target.ts'
import { type Check, fail } from './check.ts'
import type { Sandbox } from './platform.ts'

export type Finding =
  | { state: 'none'; why: string }
  | { state: 'failed'; check: Check }
  | ({ state: 'found' } & Sandbox)

/**
 * Finds the named sandbox. Without a name, finds the sandbox that the environment variables name, or else the sandbox
 * that is selected for the folder.
 */
export async function findSandboxToCheck(context: Context, named: string | undefined): Promise<Finding> {
  try {
    const target = await findTarget(context, named)
    if (target === undefined) return { state: 'none', why: noSandboxText(context) }
    const client = await context.platform(target.apiUrl, target.token)
    const buildingId = await buildingOf(target, client)
    return { state: 'found', client, reference: target.reference, buildingId, consoleUrl: target.consoleUrl }
  } catch (error) {
    return { state: 'failed', check: await unreachable(context, error) }
  }
}

function noSandboxText({ env }: Context): string {
  const isKey = env.SVC_API_URL && env.SVC_API_TOKEN && !isJwt(env.SVC_API_TOKEN)
  const name = 'name a sandbox with --sandbox=<sandbox>, or select one with svc use'
  return isKey ? `SVC_API_TOKEN is not a sandbox token: ${name}` : name
}

/**
 * The failed check that reports an unreachable platform or a refused request. The checks that do not need the platform
 * still run.
 */
export async function unreachable(context: Context, error: unknown): Promise<Check> {
  const { problem, next } = await explain(error, context)
  return fail('platform', problem.detail.replace(/\.$/, ''), next ?? 'svc sandbox list shows the state of the sandbox')
}
