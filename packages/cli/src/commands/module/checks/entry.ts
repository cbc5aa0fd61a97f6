import { EXPOSE_NAME } from '@storey/contract'
import { type Check, fail, ok, skipped, warn } from './check.ts'
import { get, isJavaScript } from './get.ts'
import { type Entry, readSharedReact, type SharedReact } from './read-entry.ts'

/** The command that serves a module for the shell. */
export const SERVE = 'npm run serve:remote'

/**
 * Whether Vite's dev server is at the address. Only the dev server has Vite's client at this path; a preview server
 * answers with 404 or a page.
 */
export async function isDevServer(url: URL): Promise<boolean> {
  const got = await get(new URL('/@vite/client', url).href)
  return got.state === 'answered' && got.status === 200 && isJavaScript(got)
}

export async function checkBuild(
  url: URL,
  { parts }: Entry,
  isDev: boolean,
  served: string,
  built: string | undefined,
): Promise<Check> {
  if (isDev) {
    return fail(
      'build',
      "the entry is served by Vite's dev server, but the shell loads only builds",
      `stop the dev server, then run ${SERVE}`,
    )
  }
  for (const part of parts) {
    const got = await get(new URL(part, url).href)
    if (got.state === 'answered' && got.status === 200 && isJavaScript(got)) continue
    return fail(
      'build',
      `the file ${part}, which the entry imports, is not served`,
      `stop the server that runs there, then run ${SERVE}`,
    )
  }
  if (built !== undefined && built !== served) {
    return warn(
      'build',
      'the served build is not the one in dist',
      `stop the server that runs there, then run ${SERVE}`,
    )
  }
  return ok('build', built === undefined ? 'the entry is a build' : 'the served build is the one in dist')
}

/** The origin to check with if no sandbox is known. Every shell on this machine has an origin of this form. */
const LOCAL_SHELL = 'http://sandbox.localhost:4000'

export const originOf = (shell: string | undefined): string => shell ?? LOCAL_SHELL

export async function checkCors(url: string, shell: string | undefined): Promise<Check> {
  const origin = originOf(shell)
  const called = shell === undefined ? 'the shell of any sandbox on this machine' : `the shell at ${shell}`
  const got = await get(url, origin)
  const admitted = got.state === 'answered' ? got.headers['access-control-allow-origin'] : undefined
  if (admitted === origin || admitted === '*') return ok('cors', `${called} may read the entry`)
  const fix = /\.localhost(:\d+)?$/.test(origin)
    ? 'remove preview.cors from vite.config.ts, or allow this origin there'
    : 'run eval "$(svc sandbox connect <sandbox>)", which sets SVC_CONSOLE_URL, then start serve:remote again'
  return fail('cors', `${called} may not read the entry: Access-Control-Allow-Origin is ${admitted ?? 'absent'}`, fix)
}

export function checkExposed(entry: Entry, isDev: boolean): Check {
  if (isDev) return skipped('exposed', 'the dev server does not report what is exposed')
  if (entry.exposes.includes(EXPOSE_NAME)) return ok('exposed', `${EXPOSE_NAME} is exposed`)
  const others = entry.exposes.length === 0 ? 'nothing' : entry.exposes.join(', ')
  const fix = `set exposes to { '${EXPOSE_NAME}': './src/Shell.tsx' } in vite.config.ts, then build again`
  return fail('exposed', `${EXPOSE_NAME} is not exposed; the entry exposes ${others}`, fix)
}

export function checkName(entry: Entry, text: string, wanted: string | undefined): Check {
  const name = 'federation-name'
  if (wanted === undefined) return skipped(name, 'the name of the module is unknown without a valid manifest')
  const fix = `set name to '${wanted}' in vite.config.ts, then build again`
  if (entry.federationName === wanted) return ok(name, `${wanted}, as the slug requires`)
  if (entry.federationName !== undefined)
    return fail(name, `the entry is named ${entry.federationName}, not ${wanted}`, fix)
  const isNamed = ['"', "'", '`'].some((quote) => text.includes(quote + wanted + quote))
  return isNamed
    ? ok(name, `the entry contains the name ${wanted}`)
    : warn(name, `the entry does not contain the name ${wanted}`, fix)
}

export async function sharedReact(url: URL, { sharesFile }: Entry): Promise<SharedReact> {
  if (sharesFile === undefined) return { state: 'unseen' }
  const got = await get(new URL(sharesFile, url).href)
  return got.state === 'answered' && got.status === 200 ? readSharedReact(got.text) : { state: 'unseen' }
}
