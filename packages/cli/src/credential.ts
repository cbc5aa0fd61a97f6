import { connect } from './clients.ts'
import type { Context, Credential } from './context.ts'
import { CliError, wrongUsage } from './errors.ts'
import { configFolder } from './session/config-folder.ts'
import { keepSession } from './session/keep-session.ts'
import { openStore } from './session/open-store.ts'

/** An explicit credential wins over a stored session. */
export async function findCredential(context: Context): Promise<Credential> {
  const { env, options, clock } = context
  if (options.token !== undefined) return explicit(options.token, '--token')
  if (env.SVC_API_TOKEN) return explicit(env.SVC_API_TOKEN, 'SVC_API_TOKEN')
  const service = context.service().url
  const store = openStore(context)
  const session = await store.read(service)
  if (session === undefined) {
    throw new CliError(`You are not signed in to ${service}.`, {
      code: 'NOT_SIGNED_IN',
      next: 'Run `svc login`, or set SVC_API_TOKEN to an API key.',
    })
  }
  const keeper = keepSession({ store, service, folder: configFolder(context), fetch: connect, clock }, session)
  return { source: 'the stored session', ...keeper }
}

function explicit(text: string, source: Credential['source']): Credential {
  const token = text.trim()
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw wrongUsage(`${source} is not a token: it is empty, or contains spaces or invalid characters.`)
  }
  return { source, token: async () => token }
}

/** Tokens of realms and sandboxes have three parts separated by dots; a key has no dots. */
export function isJwt(token: string): boolean {
  return token.split('.').length === 3
}
