import { rolldown } from 'rolldown'

export interface Bundle {
  folder: string
  inputs: Record<string, string>
  platform: 'node' | 'browser'
  external: RegExp[]
  /** The file names of shared chunks. */
  chunks: string
}

export async function bundle({ folder, inputs, platform, external, chunks }: Bundle): Promise<void> {
  const build = await rolldown({
    input: inputs,
    platform,
    external,
    resolve: { conditionNames: ['source', ...(platform === 'node' ? ['node'] : ['browser']), 'import', 'default'] },
  })
  await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: chunks,
    hoistTransitiveImports: false,
  })
  await build.close()
}
