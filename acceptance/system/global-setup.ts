import { execFileSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'
import { openOperatorDesk } from './operator-desk.ts'
import { startSystem } from './system.ts'

/** One system for all suites that do not end it or change its settings. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync(process.execPath, ['scripts/build-web.ts'], { stdio: 'inherit' })
  const system = await startSystem()
  const desk = await openOperatorDesk(system.env)
  project.provide('system', { url: system.url, env: system.env as Record<string, string>, deskUrl: desk.url })
  return async () => {
    await desk.close()
    await system.remove()
  }
}
