import { isModuleAddress } from '@storey/contract'
import { DEFAULT_REMOTE_ENTRY, remoteEntryAt } from '../../sandbox/default-remote.ts'
import { type Check, fail, ok, skipped } from './check.ts'
import { checkBuild, checkCors, checkExposed, checkName, isDevServer, originOf, SERVE, sharedReact } from './entry.ts'
import { type GetResult, get, isJavaScript } from './get.ts'
import { installCommand } from './install-command.ts'
import { type Entry, readEntry, type SharedReact } from './read-entry.ts'

/** The checks of the entry itself, in the order of the report. */
const ENTRY_CHECKS = ['remote-entry', 'build', 'cors', 'exposed', 'federation-name']

export interface RemoteQuestion {
  remoteEntryUrl: string
  federationName: string | undefined
  /** The origin of the shell that loads the module, if the sandbox is known. */
  shell: string | undefined
  /** The sandbox as the user or the folder names it, for suggested commands. */
  reference?: string | undefined
  /** The text of the remote entry that the project's last build wrote; undefined if there is no build. */
  built: string | undefined
}

export interface RemoteFindings {
  checks: Check[]
  react: SharedReact
}

export async function checkRemote(question: RemoteQuestion): Promise<RemoteFindings> {
  const address = checkAddress(question.remoteEntryUrl)
  if (address.state === 'fail') return rest([address], ['port', ...ENTRY_CHECKS], 'the address is not allowed')
  const url = new URL(question.remoteEntryUrl)
  const got = await get(url.href, originOf(question.shell))
  const problem = got.state === 'answered' ? entryProblem(got) : undefined
  const isDev = got.state === 'answered' && (await isDevServer(url))
  // If the project has a build, its own server would serve a remote entry. So another program uses the port.
  const isOther = problem !== undefined && !isDev && question.built !== undefined
  const before = [address, checkPort(url, got, isOther)]
  if (got.state !== 'answered') return rest(before, ENTRY_CHECKS, 'nothing answers there')

  if (problem !== undefined) {
    const fix = isDev ? `stop the dev server, then run ${SERVE}` : SERVE
    const found = `${url.href} ${problem}${isDev ? "; it is Vite's dev server" : ''}`
    return rest([...before, fail('remote-entry', found, fix)], ENTRY_CHECKS.slice(1), 'there is no remote entry')
  }
  const entry = readEntry(got.text)
  const other = otherModule(entry, question)
  if (other !== undefined) {
    const port = fail(
      'port',
      `the module ${other} runs on port ${portOf(url)}, not this module`,
      otherPortAdvice(url, question.reference),
    )
    return rest([address, port], ENTRY_CHECKS, 'another module is served there')
  }
  const isFromDev = entry.isFromDevServer || isDev
  const checks = [
    ...before,
    ok('remote-entry', `${url.href} answers with JavaScript, ${Math.ceil(got.text.length / 1024)} kB`),
    await checkBuild(url, entry, isFromDev, got.text, question.built),
    await checkCors(url.href, question.shell),
    checkExposed(entry, isFromDev),
    checkName(entry, got.text, question.federationName),
  ]
  return { checks, react: await sharedReact(url, entry) }
}

function rest(checks: Check[], names: readonly string[], why: string): RemoteFindings {
  return { checks: [...checks, ...names.map((name) => skipped(name, why))], react: { state: 'unseen' } }
}

/**
 * The name of the served module if it belongs to another project. A build of this project with a wrong name is not
 * taken for another project.
 */
function otherModule({ federationName: served }: Entry, { federationName, built }: RemoteQuestion): string | undefined {
  if (served === undefined || federationName === undefined || served === federationName) return undefined
  return built !== undefined && readEntry(built).federationName === served ? undefined : served
}

const portOf = (url: URL): number => Number(url.port || 80)

function otherPortAdvice(url: URL, reference: string | undefined): string {
  const next = portOf(url) + 1
  return `stop that module and run ${SERVE}, or run "${SERVE} -- --port ${next}" and ${installCommand(reference, remoteEntryAt(next))}`
}

/** Checks the address by the same rule as the platform and the shell. */
function checkAddress(text: string): Check {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && isModuleAddress(url)) return ok('address', `${url.origin} is this machine`)
  const fix = `serve the module on this machine at ${DEFAULT_REMOTE_ENTRY}; LAN addresses and tunnels are not allowed`
  return fail('address', `${text} is not http on localhost or 127.0.0.1`, fix)
}

function checkPort(url: URL, got: GetResult, isOther: boolean): Check {
  const port = portOf(url)
  const stop = `find that program with "lsof -i tcp:${port}" ("netstat -ano | findstr :${port}" on Windows), stop it, then run ${SERVE}`
  if (got.state === 'refused') return fail('port', `nothing listens on port ${port}`, SERVE)
  if (got.state === 'no-answer') {
    return fail('port', `port ${port} is used by a program that gives no usable HTTP response (${got.reason})`, stop)
  }
  if (isOther) return fail('port', `port ${port} is used by a program other than the server of this module`, stop)
  return ok('port', `a server listens on port ${port}`)
}

function entryProblem(got: GetResult & { state: 'answered' }): string | undefined {
  if (got.status !== 200) return `answers ${got.status}`
  if (!isJavaScript(got)) return `answers with ${got.headers['content-type'] ?? 'no content type'}, not JavaScript`
  return readEntry(got.text).isContainer ? undefined : 'is JavaScript, but not a remote entry of module federation'
}
