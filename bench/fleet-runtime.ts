import { fork } from 'node:child_process'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { StackRuntime } from '@storey/provisioning'

const ID = '00000000-0000-8000-8000-000000000000'

/**
 * A runtime without real stacks: seeding only creates a folder, and a start immediately returns the address of one
 * process that answers for all sandboxes. So the control plane can be measured with more sandboxes than a machine has
 * room for.
 */
export async function createFleetRuntime(folder: string): Promise<StackRuntime & { close(): void }> {
  const stacks = fork(join(import.meta.dirname, 'fleet-stacks.ts'), ['serve'])
  const port = await new Promise<number>((resolve) => stacks.once('message', (message) => resolve(message as number)))
  const running = new Map<string, { end(): void; onDue(at: Date | null): void }>()
  await mkdir(folder, { recursive: true })
  return {
    maxStarting: 32,
    async seed({ sandboxId }) {
      await mkdir(join(folder, sandboxId), { recursive: true })
      return { siteId: ID, buildingId: ID, fingerprint: 'sha256:fleet', storageBytes: 10_000_000 }
    },
    async start({ sandboxId }, onDue) {
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      running.set(sandboxId, { end: resolve, onDue })
      onDue(null)
      return { host: '127.0.0.1', port, ended }
    },
    send: () => undefined,
    async stop(sandboxId) {
      const stack = running.get(sandboxId)
      running.delete(sandboxId)
      stack?.onDue(null)
      stack?.end()
    },
    status: (sandboxId) => (running.has(sandboxId) ? 'running' : 'stopped'),
    listRunning: async () => [...running.keys()],
    report: async () => ({
      folding: { waiting: 0, oldestAtMs: null, folded: 0 },
      requests: { rssBytes: 0, largestRssBytes: 0, bytesInUse: 0, waiting: 0, refused: 0 },
      queues: { folding: { waiting: 0, refused: 0 }, edits: { waiting: 0, refused: 0 } },
      loops: {},
      stacks: {},
    }),
    removeFiles: (sandboxId) => rm(join(folder, sandboxId), { recursive: true, force: true }),
    listFiles: () => readdir(folder),
    close: () => stacks.disconnect(),
  }
}
