import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSystem } from '../acceptance/system/system.ts'
import { takeAllPictures } from './screenshots/all-pages.ts'
import { createFixture } from './screenshots/fixture.ts'
import { takePictures } from './screenshots/pictures.ts'

// `npm run screenshots`: takes the pictures of the README from a system that it starts.
// `npm run screenshots -- all [text]`: takes pictures of all pages at three widths, in both languages and themes, into a
// temporary folder. The text selects pages by their address or by their site: console, portal, or tower (the console of
// a large building). Fails if a page has an error, scrolls sideways or is not accessible.

const README_FOLDER = 'docs/pictures'
const [what, only = ''] = process.argv.slice(2)

const system = await startSystem({
  env: { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0', MAX_ACTIVE_SANDBOXES: '10' },
})
try {
  const fixture = await createFixture(system)
  try {
    if (what === 'all') {
      // `temporaryFolder` of the tests is not used, because it removes its folders at the end.
      const folder = mkdtempSync(join(tmpdir(), 'storey-pages-'))
      const findings = await takeAllPictures(fixture, folder, only)
      for (const finding of findings) process.stderr.write(`${finding}\n`)
      process.stdout.write(`${folder}: ${findings.length} findings\n`)
      if (findings.length > 0) process.exitCode = 1
    } else {
      mkdirSync(README_FOLDER, { recursive: true })
      await takePictures(fixture, README_FOLDER)
    }
  } finally {
    await fixture.close()
  }
} finally {
  await system.remove()
}
