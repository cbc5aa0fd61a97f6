import { Problem } from '@storey/contract'
import { toProblem } from '@storey/kit/http'

/** The problem, with its text also in the field `message`, because clients of InfluxDB log that field. */
export function influxProblem(err: unknown): Problem {
  const { code, message, members, headers, cause } = toProblem(err)
  return new Problem(code, message, { members: { ...members, message }, headers, cause })
}

export function influxRefusal(err: unknown): never {
  throw influxProblem(err)
}
