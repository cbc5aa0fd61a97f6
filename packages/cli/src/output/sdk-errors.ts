import { countOf } from '@storey/contract'
import { StoreyError, UnreachableError } from '@storey/sdk'
import type { Address } from '../address.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../errors.ts'
import { sandboxOfToken } from '../sandbox-token.ts'
import { type Explained, localProblem } from './explained.ts'

/** Messages for the errors of the SDK's clients. */
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
  const service = serviceOf(context)
  const isService = service !== undefined && error.origin === new URL(service.url).origin
  const reason = error.message.slice(error.message.indexOf(': ') + 2)
  const detail = isService
    ? serviceUnreachable(service, reason)
    : `${error.origin} is unreachable, ${reason}: check the address and that the service is running.`
  const problem = localProblem('UNREACHABLE', 'The service is unreachable', detail, { address: error.origin })
  return { exitCode: EXIT.unreachable, problem, next: undefined }
}

function serviceUnreachable({ url, source }: Address, reason: string): string {
  const from = source === 'the default' ? 'the default address' : `from ${source}`
  const start = isLoopback(new URL(url).hostname) ? 'start it with `npm start`' : 'check that it is running'
  return `The service at ${url} (${from}) is unreachable, ${reason}: ${start}, or set its address with --api or SVC_SANDBOX_API_URL.`
}

/**
 * The address of the service; undefined if it is invalid. A command that does not use this address can fail too, and
 * its error is still explained.
 */
function serviceOf(context: Context): Address | undefined {
  try {
    return context.service()
  } catch {
    return undefined
  }
}

const isLoopback = (host: string) => /(^|\.)localhost$|^127\.|^\[::1\]$/.test(host)

const TOO_MANY_SANDBOXES = '`svc sandbox list` shows your sandboxes, and `svc sandbox delete <sandbox>` removes one.'
const NEXT: Record<string, string> = {
  KEY_EXPIRED: 'Create another key in the portal, and use it in --token or SVC_API_TOKEN.',
  KEY_REVOKED: 'Create another key in the portal, and use it in --token or SVC_API_TOKEN.',
  SCOPE_DENIED: 'Use a key with the scope sandbox or full, or sign in with `svc login`.',
  EXTENSIONS_EXHAUSTED:
    'Create a new sandbox with `svc sandbox create`: the same options and --seed give the same building.',
  TTL_TOO_LONG: 'Use fewer --days.',
  SANDBOX_SUSPENDED: 'Ask the operator of the service to resume the sandbox.',
  NOT_READY: 'Wait a moment and run the command again.',
  INTERNAL: 'Try again later. If the error persists, send the request id to the operator.',
}

function nextFor(
  { status, code, message, retryAfterSeconds, problem }: StoreyError,
  context: Context,
): string | undefined {
  const service = serviceOf(context)
  // The detail of the problem for a disabled account says whom to ask.
  if (code === 'UNAUTHENTICATED') return ACCOUNT_DISABLED.test(message) ? undefined : unauthenticated(context)
  if (code === 'RATE_LIMITED' || (status === 429 && retryAfterSeconds !== undefined)) {
    return `Run the command again in ${countOf(retryAfterSeconds ?? 60, 'second')}.`
  }
  if (problem.outcome === 'unknown') return 'The command may have had its effect. Check that before you run it again.'
  // For other quotas, the detail names the quota and says what to do.
  if (code === 'QUOTA_EXCEEDED') return problem.quota === 'sandboxes' ? TOO_MANY_SANDBOXES : undefined
  if (code === 'NOT_FOUND' && context.platformUrl !== undefined) {
    return `${context.platformUrl}/docs lists the paths; \`svc sandbox list\` shows your sandboxes.`
  }
  if (code === 'NOT_FOUND') {
    if (service?.source === 'SVC_API_URL') return sandboxAddress(service.url)
    if (service !== undefined && API_NOT_FOUND.test(message)) return askForAddress(service.url)
    return '`svc sandbox list` shows your sandboxes; those of other developers are not found.'
  }
  if (code === 'UNKNOWN' && service !== undefined && status < 500 && status !== 429) {
    return service.source === 'SVC_API_URL' ? sandboxAddress(service.url) : askForAddress(service.url)
  }
  return NEXT[code] ?? (status >= 500 || status === 429 ? later(retryAfterSeconds) : undefined)
}

const ACCOUNT_DISABLED = /is disabled: ask the operator/

/** Details of a 404 which means that the API itself, not a record, was not found. */
const API_NOT_FOUND = /^no such (route|host|address|path)/i

const askForAddress = (url: string) => `Is ${url} the address of the provisioning service? Use --api for another.`

const later = (seconds: number | undefined) =>
  seconds === undefined
    ? 'Try again later. If the error persists, contact the operator.'
    : `Try again in ${countOf(seconds, 'second')}. If the error persists, contact the operator.`

function unauthenticated({ options, env, service, platformUrl }: Context): string {
  if (platformUrl !== undefined) {
    return `${platformUrl} does not accept the token: run eval "$(svc sandbox connect <sandbox>)" again, or use --sandbox.`
  }
  const [token, source] =
    options.token === undefined ? [env.SVC_API_TOKEN, 'SVC_API_TOKEN'] : [options.token, '--token']
  const sandbox = sandboxOfToken(token)
  // A sandbox's token in SVC_API_TOKEN is not sent to the service; the token of the stored session was sent.
  if (!token || (sandbox !== undefined && source === 'SVC_API_TOKEN')) return 'Sign in again with `svc login`.'
  if (sandbox === undefined) {
    return `${source} is not accepted by ${service().url}: use an API key of that service, or sign in with \`svc login\`.`
  }
  return `--token is the token of the sandbox ${sandbox}, which is valid for that sandbox's own API only. Omit --token to use your session, or pass an API key.`
}

const sandboxAddress = (url: string) =>
  `${url} comes from SVC_API_URL and may be the address of a sandbox: set SVC_SANDBOX_API_URL to the provisioning service, or use --api.`

const sentence = (text: string) => (/[.?!]$/.test(text) ? text : `${text}.`)
