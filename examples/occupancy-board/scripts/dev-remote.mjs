// Builds the remote at every change and serves it on its fixed port. Reload the shell's page to see a change.
import { build, preview } from 'vite'

const watcher = await build({ build: { watch: {} }, clearScreen: false })
let server
watcher.on('event', async (event) => {
  if (event.code !== 'END' || server) return
  server = preview()
  try {
    ;(await server).printUrls()
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
})
