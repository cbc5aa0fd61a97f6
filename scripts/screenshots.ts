import { mkdirSync } from 'node:fs'
import { startSystem } from '../acceptance/system/system.ts'
import { createFixture } from './screenshots/fixture.ts'
import { takePictures } from './screenshots/pictures.ts'

// `npm run screenshots`: takes the pictures of the README from a system that it starts.

const FOLDER = 'docs/pictures'

mkdirSync(FOLDER, { recursive: true })
const system = await startSystem({
  env: { RATE_LIMIT_PER_MINUTE: '0', SANDBOX_RATE_LIMIT_PER_MINUTE: '0', MAX_ACTIVE_SANDBOXES: '10' },
})
try {
  const fixture = await createFixture(system)
  try {
    await takePictures(fixture, FOLDER)
  } finally {
    await fixture.close()
  }
} finally {
  await system.remove()
}
