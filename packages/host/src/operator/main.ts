import { applyProxy } from '../apply-proxy.ts'
import { runProgram } from './program.ts'

try {
  applyProxy(process.env)
} catch {
  // The command reports the invalid address together with all other invalid settings.
}
const { exitCode, hasFailed } = await runProgram(process.argv.slice(2), process.env, process)
if (hasFailed) process.exit(exitCode)
process.exitCode = exitCode
