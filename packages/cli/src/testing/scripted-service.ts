import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

/** `cut`: the connection is closed without a response. `text` is sent instead of `json`. */
export type Answer = { status?: number; json?: unknown; text?: string; headers?: Record<string, string> } | 'cut'

export interface ScriptedService {
  url: string
  received: ReceivedRequest[]
}

/** A service with scripted answers, for cases that a real one does not produce on demand. */
export async function scriptedService(
  answer: (request: ReceivedRequest) => Answer | Promise<Answer>,
): Promise<ScriptedService> {
  const received: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const { method = '', url = '', headers } = request
      const incoming = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') }
      received.push(incoming)
      send(response, await answer(incoming))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

function send(response: ServerResponse, answer: Answer): void {
  if (answer === 'cut') {
    response.destroy()
    return
  }
  const { status = 200, json, text = json === undefined ? '' : JSON.stringify(json), headers } = answer
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(text)
}

/** A sandbox as the provisioning service sends it. */
export function sandboxRecord(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...{ sandboxId: 'sbx_1', name: 'Mall', slug: 'mall-abcde', status: 'provisioning', organizationId: 'org_1' },
    ...{ apiUrl: 'http://mall-abcde.localhost:4000', consoleUrl: null, expiresAt: '2026-01-15T00:00:00.000Z' },
    ...{ extensionsRemaining: 2, siteId: null, buildingId: null, buildingType: 'mall', storeys: 1, areaSqm: 100 },
    ...{ seed: 'abc', fingerprint: null, progress: { percent: 10, step: 'Seeding' } },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', ...fields },
  }
}

export function problem(status: number, code: string, detail: string, members: object = {}): Answer {
  return { status, json: { type: 'about:blank', title: code, status, detail, code, requestId: 'req_1', ...members } }
}
