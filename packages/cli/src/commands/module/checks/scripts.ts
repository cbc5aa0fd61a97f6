import { type Check, fail, ok } from './check.ts'
import type { JsonFile } from './project.ts'

const NAME = 'scripts'

const PREVIEW = 'vite preview --port 6001 --strictPort'

/** The scripts of a new project, in a form that an older project can use without additional files. */
function wanted(platform: NodeJS.Platform): Record<string, string> {
  const watch = platform === 'win32' ? 'start /b vite build --watch &' : 'vite build --watch &'
  return { 'dev:remote': `vite build && (${watch} ${PREVIEW})`, 'serve:remote': `vite build && ${PREVIEW}` }
}

export function checkScripts(packageJson: JsonFile, platform: NodeJS.Platform): Check {
  if (packageJson.state === 'absent') {
    return fail(NAME, 'there is no package.json', 'run this command in the folder of a module project')
  }
  if (packageJson.state === 'broken') {
    const fix = 'make package.json a readable, valid JSON object'
    return fail(NAME, `package.json cannot be read: ${packageJson.reason}`, fix)
  }
  const { scripts } = packageJson.value
  const existing = typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : []
  const missing = Object.entries(wanted(platform)).filter(([name]) => !existing.includes(name))
  if (missing.length === 0) return ok(NAME, 'dev:remote and serve:remote exist')
  const names = missing.map(([name]) => name).join(' or ')
  const lines = missing.map(([name, command]) => `"${name}": "${command}"`).join(', ')
  return fail(
    NAME,
    `package.json has no script ${names}${missing.length === 2 ? ': projects created with svc 1.13.0 or earlier have neither' : ''}`,
    `add to "scripts": ${lines}`,
  )
}
