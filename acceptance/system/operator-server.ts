import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runOperator } from '../../packages/host/src/operator/run-operator.ts'
import type { OperatorRequest } from './actors.ts'

export interface OperatorServer {
  url: string
  close(): Promise<void>
}

/**
 * Runs the operator's commands for all systems in one process. The suites run a hundred of them, and starting a process
 * for each took a tenth of the total time. acceptance/start/operator.test.ts tests the real command line.
 */
export async function openOperatorServer(): Promise<OperatorServer> {
  const server = createServer(async (request, response) => {
    const { args, env } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as OperatorRequest
    try {
      response.end(await runOperator(args, env))
    } catch (err) {
      response.writeHead(500).end(`operator: ${(err as Error).message}`)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
