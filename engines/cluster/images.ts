import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheFolder } from '../fetch/cache.ts'
import { goFromSource } from './go-source.ts'
import { type ImageConfig, packImage } from './image.ts'
import { PAUSE_IMAGE } from './machine.ts'

/** The program of the container that holds the namespaces of a pod. It waits for a signal and reaps orphans. */
const PAUSE = `package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for each := range signals {
		if each != syscall.SIGCHLD {
			return
		}
		for {
			if pid, _ := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 {
				break
			}
		}
	}
}
`

export async function packPauseImage(folder: string): Promise<string> {
  const program = goFromSource('pause', PAUSE)
  return await packProgram(folder, PAUSE_IMAGE, program, { User: '65535:65535' })
}

/** An image that contains one static program. */
export async function packProgram(
  folder: string,
  name: string,
  program: string,
  config: ImageConfig = {},
): Promise<string> {
  const tree = mkdtempSync(join(folder, 'tree-'))
  copyFileSync(program, join(tree, 'program'))
  const archive = await packImage(folder, name, [{ folder: tree }], { Entrypoint: ['/program'], ...config })
  rmSync(tree, { recursive: true })
  return archive
}

/** The shell, and the tools of the scripts in the image, such as its entry point. */
const TOOLS = ['bin/sh', 'bin/sleep', 'bin/readlink', 'usr/bin/dirname']

/**
 * A folder that contains what a Node.js program needs of an operating system: this Node, a shell with a few tools and
 * the C and C++ libraries of this machine, the certificates of the public authorities, and the user `node`.
 */
export function nodeTree(): string {
  const programs = {
    'usr/local/bin/node': process.execPath,
    ...Object.fromEntries(TOOLS.map((tool) => [tool, `/${tool}`])),
  }
  const tree = cacheFolder('image', `node-${process.version}`)
  const done = join(tree, '..', `node-${process.version}.done`)
  if (existsSync(done)) return tree
  for (const each of [
    'usr/local/bin',
    'usr/bin',
    'bin',
    'etc/ssl/certs',
    'tmp',
    'data',
    'home/node',
    'proc',
    'sys',
    'dev',
  ])
    mkdirSync(join(tree, each), { recursive: true })
  for (const [target, source] of Object.entries(programs)) copyFileSync(realpathSync(source), join(tree, target))
  const libraries = execFileSync('ldd', Object.values(programs), { encoding: 'utf8' }).matchAll(/(\/\S+)(?= \(0x)/g)
  for (const [, path] of libraries) {
    mkdirSync(dirname(join(tree, path!)), { recursive: true })
    copyFileSync(path!, join(tree, path!))
  }
  const authorities = '/etc/ssl/certs/ca-certificates.crt'
  if (existsSync(authorities)) copyFileSync(authorities, join(tree, authorities))
  writeFileSync(join(tree, 'etc/passwd'), 'root:x:0:0::/:/sbin/nologin\nnode:x:1000:1000::/home/node:/sbin/nologin\n')
  writeFileSync(join(tree, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
  writeFileSync(join(tree, 'etc/nsswitch.conf'), 'hosts: files dns\n')
  writeFileSync(done, '')
  return tree
}
