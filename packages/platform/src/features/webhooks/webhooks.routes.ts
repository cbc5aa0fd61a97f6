import {
  LIMITS,
  NewWebhook,
  NoBody,
  NoQuery,
  pageOf,
  WEBHOOK_EVENTS,
  WebhookList,
  WebhookParams,
  WebhookPatch,
  WebhookQuery,
  WebhookRecord,
} from '@storey/contract'
import { BY_VERSION, type HttpApp } from '@storey/kit/http'
import Type from 'typebox'
import { callerOf } from '../../caller.ts'
import { deliveryRoutes, ONE, placeOf, tags } from './deliveries.routes.ts'
import { changeWebhook, removeWebhook, resetFailures, rotateSecret } from './subscriptions/change-webhook.ts'
import { createWebhook, readWebhook, type WebhookParts } from './subscriptions/create-webhook.ts'
import { listWebhooks } from './subscriptions/webhooks.store.ts'

const READ = { access: 'platform.webhooks:read' }
const WRITE = { access: 'platform.webhooks:write' }
const PATH = '/api/v1/webhooks'
const response = { $ref: 'Webhook#' }
const RECORD = { record: BY_VERSION }
const SUBSCRIBING = ['UNKNOWN_EVENT', 'WEBHOOK_URL_REJECTED'] as const

export function webhookRoutes(app: HttpApp, parts: WebhookParts): void {
  const { db } = parts
  const one = { tags, params: WebhookParams, querystring: NoQuery, response: { 200: response } }
  app.addSchema(WebhookRecord)

  const createSchema = {
    tags,
    summary: 'Subscribe to events',
    description:
      `The events are ${WEBHOOK_EVENTS.join(', ')}. Only this response contains the full secret. A token that is limited ` +
      'to some buildings subscribes to the events of these buildings only.',
    querystring: NoQuery,
    body: NewWebhook,
    response: { 201: response },
  }
  const createConfig = { ...WRITE, newRecord: BY_VERSION, problems: SUBSCRIBING }
  app.post(PATH, { config: createConfig, schema: createSchema }, async (request, reply) => {
    const created = await createWebhook(parts, request.body, callerOf(request))
    reply.code(201).headers({ location: `${PATH}/${created.id}`, 'cache-control': 'no-store' })
    return created
  })

  const listSchema = {
    tags,
    summary: 'List webhooks, the newest first',
    description: 'Returns a page of the webhooks, each with the first characters of its secret.',
    querystring: WebhookQuery,
    response: { 200: WebhookList },
  }
  app.get(PATH, { config: READ, schema: listSchema }, (request) =>
    listWebhooks(db, callerOf(request).buildingIds, pageOf(request.query)),
  )

  app.get(
    ONE,
    {
      config: { ...READ, ...RECORD },
      schema: {
        ...one,
        summary: 'Read a webhook',
        description:
          'Returns the webhook with its status, its number of failures in a row, and the first characters of its secret.',
      },
    },
    (request) => readWebhook(db, placeOf(request)),
  )

  const patchSchema = {
    ...one,
    summary: 'Change a webhook',
    description:
      'A new url is checked as on creation. After status is set to paused, new events are not queued, and only tests ' +
      'are sent. Setting status to active sends the deliveries that waited, and sets consecutiveFailures to 0.',
    body: WebhookPatch,
  }
  const patchConfig = { ...WRITE, ...RECORD, grows: false, problems: SUBSCRIBING }
  app.patch(ONE, { config: patchConfig, schema: patchSchema }, (request) =>
    changeWebhook(parts, placeOf(request), request.body, request.precondition),
  )

  const deleteSchema = {
    ...one,
    summary: 'Delete a webhook and its deliveries',
    description: 'Deletes the webhook with its deliveries. Pending deliveries are not sent.',
    response: { 204: Type.Null() },
  }
  app.delete(ONE, { config: { ...WRITE, ...RECORD }, schema: deleteSchema }, async (request, reply) => {
    await removeWebhook(parts, placeOf(request), request.precondition)
    return reply.code(204).send(null)
  })

  const resetSchema = {
    ...one,
    summary: 'Make a webhook active again',
    body: NoBody,
    description:
      `After ${LIMITS.webhook.failuresToPause} failures in a row a webhook is paused: new events are not queued, ` +
      'except one per hour as a probe. If the probe succeeds, the webhook becomes active. This operation makes the ' +
      'webhook active immediately, and sets consecutiveFailures to 0.',
  }
  app.post(`${ONE}/reset-failures`, { config: { ...WRITE, ...RECORD, grows: false }, schema: resetSchema }, (request) =>
    resetFailures(parts, placeOf(request), request.precondition),
  )

  const rotateSchema = {
    ...one,
    summary: 'Rotate the secret of a webhook',
    body: NoBody,
    description:
      'Only this response contains the full new secret. For a day, deliveries are signed with the old secret too: in ' +
      'X-SVC-Signature-Previous, and as a second signature in webhook-signature.',
  }
  const rotateConfig = { ...WRITE, ...RECORD, grows: false }
  app.post(`${ONE}/rotate-secret`, { config: rotateConfig, schema: rotateSchema }, (request, reply) => {
    reply.header('cache-control', 'no-store')
    return rotateSecret(parts, placeOf(request), request.precondition)
  })

  deliveryRoutes(app, parts)
}
