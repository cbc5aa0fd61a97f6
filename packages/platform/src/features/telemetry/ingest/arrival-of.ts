import { ARRIVED_AT_HEADER } from '@storey/contract'
import { isInternal } from '../../../caller.ts'

type Request = Parameters<typeof isInternal>[0] & { headers: Record<string, unknown> }

/** Milliseconds since 1970 of the years 2001 to 2286. */
const TIME = /^[1-9]\d{12}$/

/**
 * When the control plane received the MQTT message. Undefined if the caller is not the control plane. A malformed time
 * is ignored: a refusal would drop the message.
 */
export function arrivalOf(request: Request): Date | undefined {
  const sent = request.headers[ARRIVED_AT_HEADER]
  return isInternal(request) && typeof sent === 'string' && TIME.test(sent) ? new Date(Number(sent)) : undefined
}
