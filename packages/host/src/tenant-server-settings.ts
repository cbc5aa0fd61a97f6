import type { SettingsReader } from '@storey/kit/config'
import type { ServerEntry } from '@storey/provisioning'

const NAME = 'TENANT_DATABASE_URLS'
const SCHEMES = ['postgres:', 'postgresql:']

/**
 * The servers for databases of sandboxes. Errors name an entry by its position, because an entry may contain a
 * password.
 */
export function readTenantServers(read: SettingsReader): ServerEntry[] {
  const seen = new Set<string>()
  return read.list(NAME).flatMap((text, i): ServerEntry[] => {
    const entry = `entry ${i + 1}`
    const url = text === 'control' ? text : parse(text)
    if (url === undefined) {
      read.addError(
        NAME,
        `must be URLs that start with postgres://, or "control", separated by commas; ${entry} is neither`,
      )
      return []
    }
    const name = url === 'control' ? url : `${url.hostname}:${url.port || 5432}`
    if (seen.has(name)) read.addError(NAME, `must list each server once; ${entry} is ${name} again`)
    seen.add(name)
    return [url]
  })
}

function parse(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url && SCHEMES.includes(url.protocol) && url.hostname !== '' ? url : undefined
}
