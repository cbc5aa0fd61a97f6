import { createHash } from 'node:crypto'
import { createReadStream, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command } from './command.ts'

/** How a container of an image starts. */
export interface ImageConfig {
  Entrypoint?: string[]
  Cmd?: string[]
  Env?: string[]
  User?: string
  WorkingDir?: string
  ExposedPorts?: Record<string, object>
}

const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' }
const INDEX = 'application/vnd.oci.image.index.v1+json'
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const CONFIG = 'application/vnd.oci.image.config.v1+json'
const LAYER = 'application/vnd.oci.image.layer.v1.tar'

/** Files that become a layer of an image. */
export interface Layer {
  folder: string
  /** Paths of files in the folder; absent: all. */
  files?: readonly string[]
  /** Where the files are in the image; absent: at its root. */
  target?: string
}

/**
 * Packs files as the layers of an OCI image, without a registry and without a builder, and returns the path of the
 * archive. All files belong to root, as in an image whose processes must not change them.
 */
export async function packImage(
  folder: string,
  name: string,
  content: readonly Layer[],
  config: ImageConfig,
): Promise<string> {
  const layout = mkdtempSync(join(folder, 'image-'))
  const blobs = join(layout, 'blobs', 'sha256')
  mkdirSync(blobs, { recursive: true })
  const layers: Blob[] = []
  for (const { folder: tree, files, target } of content) {
    const file = join(layout, 'layer')
    const uniform = [
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mtime=@0',
      '--sort=name',
      '--mode=a+rX',
      '--hard-dereference',
    ]
    // The flag S at the end of the expression keeps the targets of symbolic links as they are.
    const moved = target === undefined ? [] : ['--transform', `s,^,${target}/,S`]
    const which = files === undefined ? ['.'] : ['--null', '--no-recursion', '--files-from=-']
    await command('tar', ['-C', tree, ...uniform, ...moved, '-cf', file, ...which], { input: files?.join('\0') ?? '' })
    layers.push(await storeFile(blobs, file))
  }
  const platform = { architecture: ARCHITECTURES[process.arch], os: 'linux' }
  const configBlob = storeJson(blobs, {
    ...platform,
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
  })
  const manifest = storeJson(blobs, {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: CONFIG, ...configBlob },
    layers: layers.map((layer) => ({ mediaType: LAYER, ...layer })),
  })
  const annotations = { 'io.containerd.image.name': name }
  const index = {
    schemaVersion: 2,
    mediaType: INDEX,
    manifests: [{ mediaType: MANIFEST, ...manifest, platform, annotations }],
  }
  writeFileSync(join(layout, 'index.json'), JSON.stringify(index))
  writeFileSync(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  const archive = `${layout}.tar`
  await command('tar', ['-C', layout, '-cf', archive, 'oci-layout', 'index.json', 'blobs'])
  rmSync(layout, { recursive: true })
  return archive
}

interface Blob {
  digest: string
  size: number
}

async function storeFile(blobs: string, file: string): Promise<Blob> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  const hex = hash.digest('hex')
  const { size } = statSync(file)
  renameSync(file, join(blobs, hex))
  return { digest: `sha256:${hex}`, size }
}

function storeJson(blobs: string, value: object): Blob {
  const text = JSON.stringify(value)
  const hex = createHash('sha256').update(text).digest('hex')
  writeFileSync(join(blobs, hex), text)
  return { digest: `sha256:${hex}`, size: Buffer.byteLength(text) }
}
