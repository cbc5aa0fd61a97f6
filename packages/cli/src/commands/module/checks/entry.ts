import { EXPOSE_NAME } from '@storey/contract'
import { type Check, fail, ok, skipped, warn } from './check.ts'
import { get, isJavaScript } from './get.ts'
import { type Entry, readSharedReact, type SharedReact } from './read-entry.ts'

/** What serves a module as a shell wants it. */
export const SERVE = 'npm run serve:remote'

/** The dev server alone hands out its client for reloading; a preview has a 404 or a page in its place. */
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
    return fail('build', "it comes from Vite's dev server, and a shell loads builds only", `end it, then ${SERVE}`)
  }
  for (const part of parts) {
    const got = await get(new URL(part, url).href)
    if (got.state === 'answered' && got.status === 200 && isJavaScript(got)) continue
    return fail('build', `its part ${part} is not served`, `end the server that runs there, then ${SERVE}`)
  }
  if (built !== undefined && built !== served) {
    return warn('build', 'it is another build than the one in dist', `end the server that runs there, then ${SERVE}`)
  }
  return ok('build', built === undefined ? 'it comes from a build' : 'it is the build in dist')
}

export async function checkCors(url: string, origins: readonly string[]): Promise<Check> {
  for (const origin of origins) {
    const got = await get(url, origin)
    const admitted = got.state === 'answered' ? got.headers['access-control-allow-origin'] : undefined
    if (admitted === origin || admitted === '*') continue
    const mend = /\.localhost(:\d+)?$/.test(origin)
      ? 'take preview.cors out of vite.config.ts, or admit this origin there'
      : 'eval "$(svc sandbox connect <id>)", which sets SVC_CONSOLE_URL, then start serve:remote again'
    return fail(
      'cors',
      `the shell at ${origin} may not read it: Access-Control-Allow-Origin is ${admitted ?? 'absent'}`,
      mend,
    )
  }
  return ok('cors', `${origins.join(' and ')} may read it`)
}

export function checkExposed(entry: Entry, isDev: boolean): Check {
  if (isDev) return skipped('exposed', 'the dev server does not tell')
  if (entry.exposes.includes(EXPOSE_NAME)) return ok('exposed', `${EXPOSE_NAME} is exposed`)
  const others = entry.exposes.length === 0 ? 'nothing that can be seen' : entry.exposes.join(', ')
  const mend = `in vite.config.ts, exposes: { '${EXPOSE_NAME}': './src/Shell.tsx' }, then build again`
  return fail('exposed', `${EXPOSE_NAME} is not exposed; the entry has ${others}`, mend)
}

export function checkName(entry: Entry, text: string, wanted: string | undefined): Check {
  const name = 'federation-name'
  if (wanted === undefined) return skipped(name, 'without a manifest its name is not known')
  const mend = `in vite.config.ts, name: '${wanted}', then build again; if another module runs on the port, end it`
  if (entry.federationName === wanted) return ok(name, `${wanted}, as the registry has it`)
  if (entry.federationName !== undefined) return fail(name, `the entry is ${entry.federationName}, not ${wanted}`, mend)
  const isNamed = ['"', "'", '`'].some((quote) => text.includes(quote + wanted + quote))
  return isNamed ? ok(name, `${wanted} is named in the entry`) : warn(name, `${wanted} is not named in the entry`, mend)
}

export async function sharedReact(url: URL, { sharesFile }: Entry): Promise<SharedReact> {
  if (sharesFile === undefined) return { state: 'unseen' }
  const got = await get(new URL(sharesFile, url).href)
  return got.state === 'answered' && got.status === 200 ? readSharedReact(got.text) : { state: 'unseen' }
}
