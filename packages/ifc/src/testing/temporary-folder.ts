import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder for the files of a test. It is removed when it is disposed, for example by `using`. */
export class TemporaryFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'storey-ifc-'))

  write(content: string | Uint8Array, name = 'model.ifc'): string {
    const path = join(this.path, name)
    writeFileSync(path, content)
    return path
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
