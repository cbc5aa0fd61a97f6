import { execFile } from 'node:child_process'
import type { Agent } from 'node:http'
import { promisify } from 'node:util'
import { builtProgram } from './built-program.ts'
import { type Answer, type CallOptions, call } from './call.ts'

const run = promisify(execFile)
const OPERATOR = 'packages/host/src/operator/main.ts'

export interface Developer {
  key: string
  organizationId: string
  email: string
  /** The password for the first sign-in; undefined if an external provider manages the account. */
  oneTimePassword: string | undefined
}

/** A small building without history, because most suites need a sandbox but not its content. */
export const SMALL = { storeys: 1, spacesMin: 1, spacesMax: 4, seedTelemetryDays: 0 }

/** A command for the operator server. */
export interface OperatorRequest {
  args: string[]
  /** The environment of the system that the command is for. */
  env: NodeJS.ProcessEnv
}

/** The exit code and the output of a command. */
export interface OperatorAnswer {
  code: number
  stdout: string
  stderr: string
}

/** The output of a command. Fails with its exit code and output if the exit code is not 0. */
type Operator = (...args: string[]) => Promise<string>

/** Runs operator commands on the command line, each in a process of its own. */
export const atCommandLine =
  (env: NodeJS.ProcessEnv): Operator =>
  async (...args) => {
    const { stdout } = await run(process.execPath, [builtProgram(OPERATOR), ...args], { env })
    return stdout.trim()
  }

/** Runs operator commands through the operator server, which is one process for all commands. */
export const overHttp =
  (operatorUrl: string, env: NodeJS.ProcessEnv): Operator =>
  async (...args) => {
    const answer = await askOperator(operatorUrl, { args, env })
    if (answer.code !== 0) throw Object.assign(new Error(answer.stderr), answer)
    return answer.stdout.trim()
  }

/** Runs an operator command through the operator server. */
export async function askOperator(operatorUrl: string, request: OperatorRequest): Promise<OperatorAnswer> {
  const body = JSON.stringify(request)
  const answer = await fetch(operatorUrl, { method: 'POST', body, headers: { connection: 'close' } })
  return (await answer.json()) as OperatorAnswer
}

/** The users of a system: its operator and its developers. */
export function actorsOf(
  { url, env, agent }: { url: string; env: NodeJS.ProcessEnv; agent?: Agent },
  operator = atCommandLine(env),
) {
  const api = (key: string | undefined, path: string, options: CallOptions = {}): Promise<Answer> =>
    call(url + path, { ...(key === undefined ? {} : { token: key }), ...(agent ? { agent } : {}), ...options })

  /** Creates an organization with a developer, and a key of that developer. */
  async function newDeveloper(scope = 'sandbox'): Promise<Developer> {
    const organizationId = await operator('org', 'create', 'Test')
    const email = `dev@${organizationId.slice(4)}.example`
    const [, , , oneTimePassword] = (await operator('account', 'invite', email, '--org', organizationId)).split('\t')
    const key = await operator('key', 'mint', '--org', organizationId, '--scope', scope)
    return { key, organizationId, email, oneTimePassword }
  }

  async function waitWhileProvisioning(key: string, sandboxId: string): Promise<Answer['json']> {
    for (const deadline = Date.now() + 90_000; Date.now() < deadline; ) {
      const { json } = await api(key, `/api/v1/sandboxes/${sandboxId}`)
      if (json.status !== 'provisioning') return json
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    throw new Error(`sandbox ${sandboxId} is still being provisioned`)
  }

  /** A ready sandbox with its connection. */
  async function newSandbox(
    key: string,
    body: object = {},
  ): Promise<{ record: Answer['json']; connection: Answer['json'] }> {
    const created = await api(key, '/api/v1/sandboxes', { body: { name: 'Test', ...SMALL, ...body } })
    if (created.status !== 202) throw new Error(`the sandbox was not created: ${created.text}`)
    const record = await waitWhileProvisioning(key, created.json.sandboxId)
    if (record.status !== 'ready') throw new Error(`the sandbox is not ready: ${JSON.stringify(record)}`)
    const { json } = await api(key, `/api/v1/sandboxes/${record.sandboxId}/connection`)
    return { record, connection: json }
  }

  return { operator, api, newDeveloper, waitWhileProvisioning, newSandbox }
}
