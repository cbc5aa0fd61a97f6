import { Problem } from '@storey/contract'
import { toProblem } from '@storey/kit/http'

/** Throws a problem with its text as `message` too, because clients of InfluxDB log that field. */
export function influxRefusal(err: unknown): never {
  const { code, message, members, headers, cause } = toProblem(err)
  throw new Problem(code, message, { members: { ...members, message }, headers, cause })
}
