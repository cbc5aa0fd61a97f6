import { execFile } from 'node:child_process'
import { delimiter } from 'node:path'
import type { Environment } from '../../../environment.ts'
import { type Check, fail, ok } from './check.ts'
import { NODE_RANGE, runsVite } from './versions.ts'

const LIMIT_MS = 5000

/**
 * The version of the Node on the user's PATH, which runs the project's scripts; undefined if there is none. Folders
 * that npm adds to the PATH are skipped, because one of them may contain another Node, for example in a clone of
 * Storey. Without a PATH the result is the version of the Node that runs this tool.
 */
export async function projectNode(
  { env, system }: Pick<Environment, 'env' | 'system'>,
  folder: string,
): Promise<string | undefined> {
  const path = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH')?.[1]
  if (path === undefined) return process.version
  const own = path.split(delimiter).filter((entry) => !/node_modules[\\/]\.bin|node-gyp-bin/.test(entry))
  const options = { cwd: folder, env: { ...env, PATH: own.join(delimiter) }, timeout: LIMIT_MS }
  return await new Promise((resolve) => {
    execFile(system === 'win32' ? 'node.exe' : 'node', ['--version'], options, (error, stdout) => {
      const version = stdout.trim()
      resolve(error === null && /^v\d+\.\d+\.\d+/.test(version) ? version : undefined)
    })
  })
}

export async function checkNode(environment: Pick<Environment, 'env' | 'system'>, folder: string): Promise<Check> {
  const version = await projectNode(environment, folder)
  if (version === undefined) return fail('node', 'no node is found on the PATH', `install Node ${NODE_RANGE}`)
  if (runsVite(version)) return ok('node', `${version}, the node on your PATH, runs the project's scripts`)
  const found = `${version}, the node on your PATH, is too old for the project's scripts`
  return fail('node', found, `install Node ${NODE_RANGE}`)
}
