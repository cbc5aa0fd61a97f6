import { StoreyError, UnreachableError } from '@storey/sdk'
import type { Context } from '../context.ts'
import { EXIT } from '../errors.ts'
import { type Explained, localProblem } from './explained.ts'

/** What the clients throw, in the words of somebody at a keyboard. */
export function explainSdkError(error: unknown, context: Context): Explained | undefined {
  if (error instanceof StoreyError) {
    const { detail, requestId = '', ...rest } = error.problem
    const problem = { ...rest, requestId, detail: sentence(detail) }
    return { exitCode: EXIT.refused, problem, next: nextFor(error, context) }
  }
  if (error instanceof UnreachableError) return explainUnreachable(error, context)
  return undefined
}

function explainUnreachable(error: UnreachableError, context: Context): Explained {
  const { url, source } = context.service()
  const isService = error.origin === new URL(url).origin
  const reason = error.message.slice(error.message.indexOf(': ') + 2)
  const from = source === 'the default' ? 'the default address' : `from ${source}`
  const detail = isService
    ? `The service at ${url} (${from}) is out of reach, ${reason}: start it with \`npm start\`, or give its address with --api or SVC_SANDBOX_API_URL.`
    : `${error.origin} is out of reach, ${reason}: is that the right address, and does the service run?`
  const problem = localProblem('UNREACHABLE', 'The service is out of reach', detail, { address: error.origin })
  return { exitCode: EXIT.unreachable, problem, next: undefined }
}

const NEXT: Record<string, string> = {
  KEY_EXPIRED: 'Mint another key in the portal, and put it into SVC_API_TOKEN.',
  KEY_REVOKED: 'Mint another key in the portal, and put it into SVC_API_TOKEN.',
  SCOPE_DENIED: 'Use a key of the scope sandbox or full, or sign in with `svc login`.',
  QUOTA_EXCEEDED: '`svc sandbox list` shows yours, and `svc sandbox delete <id>` removes one.',
  EXTENSIONS_EXHAUSTED: 'Make a new one with `svc sandbox create`: the same --seed gives the same building.',
  TTL_TOO_LONG: 'Give fewer --days.',
  NOT_READY: 'Wait a moment, and run it again.',
  INTERNAL: 'Try again later; if it stays, name the request to the operator.',
}

function nextFor({ status, code, message, retryAfterSeconds }: StoreyError, context: Context): string | undefined {
  const { url, source } = context.service()
  if (code === 'UNAUTHENTICATED') return unauthenticated(context)
  if (code === 'RATE_LIMITED' || (status === 429 && retryAfterSeconds !== undefined)) {
    return `Run it again in ${retryAfterSeconds ?? 60} seconds.`
  }
  if (code === 'NOT_FOUND') {
    if (source === 'SVC_API_URL') return sandboxAddress(url)
    if (NOWHERE.test(message)) return isItThere(url)
    return "`svc sandbox list` shows your sandboxes; another developer's are not found."
  }
  if (code === 'UNKNOWN' && status < 500 && status !== 429) {
    return source === 'SVC_API_URL' ? sandboxAddress(url) : isItThere(url)
  }
  return NEXT[code] ?? (status >= 500 || status === 429 ? later(retryAfterSeconds) : undefined)
}

/** What is missing is not a record but the API itself. */
const NOWHERE = /^no such (route|host|address|path)/i

const isItThere = (url: string) => `Is ${url} the address of the provisioning service? --api gives another.`

const later = (seconds: number | undefined) =>
  seconds === undefined
    ? 'Try again later; if it stays, tell the operator.'
    : `Try again in ${seconds} seconds; if it stays, tell the operator.`

/** After `sandbox connect` the environment holds the sandbox's own token, which is good for that sandbox alone. */
function unauthenticated({ options, env, service }: Context): string {
  const [token, source] =
    options.token === undefined ? [env.SVC_API_TOKEN, 'SVC_API_TOKEN'] : [options.token, '--token']
  if (token === undefined || token === '') return 'Sign in again with `svc login`.'
  const sandbox = sandboxOfToken(token)
  if (sandbox === undefined) {
    return `${source} is not accepted by ${service().url}: give an API key of that service, or sign in with \`svc login\`.`
  }
  const mend = source === '--token' ? 'Leave --token out' : 'Run `unset SVC_API_TOKEN`'
  return `${source} is the token of the sandbox ${sandbox}, which is good for that sandbox's own API only. ${mend} to use your sign-in, or give an API key with --token.`
}

/** What a sandbox's own token says of itself; nobody trusts it for that. */
export function sandboxOfToken(token: string): string | undefined {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as { aud?: unknown }
    return typeof claims.aud === 'string' && claims.aud.startsWith('sbx_') ? claims.aud : undefined
  } catch {
    return undefined
  }
}

const sandboxAddress = (url: string) =>
  `${url} comes from SVC_API_URL and may be the address of a sandbox: set SVC_SANDBOX_API_URL to the provisioning service, or give it with --api.`

const sentence = (text: string) => (/[.?!]$/.test(text) ? text : `${text}.`)
