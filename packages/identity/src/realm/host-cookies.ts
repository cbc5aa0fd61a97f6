import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { createInteractionList, type ProviderCookie } from './interaction-cookies.ts'
import type { RealmName } from './names.ts'

const PREFIX = '__Host-'

/**
 * On https the cookies of a realm have the prefix `__Host-`. A browser accepts such a cookie from this host only, so
 * that a page on a sibling or child host cannot set a session cookie (session fixation). The prefix requires Path=/,
 * but the provider gives the cookies of each interaction a path of their own. So one cookie lists the cookies of all
 * interactions that are open in the browser. Of these cookies, the provider sees only those of the interaction whose
 * uid is in the URL of the request. The provider sees all names without the prefix.
 */
export function useHostCookies(realm: RealmName, request: IncomingMessage, response: ServerResponse): void {
  const own = `storey_${realm}`
  const isOwn = (name: string) => name === own || name.startsWith(`${own}_`) || name.startsWith(`${own}.`)
  const listName = `${PREFIX}${own}_steps`
  const received = parseCookies(request.headers.cookie ?? '')
  const interactions = createInteractionList(own, received.find(([name]) => name === listName)?.[1])

  const forProvider = received.flatMap(([name, value]): [string, string][] => {
    // A cookie without the prefix could be set by another host.
    if (isOwn(name) || name === listName) return []
    return [[name.startsWith(PREFIX) && isOwn(name.slice(PREFIX.length)) ? name.slice(PREFIX.length) : name, value]]
  })
  const cookies = [...forProvider, ...interactions.forUrl(request.url ?? '')]
  request.headers.cookie = cookies.map(([name, value]) => `${name}=${value}`).join('; ')

  const rename = (lines: readonly string[]): string[] => {
    const others = lines.flatMap((line) => {
      const cookie = parseSetCookie(line)
      if (!isOwn(cookie.name)) return [line]
      return interactions.store(cookie)
        ? []
        : [`${PREFIX}${line.replace(/;\s*(path|domain|secure)\b[^;]*/gi, '')}${HOST_ONLY}`]
    })
    return interactions.changed()
      ? [...others, `${listName}=${interactions.text()}; max-age=3600; httponly; samesite=lax${HOST_ONLY}`]
      : others
  }
  const { writeHead } = response
  response.writeHead = ((
    status: number,
    ...rest: (string | OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined)[]
  ) => {
    const lines = response.getHeader('set-cookie')
    if (lines !== undefined) response.setHeader('set-cookie', rename([lines].flat().map(String)))
    return writeHead.call(response, status, ...(rest as []))
  }) as typeof writeHead
}

const HOST_ONLY = '; path=/; secure'

function parseCookies(header: string): [name: string, value: string][] {
  return header.split(';').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=')
    return at < 0 ? [] : [[trimmed(pair.slice(0, at)), trimmed(pair.slice(at + 1))]]
  })
}

/**
 * Removes only spaces and tabs, as HTTP defines. For a browser, other white space such as U+00A0 is part of the name,
 * so another host can set a cookie whose name has U+00A0 before `__Host-`. If U+00A0 were removed here, that cookie
 * would seem to have the prefix.
 */
const trimmed = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, '')

function parseSetCookie(line: string): ProviderCookie {
  const [pair = '', ...attributes] = line.split(/;\s*/)
  const at = pair.indexOf('=')
  const read = (key: string) =>
    attributes.find((text) => text.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1)
  const expires = read('expires')
  return {
    name: pair.slice(0, at),
    value: pair.slice(at + 1),
    path: read('path') ?? '/',
    isRemoved: expires !== undefined && Date.parse(expires) <= Date.now(),
  }
}
