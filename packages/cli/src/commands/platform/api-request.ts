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
  const hasFields = Object.keys(fields).length > 0
  if (hasFields && options.input !== undefined) {
    throw wrongUsage('--input cannot be combined with fields.', 'Use one of them for the body.')
  }
  const method = methodOf(options, hasFields || options.input !== undefined)
  const headers = headersOf(options)
  if (method === 'GET' && hasFields) {
    for (const [name, value] of Object.entries(fields)) {
      url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value))
    }
    return { url, method, headers }
  }
  if (!hasFields && options.input === undefined) return { url, method, headers }
  const body = hasFields ? JSON.stringify(fields) : await inputOf(context, options.input!)
  return { url, method, headers: { 'content-type': 'application/json', ...headers }, body }
}

/** The address of a path on the sandbox. Other hosts are refused, because they must not get the sandbox's token. */
export function apiUrlOf(apiUrl: string, buildingId: string, path: string): URL {
  const named = path.replaceAll('{buildingId}', buildingId).replace(/^api\//, '/api/')
  if (/^https?:/i.test(named)) {
    if (URL.canParse(named) && new URL(named).origin === new URL(apiUrl).origin) return new URL(named)
    throw wrongUsage(`${path} is not an address of this sandbox.`, `Use a path, or an address below ${apiUrl}.`)
  }
  const url = new URL(apiUrl + (named.startsWith('/') ? named : `/api/v1/buildings/${buildingId}/${named}`))
  url.hash = ''
  return url
}

function methodOf({ method }: ApiOptions, hasBody: boolean): string {
  if (method === undefined) return hasBody ? 'POST' : 'GET'
  if (!/^[a-z]+$/i.test(method)) throw wrongUsage(`--method is "${method}".`, 'Use GET, POST, PUT, PATCH or DELETE.')
  return method.toUpperCase()
}

function fieldsOf({ rawField = [], field = [] }: ApiOptions): Record<string, unknown> {
  const fields = new Map<string, unknown>()
  for (const each of rawField) fields.set(...nameAndValue('--raw-field', each))
  for (const each of field) {
    const [name, text] = nameAndValue('--field', each)
    fields.set(name, typed(text))
  }
  return Object.fromEntries(fields)
}

function nameAndValue(option: string, text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw wrongUsage(`${option} is "${text}".`, 'Use name=value.')
  return [text.slice(0, at), text.slice(at + 1)]
}

/** A value that is not JSON is a string. */
function typed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
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
