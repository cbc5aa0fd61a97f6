import { inspect } from 'node:util'
import { SeedConfig, ServeConfig, STACK_CONFIG_VARIABLE, UNAVAILABLE_EXIT_CODE } from '@storey/contract'
import { ConfigError, SettingsReader } from '@storey/kit/config'
import { readJsonSetting } from '@storey/kit/json-setting'
import { OOM_SCORES, setOomScore } from '@storey/kit/oom-score'
import { readTracing } from '@storey/kit/tracing'

const text = process.env[STACK_CONFIG_VARIABLE]
const command = process.argv[2]
/** The control plane has checked these settings, so they are expected to be valid. */
const tracing = readTracing(new SettingsReader(process.env))
setOomScore(command === 'serve' ? OOM_SCORES.stack : OOM_SCORES.expendable)

try {
  await run()
} catch (err) {
  const { isUnavailable } = await import('@storey/kit/database')
  const isWaiting = isUnavailable(err)
  const isBrief = err instanceof ConfigError || isWaiting
  process.stderr.write(`${command}: ${isBrief ? (err as Error).message : inspect(err)}\n`)
  process.exit(isWaiting ? UNAVAILABLE_EXIT_CODE : 1)
}

/** Each command loads only the code that it needs, because requests wait until the stack listens. */
async function run(): Promise<void> {
  if (command === 'serve') {
    const { serve } = await import('./commands/serve.ts')
    return serve(readJsonSetting(STACK_CONFIG_VARIABLE, text, ServeConfig), tracing)
  }
  if (command === 'seed') {
    const { seed } = await import('./commands/seed.ts')
    return seed(readJsonSetting(STACK_CONFIG_VARIABLE, text, SeedConfig))
  }
  if (command === 'spare') {
    const { spare } = await import('./commands/spare.ts')
    return spare(tracing)
  }
  if (command === 'warm') {
    const { warm } = await import('./commands/warm.ts')
    return warm(tracing)
  }
  throw new Error('usage: main.ts seed|serve|spare|warm')
}
