import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { resolve } from 'node:path'
import { STACK_CONFIG_VARIABLE, type StackMessage } from '@storey/contract'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { stackProgram } from '../program.ts'

const COMPILE_CACHE = resolve('node_modules', '.cache', 'node')

// The current sources are built first, since the tests start the built program, as users do.
execFileSync(process.execPath, ['scripts/build/build.ts', 'stack'], { stdio: ['ignore', 'ignore', 'inherit'] })
export const { file: STACK_PROGRAM } = stackProgram()

export interface StackProcess {
  child: ChildProcess
  messages: StackMessage[]
  /** The first message of a type, even if it has already arrived. */
  waitFor<T extends StackMessage['type']>(type: T): Promise<Extract<StackMessage, { type: T }>>
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  stderr(): string
}

/** Starts the program as the control plane does: with an IPC channel, and its configuration in a variable. */
export function startProcess(command: string, config: unknown, execArgv: string[] = []): StackProcess {
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    [STACK_CONFIG_VARIABLE]: typeof config === 'string' ? config : JSON.stringify(config),
  }
  // Every stack has its own folder, since a stack measures the size of its folder.
  const cwd = temporaryFolder('storey-test-stack')
  const child = fork(STACK_PROGRAM, [command], { cwd, env, execArgv, stdio: ['ignore', 'inherit', 'pipe', 'ipc'] })
  const messages: StackMessage[] = []
  child.on('message', (message: StackMessage) => messages.push(message))
  let stderr = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('exit', (code, signal) => {
      resolve({ code, signal })
    })
  })
  return {
    child,
    messages,
    ended,
    stderr: () => stderr,
    waitFor: (type) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const message = messages.find((m) => m.type === type)
          if (message) resolve(message as never)
        }
        child.on('message', look)
        ended.then(({ code }) => reject(new Error(`ended with ${code} and no ${type}: ${stderr}`)))
        look()
      }),
  }
}
