import type { ReadAnswer } from '../packages/provisioning/src/testing/traffic/read-answers.ts'
import type { IntendedRequest } from '../packages/provisioning/src/testing/traffic/read-requests.ts'
import type { IngestConnection } from './ingest-connection.ts'
import { ingestPath, type Parties, type Party } from './ingest-traffic.ts'
import { observationsIn, type Sent } from './stored-observations.ts'

/** What a response shows: a fault of the service, observations that it acknowledges, or neither. */
type Finding = { fault: string } | { party: Party; acknowledged: Sent[] } | undefined

/** A connection before its client ended it: whether the service had ended it, and the number of responses. */
export interface BeforeEnd {
  hasEnded: boolean
  answered: number
}

/**
 * Compares the responses of a connection with its requests, in order. Bytes that are not a request get at most one
 * refusal, and then the connection ends.
 */
export function* checkResponses(
  { requests, answers, complete, isUpgraded }: IngestConnection,
  { hasEnded, answered }: BeforeEnd,
  parties: Parties,
): Generator<NonNullable<Finding>> {
  if (!hasEnded && !isUpgraded && answered < complete)
    yield { fault: `only ${answered} of ${complete} requests were answered` }
  if (!hasEnded && answered > requests.length)
    yield { fault: 'bytes that are not a request are refused, and the connection does not end' }
  for (const [i, answer] of answers.entries()) {
    const request = requests[i]
    const found = request ? checkResponse(request, answer, parties) : checkRefusal(answer, i === answers.length - 1)
    if (found) yield 'fault' in found ? { fault: `response ${i} ${found.fault}` } : found
  }
}

function checkRefusal({ status }: ReadAnswer, isLast: boolean): Finding {
  if (status < 400 || status >= 500) return { fault: `belongs to no request: ${status}` }
  return isLast ? undefined : { fault: 'refuses bytes that are not a request, and others follow it' }
}

function checkResponse(request: IntendedRequest, { status, body }: ReadAnswer, { own, other }: Parties): Finding {
  const { method, complete, host } = request
  const path = decoded(request.target)
  if (status >= 500) return { fault: `is a failure: ${status} ${body}` }
  if (status >= 400 || method === 'OPTIONS' || path === '/healthz') return undefined
  if (!complete) return { fault: `is ${status}, but the end of the request was not sent` }
  const slug = /^\/s\/([^/]+)/.exec(path)?.[1]
  const isFor = (one: Party) =>
    slug === undefined ? nameOf(one.host) === nameOf(host) : one.host.startsWith(`${slug}.`)
  const party = [own, other].find(isFor)
  if (party === undefined) return { fault: `is ${status}, but no sandbox has the host ${host}` }
  // If there are several credentials, the first one counts.
  if (request.authorization[0]?.split(' ')[1] !== party.token)
    return { fault: `is ${status}, but the credential is not one of ${host}` }
  if (method === 'GET' && status === 200)
    return body.includes(`"id":"${party.buildingId}"`)
      ? undefined
      : { fault: `is not the building of ${host}: ${body}` }
  if (method !== 'POST' || !path.includes(ingestPath(party, ''))) return { fault: `is ${status} to ${method} ${path}` }
  const acknowledged = observationsIn(request)
  if (status === 202 && body !== JSON.stringify({ accepted: acknowledged.length }))
    return { fault: `is ${body}, but ${acknowledged.length} observations were sent` }
  return { party, acknowledged }
}

/** The target of a request, whose letters may be percent-encoded. */
function decoded(target: string): string {
  try {
    return decodeURI(target)
  } catch {
    return target
  }
}

/** The name of a host, without a dot at its end and the port. */
const nameOf = (host: string): string => host.toLowerCase().replace(/\.?(?::\d*)?$/, '')

/** Responses without the parts that differ each time. */
export const masked = (text: string): string =>
  text
    .replace(/(HTTP\/1\.1 101 ).*/s, '$1')
    .replace(/^date: .*$/gim, 'date')
    .replace(/req_[\da-f]{32}/g, 'req')
    .replace(/;r=\d+;t=\d+/g, ';r;t')
    .replace(/2001-01-\d\dT[\d:.]+Z/g, 'time')

/** Bytes for the output, with short names instead of credentials and ids. */
export function shown(bytes: string, { own, other }: Parties): string {
  let text = bytes
  for (const [name, party] of Object.entries({ own, other })) {
    for (const field of ['token', 'buildingId', 'pointId', 'host'] as const)
      text = text.replaceAll(party[field], `<${field} of ${name}>`)
  }
  const countIn = (list: string) => `<${list.split('"pointId"').length - 1} observations>`
  text = text.replace(/(?:\{"pointId":"[^"]+","value":"\d+","timestamp":"[^"]+"\}[,\n]?){2,}/g, countIn)
  return JSON.stringify(text.length > 4_000 ? `${text.slice(0, 2_000)}…${text.slice(-2_000)}` : text)
}
