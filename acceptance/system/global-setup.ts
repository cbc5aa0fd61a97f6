import { execFileSync } from 'node:child_process'
import type { TestProject } from 'vitest/node'
import { startSystem } from './system.ts'

declare module 'vitest' {
  interface ProvidedContext {
    system: { url: string; env: Record<string, string> }
  }
}

/** One system for all suites that do not end it or change its settings. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync(process.execPath, ['scripts/build-web.ts'], { stdio: 'inherit' })
  const system = await startSystem()
  project.provide('system', { url: system.url, env: system.env as Record<string, string> })
  return () => system.remove()
}
