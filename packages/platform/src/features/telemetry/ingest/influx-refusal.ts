import { Problem } from '@storey/contract'
import { toProblem } from '@storey/kit/http'

/** A problem with its text as `message` too, because clients of InfluxDB log that field. */
export function influxProblem(err: unknown): Problem {
  const { code, message, members, headers, cause } = toProblem(err)
  return new Problem(code, message, { members: { ...members, message }, headers, cause })
}

export function influxRefusal(err: unknown): never {
  throw influxProblem(err)
}
