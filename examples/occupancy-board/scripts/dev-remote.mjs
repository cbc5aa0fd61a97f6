// Builds the module at every change of its sources, and serves the build, from which a sandbox's console (the shell)
// loads the module. Reload the page of the console to see a change.
import { build } from 'vite'
import { serveBuild } from './serve-build.mjs'

const watcher = await build({ build: { watch: {} }, clearScreen: false })
let isServed = false
watcher.on('event', async (event) => {
  if (event.code !== 'END' || isServed) return
  isServed = true
  await serveBuild()
})
