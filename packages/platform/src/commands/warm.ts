import { loadTracing, type TracingSettings } from '@storey/kit/tracing'
import { ipcChannel, onStop } from './channel.ts'

/**
 * Loads the code of a stack and ends. Node stores the compiled code in the folder of NODE_COMPILE_CACHE, so that a
 * stack starts in half the time afterwards.
 */
export async function warm(tracing?: TracingSettings): Promise<void> {
  onStop(ipcChannel, () => process.exit(1))
  await import('./serve.ts')
  if (tracing) await loadTracing()
  process.exit(0)
}
