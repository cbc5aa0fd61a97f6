import { wrongUsage } from './errors.ts'

export const DEFAULT_ADDRESS = 'http://localhost:4000'

export interface Address {
  /** Without a slash at the end. */
  url: string
  /** Where it was found, for a sentence. */
  source: '--api' | 'SVC_SANDBOX_API_URL' | 'SVC_API_URL' | 'the default'
}

/** Of the provisioning service: what is said on the command line comes first, then the environment. */
export function serviceAddress(api: string | undefined, env: Readonly<Record<string, string | undefined>>): Address {
  if (api !== undefined && api.trim() === '') {
    throw wrongUsage('--api is empty.', `Give an address such as ${DEFAULT_ADDRESS}, or leave --api out.`)
  }
  const found = [
    [api, '--api'],
    [env.SVC_SANDBOX_API_URL, 'SVC_SANDBOX_API_URL'],
    [env.SVC_API_URL, 'SVC_API_URL'],
    [DEFAULT_ADDRESS, 'the default'],
  ] as const
  const [text, source] = found.find(([value]) => value !== undefined && value.trim() !== '')!
  return { url: checkedUrl(text!, source), source }
}

/** An address that can be called, or a sentence about what is wrong with it. */
export function checkedUrl(text: string, source: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw wrongUsage(
      `${source} is "${text}", which is no http or https address.`,
      `Give one such as ${DEFAULT_ADDRESS}.`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw wrongUsage(`${source} holds a user name or password.`, 'Give credentials with SVC_API_TOKEN instead.')
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
