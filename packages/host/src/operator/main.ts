import { runProgram } from './program.ts'

const { exitCode, hasFailed } = await runProgram(process.argv.slice(2), process.env, process)
if (hasFailed) process.exit(exitCode)
process.exitCode = exitCode
