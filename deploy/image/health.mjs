// Ends with 0 if this container's service answers: the control plane, or a stack.
import { get } from 'node:http'

const isStack = process.env.STACK_CONFIG !== undefined
const port = isStack ? 8080 : Number(process.env.PORT ?? 4000)
const host = isStack ? 'localhost' : new URL(process.env.PUBLIC_URL ?? `http://localhost:${port}`).host
const request = get({ host: '127.0.0.1', port, path: '/healthz', headers: { host }, timeout: 4000 }, (response) => {
  process.exit(response.statusCode === 200 ? 0 : 1)
})
request.on('timeout', () => request.destroy())
request.on('error', () => process.exit(1))
