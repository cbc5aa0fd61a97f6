import { wrongUsage } from './errors.ts'

export const DEFAULT_ADDRESS = 'http://localhost:4000'

export interface Address {
  /** Without a slash at the end. */
  url: string
  /** Where the address was found, for messages. */
  source: '--api' | 'SVC_SANDBOX_API_URL' | 'SVC_API_URL' | 'the default'
}

/** The address of the provisioning service: the command line takes precedence over the environment. */
export function serviceAddress(api: string | undefined, env: Readonly<Record<string, string | undefined>>): Address {
  if (api !== undefined && api.trim() === '') {
    throw wrongUsage('--api is empty.', `Use an address such as ${DEFAULT_ADDRESS}, or omit --api.`)
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

/** Returns a valid address, or throws an error with the reason. */
export function checkedUrl(text: string, source: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw wrongUsage(
      `${source} is "${text}", which is not an http or https address.`,
      `Use an address such as ${DEFAULT_ADDRESS}.`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw wrongUsage(`${source} contains a user name or password.`, 'Set SVC_API_TOKEN instead.')
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
