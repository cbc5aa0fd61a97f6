import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { verifyWebhook } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../environment.ts'
import { problem, scriptedService } from '../../testing/scripted-service.ts'
import { newHome, runTool } from '../../testing/test-context.ts'
import { forward, receiverUrl } from './forwarder.ts'
import type { SeenEvent } from './live-feed.ts'

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const seen: SeenEvent = {
  ...{ event: 'building.alarm.triggered', data: { buildingId: 'b-1', title: 'Ünicode' }, sequence: 4 },
  timestamp: '2026-01-01T00:00:00.000Z',
}

describe('svc logs --no-follow', () => {
  it('[CLI-45] reports on stderr why there is nothing to show', async () => {
    for (const [webhooks, reason] of [
      [[], 'the sandbox has no webhook'],
      [[{ id: 'w-1', url: 'http://localhost:7000' }], 'no event was sent to a webhook'],
    ] as const) {
      const { url } = await scriptedService(({ path }) => {
        const data = /\/webhooks(\?|$)/.test(path) ? webhooks : []
        return { json: { data, total: data.length, limit: 50, offset: 0 } }
      })
      const env = { SVC_API_URL: url, SVC_API_TOKEN: 'a.b.c', SVC_BUILDING_ID: 'b-1' }
      const { code, stdout, stderr } = await runTool(['logs', '--no-follow'], { env })
      expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
      expect(stderr).toContain(reason)
    }
  })
})

describe('svc logs', () => {
  it('removes control characters from deliveries', async () => {
    const delivery = {
      ...{ deliveryId: 'd-1', attempt: 1, attemptedAt: '2026-01-01T00:00\u001b[2J', event: 'webhook.test' },
      ...{ status: 'failed\u001b[2J', httpCode: null, error: 'no\u001b[2J', durationMs: 5, nextAttemptAt: null },
    }
    const { url } = await scriptedService(({ path }) => {
      const data = path.includes('/deliveries') ? [delivery] : [{ id: 'w-1', url: 'http://localhost:7000' }]
      return { json: { data, total: 1, limit: 50, offset: 0 } }
    })
    const env = { SVC_API_URL: url, SVC_API_TOKEN: 'a.b.c', SVC_BUILDING_ID: 'b-1' }
    const { code, stdout } = await runTool(['logs', '--no-follow'], { env })
    expect(code).toBe(0)
    expect(stdout).toContain('attempt 1 failed[2J')
    expect(stdout).not.toContain('\u001b')
  })

  it('reports a webhook of which earlier attempts may be missing, because all listed ones are new', async () => {
    for (const format of ['text', 'json']) {
      let polls = 0
      const { url } = await scriptedService(({ path }) => {
        if (path.endsWith('/webhooks/w-1/deliveries')) {
          polls += 1
          // The second list has no attempt of the first list. The third list has half of the attempts of the second.
          const from = [0, 60, 85][polls - 1]
          return from === undefined ? problem(403, 'PERMISSION_DENIED', 'No') : attempts('a', from, 50)
        }
        if (path.endsWith('/webhooks/w-2/deliveries')) return attempts('b', polls, 1)
        const webhooks = ['w-1', 'w-2'].map((id) => ({ id, url: `http://localhost:7000/${id}` }))
        return { json: { data: webhooks, total: 2, limit: 50, offset: 0 } }
      })
      const env = { SVC_API_URL: url, SVC_API_TOKEN: 'a.b.c', SVC_BUILDING_ID: 'b-1' }
      const { stdout, stderr } = await runTool(['logs', `--format=${format}`], { env })
      const gaps = stderr.split('\n').filter((line) => line.includes('may be missing'))
      expect(gaps).toHaveLength(1)
      const detail =
        'Earlier attempts of webhook w-1 (http://localhost:7000/w-1) may be missing: the service lists only the last 50.'
      if (format === 'text') expect(gaps[0]).toBe(detail)
      else {
        const webhook = { webhookId: 'w-1', url: 'http://localhost:7000/w-1' }
        expect(JSON.parse(gaps[0]!)).toEqual({ kind: 'gap', reason: 'attempts_not_listed', detail, ...webhook })
        // All 50 attempts of the second list are shown, and the 25 new ones of the third.
        const shown = stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).deliveryId)
        expect(shown.filter((id) => /^a-(6[1-9]|[7-9]\d|1[0-3]\d)$/.test(id))).toHaveLength(50 + 25)
      }
    }
  })
})

/** A page of attempts, the newest first. */
function attempts(prefix: string, from: number, length: number) {
  const data = Array.from({ length }, (_, i) => ({
    ...{
      deliveryId: `${prefix}-${from + length - i}`,
      attempt: 1,
      event: 'webhook.test',
      status: 'succeeded',
      httpCode: 204,
    },
    ...{ attemptedAt: new Date(Date.UTC(2026, 0, 1) + (from + length - i) * 1000).toISOString() },
    ...{ error: null, durationMs: 5, nextAttemptAt: null },
  }))
  return { json: { data, total: length, limit: 50, offset: 0 } }
}

describe('a forwarded event', () => {
  it('[CLI-44] has the body, headers and signatures of a webhook delivery', async () => {
    const { url, received } = await scriptedService(() => ({ status: 204 }))
    const result = await forward(`${url}/hook?x=1`, SECRET, seen, systemClock)
    expect(result).toMatchObject({ httpCode: 204, error: null })
    const [{ method, path, headers, body }] = received as [(typeof received)[0]]
    expect({ method, path }).toEqual({ method: 'POST', path: '/hook?x=1' })
    expect(JSON.parse(body)).toEqual({ event: seen.event, data: seen.data, timestamp: seen.timestamp })
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-svc-delivery-attempt': '1' })
    expect(headers['user-agent']).toMatch(/^Storey\//)
    const delivery = await verifyWebhook({ body, headers, secret: SECRET })
    expect(delivery).toMatchObject({ event: seen.event, attempt: 1, idempotencyKey: result.idempotencyKey })
    // Each of the two signatures alone is enough for a receiver.
    for (const name of ['x-svc-signature', 'webhook-signature']) {
      const { [name]: _, ...others } = headers
      await verifyWebhook({ body, headers: others as Record<string, string>, secret: SECRET })
    }
    await expect(verifyWebhook({ body: `${body} `, headers, secret: SECRET })).rejects.toThrow()
  })

  it('[CLI-44] is reported with the status of the receiver, or with the reason why the receiver is unreachable', async () => {
    const { url } = await scriptedService(() => problem(500, 'INTERNAL', 'No'))
    expect(await forward(url, SECRET, seen, systemClock)).toMatchObject({ httpCode: 500 })
    const away = await forward('http://127.0.0.1:1/', SECRET, seen, systemClock)
    expect(away).toMatchObject({ httpCode: null, error: 'nothing listens there' })
  })

  it('is sent only to an http or https address without a password; the address may be abbreviated', () => {
    expect(receiverUrl('7000/hook')).toBe('http://localhost:7000/hook')
    expect(receiverUrl('localhost:7000')).toBe('http://localhost:7000')
    expect(receiverUrl('https://x.example/a?b=1')).toBe('https://x.example/a?b=1')
    expect(() => receiverUrl('ftp://x')).toThrow('not an http or https address')
    expect(() => receiverUrl('http://u:p@x/')).toThrow('user name or password')
  })
})

describe('svc listen', () => {
  const env = { ...newHome(), SVC_API_URL: 'http://127.0.0.1:1', SVC_API_TOKEN: 'a.b.c', SVC_BUILDING_ID: 'b-1' }

  it('[CLI-44] prints a secret that stays the same, and differs between sandboxes and between users', async () => {
    const print = async (more: object = {}) =>
      (await runTool(['listen', '--print-secret'], { env: { ...env, ...more } })).stdout
    const secret = await print()
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}\n$/)
    expect(await print()).toBe(secret)
    expect(await print({ SVC_API_URL: 'http://127.0.0.1:2' })).not.toBe(secret)
    expect(await print({ XDG_CONFIG_HOME: temporaryFolder('svc-home') })).not.toBe(secret)
  })

  it('refuses unknown events', async () => {
    const { code, stderr } = await runTool(['listen', '--events', 'building.alarm.triggered,fire'], { env })
    expect(code).toBe(64)
    expect(stderr).toMatch(/--events has the unknown event "fire"\.\n.*building\.point\.updated/)
  })
})
