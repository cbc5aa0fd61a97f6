import { isUtf8 } from 'node:buffer'
import { printableJson } from '@storey/contract/printable'
import type { Context } from '../../context.ts'
import { wrongUsage } from '../../errors.ts'
import { safeText } from '../../output/safe-text.ts'
import { compile } from '../../query/compile.ts'
import type { Filter } from '../../query/filter.ts'
import { buildingOf, type Target, targetSandbox } from '../../sandboxes/target.ts'
import { allPages } from './all-pages.ts'
import type { ApiOptions } from './api-options.ts'
import { apiRequest, apiUrlOf, isAbsolute } from './api-request.ts'
import { exactJson, parseExact } from './exact-json.ts'
import { type ApiAnswer, send } from './send.ts'

export async function callApi(context: Context, path: string, options: ApiOptions): Promise<void> {
  const select = options.jq === undefined ? undefined : compile(options.jq)
  const target = await targetSandbox(context, options.sandbox)
  const url = apiUrlOf(target.apiUrl, await buildingFor(context, target, path), path)
  const request = await apiRequest(context, url, options)
  if (options.all && request.method !== 'GET') throw wrongUsage('--all works only with GET.', 'Omit --all.')
  context.platformUrl = target.apiUrl
  const ask = (at: URL) => send({ ...request, url: at }, target.token, context.clock)
  // --jq needs JavaScript numbers, which can lose digits. Without --jq, numbers are printed as the API sent them.
  const jsonOf = ({ isJson, json, bytes }: ApiAnswer) =>
    isJson && select === undefined ? parseExact(Buffer.from(bytes).toString('utf8')) : json
  if (options.all) return print(context, await allPages(request.url, async (at) => jsonOf(await ask(at))), select)
  const answer = await ask(request.url)
  if (answer.isJson) return print(context, jsonOf(answer), select)
  if (select !== undefined) throw wrongUsage('--jq needs a JSON response, and this response is not JSON.', 'Omit --jq.')
  // A terminal shows text without control characters; a file or a pipe gets the bytes unchanged.
  const { bytes } = answer
  if (context.out.isTerminal && isUtf8(bytes)) context.out.print(safeText(Buffer.from(bytes).toString('utf8')))
  else context.out.bytes(bytes)
}

/** Reads the id of the building if the path needs it. Otherwise returns an empty text. */
async function buildingFor(context: Context, target: Target, path: string): Promise<string> {
  if (isAbsolute(path) && !path.includes('{buildingId}')) return ''
  return await buildingOf(target, await context.platform(target.apiUrl, target.token))
}

/**
 * Strings that `--jq` selects are printed without quotes, for other programs. With `--format=json` all results are
 * printed as one array.
 */
function print({ out }: Context, json: unknown, select: Filter | undefined): void {
  const shown = (text: string) => (out.isTerminal ? safeText(text) : text)
  const results = select?.(json)
  if (results === undefined) out.print(exactJson(json, 2))
  else if (out.format === 'json') out.print(printableJson(results, 2))
  else out.print(results.map((each) => `${typeof each === 'string' ? shown(each) : printableJson(each)}\n`).join(''))
}
