import { onStop } from './channel.ts'

/**
 * Loads all that a stack needs, and ends: the engine keeps what it compiled in the folder of NODE_COMPILE_CACHE, and a
 * stack that starts afterwards is there in half the time.
 */
export async function warm(): Promise<void> {
  onStop(() => process.exit(1))
  await import('./serve.ts')
  process.exit(0)
}
