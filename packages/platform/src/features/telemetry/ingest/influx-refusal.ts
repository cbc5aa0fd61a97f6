import { Problem } from '@storey/contract'
import { toProblem } from '@storey/kit/http'

/** Clients of InfluxDB log the `message` of a refusal. */
export function influxRefusal(err: unknown): never {
  const { code, message, members, headers, cause } = toProblem(err)
  throw new Problem(code, message, { members: { ...members, message }, headers, cause })
}
