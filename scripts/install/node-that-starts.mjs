import { spawnSync } from 'node:child_process'

/** A version that can run all our programs. It needs only the C and C++ libraries, as the user's own Node does. */
const OLDER_NODE = '24.21.0'

/** Why a program does not start; undefined if it does. */
export function whyNotStarting(program) {
  const { error, status, stderr } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  if (error) return error.message
  return status === 0 ? undefined : stderr.trim().split('\n').at(-1) || `exit code ${status}`
}

/**
 * Makes sure that the installed Node starts. Since version 25 Node needs libatomic, which slim images of Linux lack,
 * and which an ordinary user cannot install. If the installed Node does not start, an older version of its package is
 * installed instead.
 * @returns the exit code
 */
export async function ensureNodeStarts({ node, name, print, runNpm, why = whyNotStarting }) {
  const reason = why(node)
  if (reason === undefined) return 0
  print(`The installed Node does not start here: ${reason}\nInstalling Node ${OLDER_NODE} instead…\n`)
  const exitCode = await runNpm([
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    `${name}@${OLDER_NODE}`,
  ])
  if (exitCode !== 0) return exitCode
  const again = why(node)
  if (again === undefined) return 0
  print(`Node ${OLDER_NODE} does not start either: ${again}\n`)
  return 1
}
