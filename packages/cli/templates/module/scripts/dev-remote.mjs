// Builds the remote at every change and serves it. Reload the shell's page to see a change.
import { build } from 'vite'
import { serveBuild } from './serve-build.mjs'

const watcher = await build({ build: { watch: {} }, clearScreen: false })
let isServed = false
watcher.on('event', async (event) => {
  if (event.code !== 'END' || isServed) return
  isServed = true
  await serveBuild('dev:remote')
})
