import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** `npm run <command> -- <name>`: runs the program `<name>.<kind>.ts` of a folder. Without a name, lists the names. */
export async function runByName(folder: string, command: string, kind: string): Promise<void> {
  const ending = `.${kind}.ts`
  const [name] = process.argv.slice(2)
  const program = join(folder, `${name}${ending}`)
  if (name === undefined || !existsSync(program)) {
    const names = readdirSync(folder)
      .filter((file) => file.endsWith(ending))
      .map((file) => file.slice(0, -ending.length))
    process.stderr.write(`Usage: npm run ${command} -- ${names.join(' | ')}\n`)
    process.exit(64)
  }
  // The program must measure, test or attack a build of the current sources.
  execFileSync(process.execPath, ['scripts/build/build.ts'], { stdio: 'inherit' })
  await import(pathToFileURL(program).href)
}
