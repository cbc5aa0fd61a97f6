import {
  DeliveryDetail,
  DeliveryList,
  DeliveryParams,
  DeliveryRecord,
  DeliveryRequest,
  LIMITS,
  NoBody,
  NoQuery,
  Redelivery,
  WebhookParams,
} from '@storey/contract'
import type { HttpApp } from '@storey/kit/http'
import { callerOf } from '../../caller.ts'
import { listAttempts } from './delivery/deliveries.store.ts'
import { readDelivery } from './delivery/read-delivery.ts'
import { redeliver } from './delivery/redeliver.ts'
import { sendTest } from './delivery/send-test.ts'
import { readWebhook, type WebhookParts } from './subscriptions/create-webhook.ts'
import type { WebhookPlace } from './subscriptions/webhooks.store.ts'

const READ = { access: 'platform.webhooks:read' }
const WRITE = { access: 'platform.webhooks:write' }
export const tags = ['Webhooks']
export const ONE = '/api/v1/webhooks/:webhookId'

export function placeOf(request: { params: { webhookId: string } } & Parameters<typeof callerOf>[0]): WebhookPlace {
  return { webhookId: request.params.webhookId.toLowerCase(), scope: callerOf(request).buildingIds }
}

export function deliveryRoutes(app: HttpApp, parts: WebhookParts): void {
  const { db } = parts
  app.addSchema(DeliveryRecord)
  app.addSchema(DeliveryRequest)
  app.addSchema(DeliveryDetail)

  const { attemptsListed: limit } = LIMITS.webhook
  const listSchema = {
    tags,
    summary: `List the last ${limit} attempts, the newest first`,
    description:
      'Each row is one attempt of a delivery. A delivery that has ended is deleted when its attempts are no longer listed.',
    params: WebhookParams,
    querystring: NoQuery,
    response: { 200: DeliveryList },
  }
  app.get(`${ONE}/deliveries`, { config: READ, schema: listSchema }, async (request) => {
    const { id } = await readWebhook(db, placeOf(request))
    const data = await listAttempts(db, id)
    return { data, total: data.length, limit, offset: 0 }
  })

  const readSchema = {
    tags,
    summary: 'Read a delivery: its request and its attempts',
    description:
      'Returns the body that is sent, its content type and idempotency key, and each attempt with its response. ' +
      'Signatures are not stored. A delivery that has ended is deleted when none of its attempts is listed any more.',
    params: DeliveryParams,
    querystring: NoQuery,
    response: { 200: { $ref: 'DeliveryDetail#' } },
  }
  app.get(`${ONE}/deliveries/:deliveryId`, { config: READ, schema: readSchema }, (request) =>
    readDelivery(db, placeOf(request), request.params.deliveryId),
  )

  const redeliverSchema = {
    tags,
    summary: 'Send a delivery again',
    description:
      'Sends the same bytes with the same idempotency key immediately, signed with the current secret. A delivery that ' +
      'has ended gets one more attempt. The next attempt of a pending delivery is made now instead of at ' +
      'nextAttemptAt. Responds with 409 while the delivery is being sent, or while a person has paused the webhook.',
    params: DeliveryParams,
    querystring: NoQuery,
    body: NoBody,
    response: { 202: Redelivery },
  }
  const redeliverPath = `${ONE}/deliveries/:deliveryId/redeliver`
  app.post(
    redeliverPath,
    { config: { ...WRITE, problems: ['CONFLICT'] }, schema: redeliverSchema },
    async (request, reply) => {
      const { deliveryId } = request.params
      await redeliver(parts, placeOf(request), deliveryId)
      return reply.code(202).send({ deliveryId })
    },
  )

  const testSchema = {
    tags,
    summary: 'Send a test to a webhook',
    description:
      'Checks the address, sends webhook.test once, and returns the attempt. The test counts neither as a failure ' +
      'nor as a success of the webhook.',
    params: WebhookParams,
    querystring: NoQuery,
    body: NoBody,
    response: { 200: { $ref: 'Delivery#' } },
  }
  app.post(`${ONE}/test`, { config: { ...WRITE, problems: ['WEBHOOK_URL_REJECTED'] }, schema: testSchema }, (request) =>
    sendTest(parts, placeOf(request)),
  )
}
