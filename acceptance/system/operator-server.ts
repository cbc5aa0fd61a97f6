import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runProgram } from '../../packages/host/src/operator/program.ts'
import type { OperatorAnswer, OperatorRequest } from './actors.ts'

export interface OperatorServer {
  url: string
  close(): Promise<void>
}

/**
 * Runs the operator's program for all systems in one process. The suites run two hundred commands, and starting a
 * process for each took a sixth of the total time. acceptance/start/operator.operations.test.ts tests the real command line.
 */
export async function openOperatorServer(): Promise<OperatorServer> {
  const server = createServer(async (request, response) => {
    const { args, env } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as OperatorRequest
    const answer: OperatorAnswer = { code: 0, stdout: '', stderr: '' }
    const streamTo = (name: 'stdout' | 'stderr') => ({
      write(text: string) {
        answer[name] += text
      },
    })
    const { exitCode } = await runProgram(args, env, { stdout: streamTo('stdout'), stderr: streamTo('stderr') })
    answer.code = exitCode
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
