import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder, EngineMissing } from './cache.ts'

/** Fetches a distribution from a Maven repository, unpacks it into the cache and returns the folder that it contains. */
export function mavenDistribution(artifact: `${string}:${string}:${string}:zip`): string {
  const folder = cacheFolder('maven', artifact.replaceAll(':', '_'))
  const done = join(folder, 'done')
  if (!existsSync(done)) {
    process.stdout.write(`Fetching ${artifact} with Maven…\n`)
    run('mvn', ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`])
    const archive = readdirSync(folder).find((each) => each.endsWith('.zip'))!
    run('unzip', ['-q', '-o', join(folder, archive), '-d', join(folder, 'unpacked')])
    writeFileSync(done, '')
  }
  const unpacked = join(folder, 'unpacked')
  return join(unpacked, readdirSync(unpacked)[0]!)
}

function run(program: string, args: string[]): void {
  const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (error !== undefined) throw new EngineMissing(`${program} is required, but it is not on the PATH`)
  if (status !== 0) throw new EngineMissing(`${program} failed: ${`${stdout}${stderr}`.trim()}`)
}
