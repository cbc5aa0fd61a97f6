import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { ConnectInit } from '@storey/sdk'
import type { Context } from '../../context.ts'
import { CliError, wrongUsage } from '../../errors.ts'
import { describeSystemError } from '../../output/system-errors.ts'
import type { ApiOptions } from './api-options.ts'

export type ApiRequest = Pick<ConnectInit, 'method' | 'headers' | 'body'> & { url: URL }

/** The request that the options of the command describe. Fields become the body, or the query of a GET. */
export async function apiRequest(context: Context, url: URL, options: ApiOptions): Promise<ApiRequest> {
  const fields = fieldsOf(options)
  const hasFields = fields.size > 0
  if (hasFields && options.input !== undefined) {
    throw wrongUsage('--input cannot be combined with fields.', 'Use one of them for the body.')
  }
  const method = methodOf(options, hasFields || options.input !== undefined)
  const headers = headersOf(options)
  if (method === 'GET' && hasFields) {
    for (const [name, json] of fields) url.searchParams.set(name, json.startsWith('"') ? JSON.parse(json) : json)
    return { url, method, headers }
  }
  if (!hasFields && options.input === undefined) return { url, method, headers }
  const body = hasFields ? objectOf(fields) : await inputOf(context, options.input!)
  return { url, method, headers: { 'content-type': 'application/json', ...headers }, body }
}

const ADDRESS = /^https?:/i

/** Whether a path is not relative to the building. */
export const isAbsolute = (path: string): boolean => /^(\/|api\/)/.test(path) || ADDRESS.test(path)

/**
 * The address of a path on the sandbox. An address that is not below the sandbox's address is refused, because its
 * server, which may be another sandbox, must not get the token.
 */
export function apiUrlOf(apiUrl: string, buildingId: string, path: string): URL {
  const named = path.replaceAll('{buildingId}', buildingId)
  const full = isAbsolute(named) ? named.replace(/^api\//, '/api/') : `/api/v1/buildings/${buildingId}/${named}`
  const text = ADDRESS.test(full) ? full : apiUrl + full
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !isWithin(url, new URL(apiUrl))) {
    throw wrongUsage(`${path} is not an address of this sandbox.`, `Use a path, or an address below ${apiUrl}.`)
  }
  url.hash = ''
  return url
}

function isWithin(url: URL, base: URL): boolean {
  return url.origin === base.origin && `${url.pathname}/`.startsWith(`${base.pathname.replace(/\/+$/, '')}/`)
}

function methodOf({ method }: ApiOptions, hasBody: boolean): string {
  if (method === undefined) return hasBody ? 'POST' : 'GET'
  if (!/^[a-z]+$/i.test(method)) throw wrongUsage(`--method is "${method}".`, 'Use GET, POST, PUT, PATCH or DELETE.')
  return method.toUpperCase()
}

/** The JSON text of each field, by name. The values stay texts, because large integers would lose digits as numbers. */
function fieldsOf({ rawField = [], field = [] }: ApiOptions): Map<string, string> {
  const fields = new Map<string, string>()
  for (const each of rawField) {
    const [name, text] = nameAndValue('--raw-field', each)
    fields.set(name, JSON.stringify(text))
  }
  for (const each of field) {
    const [name, text] = nameAndValue('--field', each)
    fields.set(name, jsonOf(text))
  }
  return fields
}

function objectOf(fields: ReadonlyMap<string, string>): string {
  return `{${[...fields].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}

function nameAndValue(option: string, text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw wrongUsage(`${option} is "${text}".`, 'Use name=value.')
  return [text.slice(0, at), text.slice(at + 1)]
}

/** A value that is not JSON is a string. */
function jsonOf(text: string): string {
  try {
    JSON.parse(text)
    return text.trim()
  } catch {
    return JSON.stringify(text)
  }
}

function headersOf({ header = [] }: ApiOptions): Record<string, string> {
  return Object.fromEntries(
    header.map((text) => {
      const match = /^([\w-]+):\s*([\x20-\x7e]*)$/.exec(text)
      if (match === null) throw wrongUsage('--header is not valid.', 'Use "Name: value".')
      if (match[1]!.toLowerCase() === 'authorization')
        throw wrongUsage('svc sets Authorization itself.', 'Use --token.')
      return [match[1]!.toLowerCase(), match[2]!]
    }),
  )
}

async function inputOf({ cwd, stdin }: Context, file: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(file === '-' ? await buffer(stdin) : await readFile(resolve(cwd, file)))
  } catch (cause) {
    throw new CliError(`${file} cannot be read: ${describeSystemError(cause)}.`, { code: 'NO_INPUT', cause })
  }
}
