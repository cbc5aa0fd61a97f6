import { connect } from './clients.ts'
import type { Context, Credential } from './context.ts'
import { CliError, wrongUsage } from './errors.ts'
import { sandboxOfToken } from './sandbox-token.ts'
import { configFolder } from './session/config-folder.ts'
import { keepSession } from './session/keep-session.ts'
import { openStore } from './session/open-store.ts'

/**
 * The credential for the provisioning service. An explicit credential takes precedence over a stored session. The token
 * of a sandbox in SVC_API_TOKEN, which `sandbox connect` sets, is ignored, because it is for that sandbox only.
 */
export async function findCredential(context: Context): Promise<Credential> {
  const { env, options, clock } = context
  if (options.token !== undefined) return explicit(options.token, '--token')
  const sandbox = sandboxOfToken(env.SVC_API_TOKEN)
  if (env.SVC_API_TOKEN && sandbox === undefined) return explicit(env.SVC_API_TOKEN, 'SVC_API_TOKEN')
  const service = context.service().url
  const store = openStore(context)
  const session = await store.read(service)
  if (session === undefined) throw notSignedIn(service, sandbox)
  const keeper = keepSession({ store, service, folder: configFolder(context), fetch: connect, clock }, session)
  return { source: 'the stored session', ...keeper }
}

function notSignedIn(service: string, sandbox: string | undefined): CliError {
  if (sandbox === undefined) {
    return new CliError(`You are not signed in to ${service}.`, {
      code: 'NOT_SIGNED_IN',
      next: 'Run `svc login`, or set SVC_API_TOKEN to an API key.',
    })
  }
  const why = `SVC_API_TOKEN is the token of the sandbox ${sandbox}, which is valid for that sandbox's own API only`
  return new CliError(`You are not signed in to ${service}, and ${why}.`, {
    code: 'NOT_SIGNED_IN',
    next: 'Run `svc login` (SVC_API_TOKEN can stay set), or pass an API key with --token.',
  })
}

function explicit(text: string, source: Credential['source']): Credential {
  const token = text.trim()
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw wrongUsage(`${source} is not a token: it is empty, or contains spaces or invalid characters.`)
  }
  return { source, token: async () => token }
}
